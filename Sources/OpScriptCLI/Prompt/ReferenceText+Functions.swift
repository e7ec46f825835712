extension ReferenceText {
    /// Rows of docs/manual/reference.md, which ReferenceTextTests writes.
    static let functions = #"""
        # Thread
        C | Thread(options) | a thread that is not started. The options are work = "NAME" or isolate = fn, args = \#
        { … }, and the properties below | argument: not exactly one body; arguments that do not fit; an operation \#
        as an argument (a thread waits for none: pass the result); misuse: no such work
        C | Thread.detach(body, args…) | a thread that is started | those of Thread; for a bare function, the \#
        error names isolate
        C | thread:start() | the thread | misuse: a second time; host: the system gives no thread
        C | thread:join([timeout]) | waits: true, or false if the timeout expired. It does not raise the thread's \#
        error | misuse: not started, or the main thread
        C | thread:cancel() | nothing. An isolate is stopped; a Swift closure can see it. Before the start: the \#
        body never runs. After the end: no effect | misuse: the main thread
        C | thread:results() | everything that the body returned |
        C | Thread.main | the script thread |
        C | Thread.current | Thread.main in all Lua code of a script. Inside the isolate of a thread: a table \#
        with that thread's name, number and isMainThread |
        P | name | until it starts | a string | default: the name of the work, or thread and its number. The \#
        system keeps the first 15 bytes
        P | number | no | | 1 for the main thread; the others in the order of creation
        P | stackSize | until it starts | a whole number from 16384 to 1073741824: a multiple of 4096 | bytes; \#
        nil for the system's usual size. A thread gets at least 8 MiB, which deep calls and deeply nested values \#
        need
        P | qualityOfService | until it starts | one of "background", "utility", "default", "userInitiated", \#
        "userInteractive" | the niceness of the thread, as for an operation
        P | threadPriority | until it starts | a number from 0 to 1 | the niceness of the thread, as for an \#
        operation
        P | allowsFailure | until it finishes | a boolean | if true, a failure of the thread does not make the \#
        run fail
        P | isMainThread | no | | true for Thread.main
        P | isExecuting | no | | whether the body runs
        P | isFinished | no | | whether the body has ended
        P | isCancelled | no | | whether cancel was called
        P | result | no | | what the body returned, once it has finished
        P | error | no | | why the body failed, once it has finished
        # Progress
        C | Progress([total]) | a progress of your own. Without a total, or with 0, its fraction is 0 |
        C | progress:cancel() | nothing. Cancels its children too, and the operations that feed it and them |
        C | progress:addChild(child, units) | nothing. The child represents this many units; when it is done, \#
        they are completed | cycle; misuse: the child has a parent, or an operation feeds the parent, or there \#
        would be more than 100 levels
        C | progress:observe(key [, options], fn) | an observation | argument: a key that cannot be observed
        P | fractionCompleted | no | | 0 to 1, with the shares of children. It never exceeds 1 and never falls
        P | completedUnitCount | at any time | a whole number from 0 | completed units. A smaller number is \#
        ignored. misuse if an operation or a queue feeds the progress
        P | totalUnitCount | at any time | a whole number from 0 | all units. misuse if an operation or a queue \#
        feeds the progress
        P | localizedDescription | at any time | a string, or nil | the text that you set, otherwise that of the \#
        Swift closure, otherwise "30% completed"; shown with the progress of a run
        P | isCancelled | no | | whether cancel was called
        # Observations
        C | Observation:invalidate() | nothing. No further change is delivered, and the function is released |
        # Functions
        C | await(op) | waits: the results of the operation | its error
        C | pawait(op) | waits: true and the results, or false and the error | none of the operation's
        C | sleep(seconds) | waits: nothing. 0 or less: at the next turn, after everything that is pending |
        C | shield(fn, args…) | waits: the results of fn. A cancellation does not interrupt the waits inside it | \#
        the error of fn
        C | async(fn, args…) | an operation of OperationQueue.default that runs fn(args…) |
        C | frame() | a gate that ends when the host polls its engine next (frames) | misuse: the engine runs \#
        scripts by itself
        C | isolate(fn) | a callable value; each call makes an operation that runs fn in its own Lua state \#
        (isolates) | argument: a native function; a captured value that cannot be copied, by its name
        C | secret(value) | the value, which no text of OpScript shows from now on (secrets) | argument: less \#
        than 4 bytes beside white space; limit: more than 1000 values
        C | await.all({ … }) | waits: an array with the first result of each | when all have ended: the first \#
        error by its place in the list
        C | await.any({ … }) | waits: the operation that finished first, with any outcome, and its index; the \#
        others continue | argument: an empty list
        C | await.settled({ … }) | waits: the operations, once all have ended | none of theirs
        C | arguments(declarations) | a table with the values of the script's arguments. Wrong words end the run \#
        with status 2, --help with 0 | argument: a wrong declaration; misuse: it was called before in this run
        C | task(name, help, fn) | the operation of a task, which calls fn(options) if the words name it | \#
        misuse: the name is taken; the main chunk has returned
        C | clock.now() | seconds on a clock that never goes back: for durations |
        C | clock.date() | seconds since 1970 |
        C | clock.advance(seconds) | waits: nothing, when everything has happened that was due until then | \#
        misuse: on the real clock
        C | clock.run() | waits: nothing, when nothing is due any more | misuse: on the real clock
        C | json.decode(text) | the value; null becomes json.null | failed: the line, the column and the reason
        C | json.encode(value [, { pretty = true }]) | the text; with pretty, one element per line | failed: a \#
        number that JSON does not have; argument: a value that JSON does not have
        C | opscript.memory() | { lua, native, total } in bytes (memory) |
        C | opscript.limits() | a table of limits, each with used and, if there is a limit, limit (limits) |
        C | work.describe(name) | { name, summary, parameters, isAsynchronous }, or nil for an unknown name. A \#
        parameter is { name, type }. An asynchronous work holds no thread while it waits |
        C | os.exit([code] [, close]) | does not return: ends the run at once with this status (exit status). \#
        Close variables, and in the command finalizers, run only if close is true |
        C | require(name) | waits: what the module returned, or true; the same value each time. require \#
        "opscript" gives all types and functions of this manual | the error of the module; failed: not found, \#
        with all places that were searched
        C | simulate(pattern, { duration, result, error } or fn or mode) | nothing. Says what the works do \#
        instead of running. simulate("slurm", { nodes, faults }) describes the cluster in memory | misuse: on the \#
        real clock, and for a cluster in use
        C | fail(pattern [, { probability, error }]) | nothing. The works fail, all or with a probability | \#
        misuse: on the real clock
        C | delay(pattern, seconds or { least, most }) | nothing. The works take longer | misuse: on the real \#
        clock
        C | hold(pattern) | nothing. The works execute, but their bodies do not begin until release | misuse: on \#
        the real clock
        C | release(pattern) | nothing | misuse: on the real clock
        C | cancelAt(step) | nothing. Cancels the run at a step of its schedule | misuse: on the real clock
        # Data
        C | Data:sub(i [, j]) | the bytes from i to j as a string; like string.sub, also from the end |
        C | Data:string() | all bytes as a string |
        """#
}
