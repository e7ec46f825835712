extension ReferenceText {
    /// Rows of docs/manual/reference.md, which ReferenceTextTests writes.
    static let operations = #"""
        # Operation
        C | Operation(fn or options) | an operation. The options are all properties that can be set, dependencies \#
        = { … }, and one body: main = fn, start = fn, or work = "NAME" with args = { … } | argument: no body, or \#
        several; the errors of work.NAME
        C | Operation.subclass(type, name) | a type below Operation or below one of your own types; written \#
        Operation:subclass "Name" |
        C | BlockOperation(body, …) | an operation with these blocks: functions or operations |
        C | InvocationOperation(target, method, args…) | an operation that calls target:method(args…). The target \#
        is a table or a host object | argument: there is no such method
        C | GroupOperation({ ops…, name, maxConcurrentOperationCount, … }) | an operation around its own queue. \#
        The options are the operations in it, and those of Operation except a body and retry | those of \#
        queue:addOperations
        C | Gate([name]) | an operation that has no body and is in no queue. It ends when finish, fail or cancel \#
        is called |
        C | op:addDependency(other [, when]) | nothing. when is "notFailed" (default), "succeeded", "finished" or \#
        "failed" | cycle: prints the whole cycle; misuse: op has started or finished
        C | op:removeDependency(other) | nothing. op may become ready. An operation that is no dependency is \#
        ignored |
        C | op:cancel() | nothing. After the end, it has no effect |
        C | op:start() | waits: nothing. Runs the operation outside any queue and returns at its end; for an \#
        asynchronous operation, at the end or the first wait of its start; the operation continues. It does not \#
        raise the body's error: read outcome | misuse: the operation is not ready, executes, has finished, is in \#
        a queue, or is a gate
        C | op:waitUntilFinished([timeout]) | waits: true, or false if the timeout expired. It does not raise the \#
        operation's error |
        C | op:observe(key [, options], fn) | an observation | argument: a key that cannot be observed
        C | op:finish(results…) | nothing. Ends an asynchronous operation or a gate with these results. A second \#
        end is ignored | misuse: another kind of operation, or not yet started (unless it was cancelled)
        C | op:fail([error]) | nothing. Ends an asynchronous operation or a gate with an error | as finish
        C | op:results() | all results; none unless the operation succeeded |
        C | op:lines([stream]) | waits: a function that returns the next line of the program that the operation \#
        runs, and nil at the end. An operation in no queue is added to the default one, as by await. stream is \#
        "output" (default) or "error" | misuse: the operation runs no program, or its output is not captured
        C | op:signal(name) | true, or false if no program of the operation runs. Sends a signal to the program's \#
        process group: "HUP", "SIGHUP" or a number | misuse: the operation runs no program
        C | op:describe() | a plain table from which Operation(table) makes the operation again | misuse: the \#
        body is not a work, or has arguments that are not plain; the error says why
        C | op:addExecutionBlock(body) | nothing. Adds a block to a BlockOperation | misuse: another kind of \#
        operation, or it executes or has finished
        C | op:addOperation(op or fn) | the operation. Adds it to a GroupOperation, also while the group runs and \#
        also from inside | misuse: another kind of operation, or the group has finished; those of \#
        queue:addOperation
        P | name | at any time | a string, or nil | for messages. Default (nil): the name of the work, otherwise \#
        "operation"
        P | queuePriority | at any time | one of "veryLow", "low", "normal", "high", "veryHigh", or a finite \#
        number | which of the ready operations of a queue starts first. A number is rounded towards normal; it \#
        reads as a name. A change reorders at once; after the start it has no effect
        P | qualityOfService | until it is added or started | one of "background", "utility", "default", \#
        "userInitiated", "userInteractive", or nil | the class of worker that runs a Swift closure: "background" \#
        has niceness 19, "utility" 10, the others 0. It never reorders a queue. Default (nil): that of the queue
        P | threadPriority | until it is added or started | a number from 0 to 1 | niceness while a synchronous \#
        Swift closure runs. Default 0.5. Below 0.25: nice 19. Below 0.5: nice 10. Above 0.5: nice -10 if the \#
        process is permitted, otherwise 0 and one warning. If the class is nicer, the class counts
        P | completionBlock | at any time | a function, or nil | function(op), called once when the operation has \#
        finished with any outcome, and then released. If it is set after the end, it is called at the next turn
        P | dependencies | no | | an array; a copy
        P | isReady | no | | true once all dependencies are released; it stays true afterwards
        P | isExecuting | no | | whether the body runs
        P | isFinished | no | | whether it has ended, with any outcome
        P | isCancelled | no | | whether cancel was called before the end
        P | isAsynchronous | no | | whether it can end after its start has returned; for a work, whether the \#
        closure is async
        P | isConcurrent | no | | the same as isAsynchronous
        P | state | no | | "pending", "ready", "executing" or "finished"
        P | outcome | no | | nil until the operation has finished, then "succeeded", "failed", "cancelled" or \#
        "skipped"
        P | result | no | | the first result; nil unless the operation succeeded
        P | error | no | | why it failed or was skipped: an error value; otherwise nil
        P | traceback | no | | where the error was raised; nil without an error
        P | createdAt | no | | where the operation was created: "job.lua:7"
        P | queue | no | | the queue to which the operation was added, or nil
        P | progress | no | | its Progress; the same object each time
        P | pid | no | | the process number of the program that it runs; otherwise nil
        P | usage | no | | the time and the memory that its program took: a table with wall, user, system and \#
        peakMemory (programs); nil before the end, and for operations without a program
        P | timeout | until it starts | a number above 0 (not NaN), or nil | how many seconds an attempt may \#
        execute (time limits)
        P | retry | until it starts | a table of options of a retry, or nil | how often a failed attempt is \#
        repeated (retry)
        P | attempt | no | | how many times it was started
        P | attempts | no | | what became of each attempt so far: a list of tables with number, outcome, error \#
        and duration (retry); a copy
        P | output | until it starts | one of "group", "prefix", "stream", "errors", or nil | how the command \#
        shows the output of the operation's program (programs). Default: as --output says. Without effect on \#
        operations that run no program
        P | cluster | until it is added or started | a table, or nil: options of a cluster | how the operation \#
        runs in a queue on a cluster (options). Without effect in other queues
        P | resources | until it is added or started | a table of names with whole numbers from 0, or nil | \#
        amounts that the operation holds while it executes (resources)
        P | allowsFailure | until it finishes | a boolean, or nil | if true, a failure of the operation does not \#
        make the run fail
        P | userInfo | at any time | any value | any value of yours; OpScript never reads it
        P | cancelled | until it finishes | a function, or nil | hook of an asynchronous operation: function(op), \#
        called when the operation must stop
        P | executionBlocks | no | | the blocks of a BlockOperation, a copy; otherwise nil
        P | recording | until it is added or started | one of "result", "never", "once" | how a run that \#
        continues treats it (runs that last). Default: that of the work; "never" for a function. For works, \#
        isolates and functions
        P | version | until it is added or started | a string, or nil | a part of its key in a journal (runs that \#
        last)
        P | inputs | until it is added or started | a list of paths and patterns, or nil | the files that it \#
        reads (runs that last); it depends on the operations that make them. A copy
        P | outputs | until it is added or started | a list of paths and patterns, or nil | the files that it \#
        makes (runs that last); it fails if one is missing at its end. A copy
        P | depfile | until it is added or started | a string, or nil: a path that is not empty, without a NUL \#
        and in UTF-8 | the dependency file that its compiler writes (runs that last)
        P | isRecorded | no | | whether it did not run, because its result was recorded (runs that last)
        P | isUpToDate | no | | whether it did not run, because its files are as they were (runs that last)
        # OperationQueue
        C | OperationQueue([options]) | a queue. The options are name, maxConcurrentOperationCount, isSuspended, \#
        qualityOfService, failFast, startsLongestFirst, rate, widthPerKey and userInfo; for a queue on a cluster \#
        on and its options |
        C | OperationQueue.setResource(name, total) | nothing. Sets the total of a resource |
        C | OperationQueue.named(name) | a queue that the host lends | host: there is no queue of this name
        C | queue:addOperation(op or fn [, { after = seconds, at = epochSeconds }]) | the operation. A function \#
        becomes a BlockOperation. With after or at, it becomes ready at that moment at the earliest | misuse: it \#
        is in a queue, executes, has finished, or is a gate; argument: it needs an unknown resource, or more than \#
        the total
        C | queue:addOperations({ … } [, wait]) | waits: nothing. If one operation is refused, none is added. \#
        With true, the call waits for all of them | those of addOperation; misuse: an operation is twice in the \#
        list
        C | queue:addBarrierBlock(op or fn) | the operation. It runs after all operations that were added before, \#
        and before all that are added after, also on an empty or suspended queue | those of addOperation
        C | queue:cancelAllOperations() | nothing |
        C | queue:waitUntilAllOperationsAreFinished([timeout]) | waits: true, or false if the timeout expired. It \#
        also waits for barriers and for operations that are added meanwhile |
        C | queue:observe(key [, options], fn) | an observation | argument: a key that cannot be observed
        C | queue:map(list or iterator, fn [, { limit }]) | waits: the results in the order of the list (many \#
        items) | when all have ended: the error of the first failed item, by its place in the list
        C | OperationQueue.defaultMaxConcurrentOperationCount | -1: no limit |
        C | OperationQueue.main | the queue whose operations run on the script thread, one at a time; also its \#
        Swift closures. It has the methods of a DispatchQueue as well |
        C | OperationQueue.default | the queue, without a width, to which await and async add operations |
        C | OperationQueue.current | inside a Lua body: its queue, even after waits. In the main chunk and in \#
        timer blocks: main. In completion blocks: nil |
        P | name | at any time | a string | for messages. Default "queue"
        P | maxConcurrentOperationCount | at any time | a whole number from -1 | the width: how many operations \#
        may execute at once. -1 (default): no limit. 0: none starts. misuse for the main queue
        P | isSuspended | at any time | a boolean | if true, no operation starts; operations that execute \#
        continue. misuse for the main queue
        P | operations | no | | the unfinished operations in the order of addition
        P | operationCount | no | | how many unfinished operations there are
        P | progress | no | | its Progress; the same object each time
        P | failFast | at any time | a boolean | if true, the first failure without allowsFailure cancels the \#
        operations that have not started
        P | startsLongestFirst | at any time | a boolean | if true, ready operations of the same priority start \#
        longest first. Default: false, and true with --longest-first. It applies to operations that are added \#
        later. misuse for the main queue
        P | rate | at any time | a table with a number of starts and options of a rate, or nil | how many \#
        operations may start in a time, { 10, per = 1, key = fn }; nil (default): any number (rates). misuse \#
        while operations are in the queue
        P | widthPerKey | at any time | a whole number from 1, or nil: of a queue whose rate has a key | how many \#
        operations of one key of the rate execute at once; nil (default): any number (rates). misuse without a \#
        key, and while operations are in the queue
        P | qualityOfService | at any time | one of "background", "utility", "default", "userInitiated", \#
        "userInteractive" | the class of worker for Swift closures that have none of their own; it applies to \#
        operations that are added later
        P | userInfo | at any time | any value | any value of yours
        # Timer
        C | Timer(options) | a timer that is not scheduled | argument: not exactly one action
        C | Timer.scheduledTimer(interval, repeats, block) | a scheduled timer. It also takes one table of \#
        options | argument: not exactly one action
        C | Timer.cron(fields, fn) | a timer that fires by the calendar (cron) | argument: names the wrong field
        C | timer:fire() | waits: nothing. Runs the action before it returns. It keeps the schedule of a \#
        repeating timer, ends a one-shot timer, and does nothing on an invalid timer | the error of the action
        C | timer:invalidate() | nothing. It takes effect at once and permanently, also from the timer's own \#
        block. It releases block, target and userInfo |
        C | timer:schedule() | the timer, scheduled from now on. If it is scheduled already, nothing changes | \#
        misuse: it was invalidated
        P | interval | until it ends | a number (not NaN) | seconds. 0 or less: 0.1 ms for a repeating timer, \#
        otherwise the next turn. A change applies from the fire after the next one on
        P | timeInterval | until it ends | a number (not NaN) | the same as interval
        P | repeats | until it ends | a boolean | default false
        P | tolerance | until it ends | a number from 0 (not NaN) | stored, and not used: timers fire when they \#
        are due
        P | userInfo | at any time | any value | any value of yours, until the timer is invalidated
        P | fireDate | until it ends | a number (not NaN) | the next fire in seconds since 1970. Before schedule: \#
        the value that was set, or nil. After the end: nil. The grid starts at a new value
        P | isValid | no | | false once it was invalidated or has fired its only time
        P | fireCount | no | | how many times it has fired
        P | missedCount | no | | how many fires were skipped
        P | keepsAlive | until it ends | a boolean | default true: the run does not end while the timer is \#
        scheduled
        P | overlaps | until it ends | a boolean | if true, the timer also fires while its last operation or \#
        block has not ended. Otherwise such a fire is skipped and counted
        """#
}
