extension ReferenceText {
    /// Rows of docs/manual/reference.md, which ReferenceTextTests writes.
    static let dispatch = #"""
        # DispatchQueue
        C | DispatchQueue([label or options]) | a queue. The options are label, attributes ("concurrent"; serial \#
        by default), qos and target | argument: an unknown option or name
        C | DispatchQueue.global([qos]) | the shared concurrent queue for a quality of service; the same object \#
        each time | argument: an unknown name
        C | DispatchQueue.getSpecific(key) | what DispatchQueue.current:getSpecific(key) gives; nil without a \#
        current queue | argument: no key
        C | queue:async(body) | the operation that represents the body. A table takes options: queue:async { \#
        body, flags = "barrier", group = g, qos = … } | misuse: an operation that is in a queue, executes or has \#
        finished
        C | queue:sync(body) | waits: all results of the body when it has ended; none for a cancelled work item. \#
        Options: queue:sync { body, … } | the body's error; deadlock: on the current serial queue, even if one is \#
        the target of the other, or both have the same serial target
        C | queue:asyncAfter(seconds, body) | the same. The body enters the queue after that time; at 0 or less, \#
        at once. Options: queue:asyncAfter(seconds, { body, … }) | those of async; argument: a number that is not \#
        finite
        C | queue:suspend() | nothing. Counted: no body starts until resume was called as many times. Bodies that \#
        execute continue | misuse: a global queue or the main queue
        C | queue:resume() | nothing | misuse: one call too many; a global queue or the main queue
        C | queue:setSpecific(key, value) | nothing. nil removes the value | misuse: a global queue
        C | queue:getSpecific(key) | the queue's own value for the key, otherwise that of the nearest target that \#
        has one, otherwise nil |
        C | queue:setTarget(other or nil) | nothing (targets) | cycle: prints the cycle; misuse: a global queue \#
        or the main queue
        C | queue:setFinalizer(fn) | nothing (contexts and finalizers) |
        C | DispatchQueue.concurrentPerform(n, body) | waits: nothing, when body(1) to body(n) have ended; at \#
        most 64 run at once. If a body returns an operation, the call waits for it | the first error by number, \#
        once all have ended
        C | DispatchQueue.main | the same queue as OperationQueue.main, with the methods of both types |
        C | DispatchQueue.current | the queue whose body runs; main in the main chunk and in timer blocks; \#
        otherwise nil |
        P | label | no | | for messages
        P | qos | no | | the quality of service; without its own, that of the target
        P | target | at any time | a dispatch queue, or nil | the target, or nil if none was set
        P | context | at any time | any value | any value of yours, for the finalizer
        # DispatchGroup
        C | DispatchGroup() | an empty group |
        C | group:enter() | nothing; the count grows by one |
        C | group:leave() | nothing; the count falls by one | misuse: left more often than entered
        C | group:notify(queue, body) | nothing. Submits the body to the queue when the group is empty; at once \#
        if it is | misuse: an operation that was used already
        C | group:wait([timeout]) | waits: true when the group is empty, or false if the timeout expired; then \#
        you can wait again |
        C | group:setFinalizer(fn) | nothing (contexts and finalizers) |
        P | context | at any time | any value | any value of yours, for the finalizer
        # DispatchSemaphore
        C | DispatchSemaphore(n) | a semaphore with n signals |
        C | semaphore:wait([timeout]) | waits: true, and one signal is consumed; or false if the timeout expired, \#
        and none is. First come, first served |
        C | semaphore:signal() | whether it resumed a waiter; otherwise the next wait consumes the signal |
        C | semaphore:setFinalizer(fn) | nothing (contexts and finalizers) |
        P | context | at any time | any value | any value of yours, for the finalizer
        # DispatchWorkItem
        C | DispatchWorkItem(body) | an item around a function or an operation; DispatchWorkItem { body, flags = \#
        "barrier" } takes options | misuse: an operation that was used already
        C | item:perform() | waits: the results of the body, which runs here and now | the body's error
        C | item:wait([timeout]) | waits: true when the item has ended, or false if the timeout expired | misuse: \#
        a second wait, or the item was submitted or performed more than once
        C | item:notify(queue, body) | nothing. Submits the body to the queue when the item has ended; at once if \#
        it has | misuse: the item was submitted or performed more than once
        C | item:cancel() | nothing. An item that has not started never runs and counts as ended. If it runs: a \#
        function can read item.isCancelled, an operation is cancelled |
        P | isCancelled | no | | whether cancel was called
        P | context | at any time | any value | any value of yours
        # DispatchSource
        C | DispatchSource(…) | nothing: the functions below create sources | misuse: always
        C | DispatchSource.timer({ deadline, repeating, leeway } [, queue]) | a timer source |
        C | DispatchSource.signal(name [, queue]) | a signal source | argument: an unknown name; a signal that \#
        cannot be caught
        C | DispatchSource.read(fd [, queue]) | a read source | argument: not open for reading; a directory
        C | DispatchSource.write(fd [, queue]) | a write source | argument: not open for writing; a directory
        C | DispatchSource.fileSystem(path, events [, queue]) | a file system source | host: nothing is at the \#
        path; argument: an unknown event, or none
        C | DispatchSource.process(pid [, { "exit" } [, queue]]) | a process source | host: no such process; \#
        argument: "fork", "exec", "signal"
        C | DispatchSource.userDataAdd([queue]) | a source of your own data, which sums |
        C | DispatchSource.userDataOr([queue]) | one that combines bits |
        C | DispatchSource.userDataReplace([queue]) | one that keeps the last value |
        C | source:setEventHandler(fn) | nothing. fn(source) is called for each event. Events are kept until \#
        there is a handler |
        C | source:setRegistrationHandler(fn) | nothing. fn(source) is called once, before the first event |
        C | source:setCancelHandler(fn) | nothing. fn(source) is called once, at the end: the place to close the \#
        file. Then all handlers are released |
        C | source:activate() | nothing. The source is armed when this returns. A second call has no effect | \#
        failed: the system refuses
        C | source:resume() | nothing. On an inactive source, it activates | misuse: one call too many
        C | source:suspend() | nothing. Counted; events that arrive meanwhile are merged |
        C | source:cancel() | nothing. It takes effect at once and permanently. A running handler continues to \#
        its end; then the cancel handler is called, also for a suspended or inactive source |
        C | source:mergeData(n) | nothing | misuse: not a source of your own data
        C | source:setTimer({ deadline, repeating, leeway }) | nothing. Sets the ticks of a timer source from now \#
        on; ticks that no handler has seen are dropped. It also works after the only tick of a source. It has no \#
        effect on a cancelled source | misuse: another kind
        C | source:setFinalizer(fn) | nothing (contexts and finalizers) |
        P | data | no | | what happened since the last event. After cancel, once the handler has returned: 0 or \#
        an empty table
        P | mask | no | | the requested events of a file system or process source; otherwise nil
        P | handle | no | | what is watched: the number of the signal, descriptor or process; the path; nil for \#
        timers and your own data
        P | isCancelled | no | | whether cancel was called
        P | keepsAlive | until it ends | a boolean | default true: the run does not end while the source is \#
        active
        P | context | at any time | any value | any value of yours, for the finalizer
        """#
}
