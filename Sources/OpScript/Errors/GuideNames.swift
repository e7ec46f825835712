/// Names of Apple's guides that are spelled differently here, with the names to write instead.
///
/// The manual's table "From the guide to a script" has the same content; a test compares the two.
enum GuideNames {
    /// The replacement for a name; nil if it is not a name of the guides.
    static func remedy(for name: String) -> String? {
        // `addOperation:` is also written without its colons.
        remedies[String(name.prefix { $0 != ":" })]
    }

    /// The text to add to Lua's message about an unknown global; empty if the name is not a name of the
    /// guides.
    static func hint(for message: String) -> String {
        guard let start = message.firstRange(of: " a nil value (global '"), message.hasSuffix("')") else {
            return ""
        }
        let name = String(message[start.upperBound...].dropLast(2))
        return remedy(for: name).map { "; in a script: \($0)" } ?? ""
    }

    private static let remedies: [String: String] = {
        var remedies: [String: String] = [:]
        for (names, remedy) in table {
            for name in names.split(separator: " ") { remedies[String(name)] = remedy }
        }
        return remedies
    }()

    /// Names, separated by blanks, and the replacement for each of them.
    static let table: [(names: String, remedy: String)] = [
        // Operations
        ("NSOperation", "Operation(fn)"),
        ("NSInvocationOperation", "InvocationOperation(target, \"method\", …)"),
        ("NSBlockOperation blockOperationWithBlock", "BlockOperation(fn, …)"),
        ("willChangeValueForKey didChangeValueForKey", "nothing: observers are notified of every change"),
        ("addObserver", "op:observe(key [, options], fn)"),
        ("removeObserver", "observation:invalidate()"),
        // Queues
        ("NSOperationQueue", "OperationQueue { … }"),
        ("mainQueue", "OperationQueue.main"),
        ("currentQueue", "OperationQueue.current"),
        ("addOperationWithBlock", "queue:addOperation(fn)"),
        ("setSuspended", "queue.isSuspended"),
        ("underlyingQueue", "OperationQueue.named(name)"),
        // Progress
        ("NSProgress", "Progress(total)"),
        ("becomeCurrentWithPendingUnitCount resignCurrent", "progress:addChild(child, units)"),
        ("cancellationHandler", "progress:observe(\"isCancelled\", fn)"),
        // Dispatch queues
        (
            "dispatch_queue_create DISPATCH_QUEUE_CONCURRENT",
            "DispatchQueue { label, attributes = \"concurrent\" }"
        ),
        ("dispatch_get_main_queue", "DispatchQueue.main"),
        ("dispatch_get_global_queue", "DispatchQueue.global(qos)"),
        ("dispatch_get_current_queue", "DispatchQueue.current"),
        ("DISPATCH_QUEUE_PRIORITY_HIGH", "DispatchQueue.global(\"high\")"),
        ("dispatch_queue_get_label", "queue.label"),
        ("dispatch_async dispatch_async_f", "queue:async(body)"),
        ("dispatch_sync dispatch_sync_f", "queue:sync(body)"),
        ("dispatch_after", "queue:asyncAfter(seconds, body)"),
        ("dispatch_time DISPATCH_TIME_NOW", "seconds from now"),
        ("dispatch_walltime", "queue:addOperation(op, { at = epochSeconds })"),
        ("dispatch_barrier_async", "queue:async { body, flags = \"barrier\" }"),
        ("dispatch_barrier_sync", "queue:sync { body, flags = \"barrier\" }"),
        ("dispatch_apply dispatch_apply_f", "DispatchQueue.concurrentPerform(n, body)"),
        ("dispatch_suspend", "queue:suspend()"),
        ("dispatch_resume", "queue:resume()"),
        ("dispatch_set_target_queue", "queue:setTarget(queue)"),
        ("dispatch_queue_set_specific", "queue:setSpecific(key, value)"),
        ("dispatch_get_specific dispatch_queue_get_specific", "queue:getSpecific(key)"),
        ("dispatch_set_context dispatch_get_context", "object.context"),
        ("dispatch_set_finalizer_f", "object:setFinalizer(fn)"),
        // Groups, semaphores, work items
        ("dispatch_group_create", "DispatchGroup()"),
        ("dispatch_group_async", "queue:async { body, group = g }"),
        ("dispatch_group_enter", "group:enter()"),
        ("dispatch_group_leave", "group:leave()"),
        ("dispatch_group_notify", "group:notify(queue, body)"),
        ("dispatch_group_wait", "group:wait([timeout])"),
        ("dispatch_semaphore_create", "DispatchSemaphore(n)"),
        ("dispatch_semaphore_wait", "semaphore:wait([timeout])"),
        ("dispatch_semaphore_signal", "semaphore:signal()"),
        ("dispatch_block_create", "DispatchWorkItem(body)"),
        ("dispatch_block_wait", "item:wait([timeout])"),
        ("dispatch_block_notify", "item:notify(queue, body)"),
        ("dispatch_block_cancel", "item:cancel()"),
        ("dispatch_once", "a local variable: between two waits no other code of the script runs"),
        ("dispatch_data_create", "a string or Data"),
        ("dispatch_read dispatch_io_read", "work.file.read(path)"),
        ("dispatch_write dispatch_io_write", "work.file.write(path, data)"),
        ("dispatch_debug", "print(object)"),
        // Sources
        ("dispatch_source_create", "DispatchSource.timer"),
        ("dispatch_source_set_timer", "source:setTimer { … }"),
        ("dispatch_source_merge_data", "source:mergeData(n)"),
        ("dispatch_source_set_event_handler", "source:setEventHandler(fn)"),
        ("dispatch_source_set_registration_handler", "source:setRegistrationHandler(fn)"),
        ("dispatch_source_set_cancel_handler", "source:setCancelHandler(fn)"),
        ("dispatch_source_get_data", "source.data"),
        ("dispatch_source_get_handle", "source.handle"),
        ("dispatch_source_get_mask", "source.mask"),
        ("dispatch_source_cancel", "source:cancel()"),
        ("dispatch_source_testcancel", "source.isCancelled"),
        // Timers and threads
        ("NSTimer scheduledTimerWithTimeInterval", "Timer.scheduledTimer { … }"),
        ("timerWithTimeInterval addTimer", "timer:schedule()"),
        (
            "performSelector cancelPreviousPerformRequestsWithTarget",
            "Timer.scheduledTimer(seconds, false, fn)"
        ),
        ("NSThread pthread_create", "Thread { … }:start()"),
        ("detachNewThreadSelector", "Thread.detach(…)"),
        ("currentThread", "Thread.current"),
        ("mainThread", "Thread.main"),
        ("sleepForTimeInterval", "sleep(seconds)"),
        ("threadDictionary pthread_setspecific", "a local variable of the function; on queues setSpecific"),
        ("performSelectorOnMainThread", "OperationQueue.main:addOperation(fn)"),
        ("performSelectorInBackground", "async(fn)"),
        ("pthread_join", "thread:join([timeout])"),
        (
            "pthread_mutex_lock NSLock OSSpinLock",
            "nothing between two waits; across waits a serial queue or DispatchSemaphore(1)"
        ),
        ("pthread_rwlock_rdlock", "a concurrent dispatch queue, whose writers are barriers"),
        ("NSCondition pthread_cond_wait", "a Gate, DispatchSemaphore"),
        ("dispatch_main CFRunLoopRun", "nothing: the run continues as long as something can still run"),
        (
            "dispatch_retain dispatch_release",
            "nothing: garbage is collected, and pending objects are kept"
        ),
        ("NSTask", "work.process"),
        ("NSFileManager", "work.file"),
        ("NSURLConnection NSURLSession", "work.http"),
    ]
}
