internal import Scheduling

/// The kinds of values that calls, options and properties take, as data.
///
/// An argument is looked up by its call and its name, `"Gate name"`, and then by its name alone; a property and an
/// option likewise.
enum ScriptContract {
    static let arguments: [String: ScriptKind] = [
        // Names that mean the same in most calls.
        "timeout": ScriptKind(.number(.any)),
        "fn": ScriptKind(.function),
        "fn or options": ScriptKind(.function, .options("operation-options", mayBeEmpty: false)),
        "op or fn": ScriptKind(.object(.operation), .function),
        "op": ScriptKind(.object(.operation)),
        "other": ScriptKind(.object(.operation)),
        "when": ScriptKind(.oneOf(DependencyCondition.allCases.map(\.name))),
        "key": ScriptKind(.key),
        "options": ScriptKind(.list("\"initial\" and \"prior\"", mayBeEmpty: false)),
        "results…": ScriptKind(.anything),
        "args…": ScriptKind(.anything),
        "error": ScriptKind(.anything),
        "value": ScriptKind(.anything),
        "wait": ScriptKind(.boolean),
        "name": ScriptKind(.string),
        "total": ScriptKind(.wholeNumber(0 ... .max)),
        "n": ScriptKind(.wholeNumber(0 ... .max)),
        "seconds": ScriptKind(.number(.any)),
        "queue": ScriptKind(.object(.dispatchQueue), .object(.operationQueue)),
        "qos": dispatchQuality,
        "{ deadline, repeating, leeway }": ScriptKind(.options("ticks")),
        // Operations and queues.
        "Operation:observe key": observableKey,
        "OperationQueue:observe key": observableKey,
        "Progress:observe key": observableKey,
        "Operation:addExecutionBlock body": ScriptKind(.function, .object(.operation)),
        "stream": ScriptKind(.oneOf(["output", "error"])),
        "Operation:signal name": ScriptKind(
            .name("the name of a signal"),
            .wholeNumber(1...64),
            where: "without 32 and 33"
        ),
        "BlockOperation body": ScriptKind(.function, .object(.operation)),
        "BlockOperation …": ScriptKind(.function, .object(.operation)),
        "target": ScriptKind(.anyTable, .object(.object), where: "with the method"),
        "method": ScriptKind(.name("the name of a method of the target")),
        "{ ops…, name, maxConcurrentOperationCount, … }": ScriptKind(.options("group-options")),
        "type": ScriptKind(.object(.class)),
        "OperationQueue options": ScriptKind(.options("queue-options")),
        "OperationQueue.named name": ScriptKind(.name("the name of a queue of the host")),
        "{ after = seconds, at = epochSeconds }": ScriptKind(.options("addition-options")),
        "OperationQueue:addOperations { … }": ScriptKind(.list("operations and functions")),
        "{ … }": ScriptKind(.list("operations")),
        "await.any { … }": ScriptKind(.list("operations", mayBeEmpty: false)),
        "DispatchSource.timer { deadline, repeating, leeway }": ScriptKind(.options("timer-source-options")),
        // Dispatch.
        "label or options": ScriptKind(.string, .options("dispatch-queue-options")),
        "body": ScriptKind(
            .function,
            .object(.operation),
            .object(.workItem),
            .options("body-options", mayBeEmpty: false)
        ),
        "DispatchWorkItem body": ScriptKind(
            .function,
            .object(.operation),
            .options("work-item-options", mayBeEmpty: false)
        ),
        "DispatchGroup:notify queue": ScriptKind(.object(.dispatchQueue)),
        "DispatchGroup:notify body": notification,
        "DispatchWorkItem:notify queue": ScriptKind(.object(.dispatchQueue)),
        "DispatchWorkItem:notify body": notification,
        "DispatchQueue:asyncAfter seconds": ScriptKind(.number(.finite), .optionsAlone("body-options")),
        "other or nil": ScriptKind(.object(.dispatchQueue), .nil),
        "DispatchQueue:setFinalizer fn": ScriptKind(.function, .nil),
        "DispatchGroup:setFinalizer fn": ScriptKind(.function, .nil),
        "DispatchSemaphore:setFinalizer fn": ScriptKind(.function, .nil),
        "DispatchSource:setFinalizer fn": ScriptKind(.function, .nil),
        // Timers and sources.
        "Timer options": ScriptKind(.options("timer-options", mayBeEmpty: false)),
        "interval": ScriptKind(.number(.any), .optionsAlone("timer-options")),
        "repeats": ScriptKind(.boolean),
        "block": ScriptKind(.function),
        "fields": ScriptKind(.name("the five fields of a cron schedule")),
        "DispatchSource:setEventHandler fn": ScriptKind(.callable, .nil),
        "DispatchSource:setRegistrationHandler fn": ScriptKind(.callable, .nil),
        "DispatchSource:setCancelHandler fn": ScriptKind(.callable, .nil),
        "DispatchSource.signal name": ScriptKind(
            .name("the name of a signal"),
            .wholeNumber(1...64),
            where: "of one that can be caught"
        ),
        "DispatchSource …": ScriptKind(
            .anything,
            where: "but the call refuses all; its functions make sources"
        ),
        "fd": ScriptKind(
            .wholeNumber(0...Int(Int32.max)),
            .object(.file),
            where: "of a descriptor that is open for this"
        ),
        "path": ScriptKind(.name("the path of a file or a folder")),
        "events": ScriptKind(
            .name("the name of an event"),
            .list("names of events", mayBeEmpty: false)
        ),
        "pid": ScriptKind(.wholeNumber(.min ... .max), where: "of a process"),
        "{ \"exit\" }": ScriptKind(
            .oneOf(["exit"]),
            .list("\"exit\"", mayBeEmpty: false),
            .object(.dispatchQueue),
            .object(.operationQueue)
        ),
        // Progress and threads.
        "Progress total": ScriptKind(.wholeNumber(0 ... .max)),
        "child": ScriptKind(.object(.progress)),
        "units": ScriptKind(.wholeNumber(1 ... .max)),
        "Thread options": ScriptKind(.options("thread-options", mayBeEmpty: false)),
        "Thread.detach body": ScriptKind(.name("the name of a work"), .object(.isolate)),
        "Thread.detach args…": ScriptKind(.anything, where: "what the work takes, or can be copied"),
        // Functions that belong to no type.
        "async fn": ScriptKind(.callable),
        "shield fn": ScriptKind(.callable),
        "secret value": ScriptKind(
            .string,
            where: "of \(SecretTable.leastBytes) to \(SecretTable.mostBytes) bytes beside white space"
        ),
        "declarations": ScriptKind(.anyTable, where: "of declarations; once in a run"),
        "task name": ScriptKind(.string, where: "a word that no other task has"),
        "help": ScriptKind(.string),
        "task fn": ScriptKind(.callable),
        "isolate fn": ScriptKind(
            .luaFunction,
            .object(.isolate),
            where: "all that it has captured can be copied"
        ),
        "clock.advance seconds": ScriptKind(.number(.from(0))),
        "text": ScriptKind(.string, .object(.data), where: "with JSON; other text is an error `failed`"),
        "json.encode value": ScriptKind(.anything, where: "JSON can express it"),
        "{ pretty = true }": ScriptKind(.options("json-options")),
        "i": ScriptKind(.wholeNumber(.min ... .max)),
        "j": ScriptKind(.wholeNumber(.min ... .max)),
        "code": ScriptKind(
            .wholeNumber(.min ... .max),
            .boolean,
            .string,
            where: "a string is such a number"
        ),
        "close": ScriptKind(.anything),
        // Functions that are written in Lua.
        "list or iterator": ScriptKind(.anyTable, .function, where: "a table is read by its numbers, from 1"),
        "OperationQueue:map fn": ScriptKind(.function, .object(.isolate)),
        "{ limit }": ScriptKind(.options("map-options")),
        "DispatchQueue.concurrentPerform body": ScriptKind(.function),
        "require name": ScriptKind(
            .string,
            .number(.any),
            where: "the name of a module; errors are strings, as in Lua"
        ),
        "pattern": ScriptKind(.name("the name of a work, or a pattern of names")),
        "{ duration, result, error } or fn or mode": ScriptKind(
            .options("model-options"),
            .function,
            .oneOf(["real", "instant", "registered"])
        ),
        "{ probability, error }": ScriptKind(.options("failure-options")),
        "seconds or { least, most }": ScriptKind(
            .number(.from(0)),
            .list("two such numbers", mayBeEmpty: false),
            where: "below 1e9, the least one first"
        ),
        "step": ScriptKind(.wholeNumber(1 ... .max), where: "not over yet"),
    ]

    static let properties: [String: ScriptKind] = [
        "name": ScriptKind(.string),
        "Operation.name": ScriptKind(.string).orNil,
        "userInfo": ScriptKind(.anything),
        "context": ScriptKind(.anything),
        "qualityOfService": quality,
        "Operation.qualityOfService": quality.orNil,
        "threadPriority": ScriptKind(.number(.within(0...1))),
        "allowsFailure": ScriptKind(.boolean),
        "Operation.allowsFailure": ScriptKind(.boolean).orNil,
        "queuePriority": ScriptKind(
            .oneOf(["veryLow", "low", "normal", "high", "veryHigh"]),
            .number(.finite)
        ),
        "completionBlock": ScriptKind(.function).orNil,
        "timeout": ScriptKind(.number(.above(0))).orNil,
        "retry": ScriptKind(.options("retry")).orNil,
        "output": ScriptKind(.oneOf(ProgramOutputMode.ofOperations.map(\.rawValue))).orNil,
        "cluster": ScriptKind(.anyTable, where: "options of a cluster").orNil,
        "resources": ScriptKind(.amounts).orNil,
        "inputs": ScriptKind(.list("paths and patterns")).orNil,
        "outputs": ScriptKind(.list("paths and patterns")).orNil,
        "depfile": ScriptKind(.string, where: "a path that is not empty, without a NUL and in UTF-8").orNil,
        "recording": ScriptKind(.oneOf(RecordingMode.allCases.map(\.rawValue))),
        "version": ScriptKind(.string).orNil,
        "cancelled": ScriptKind(.function).orNil,
        "maxConcurrentOperationCount": ScriptKind(.wholeNumber(-1 ... .max)),
        "isSuspended": ScriptKind(.boolean),
        "failFast": ScriptKind(.boolean),
        "startsLongestFirst": ScriptKind(.boolean),
        "rate": ScriptKind(.numberWithOptions("a number of starts", "rate")).orNil,
        "widthPerKey": ScriptKind(.wholeNumber(1 ... .max), where: "of a queue whose rate has a key").orNil,
        "interval": ScriptKind(.number(.any)),
        "timeInterval": ScriptKind(.number(.any)),
        "repeats": ScriptKind(.boolean),
        "tolerance": ScriptKind(.number(.from(0))),
        "fireDate": ScriptKind(.number(.any)),
        "keepsAlive": ScriptKind(.boolean),
        "overlaps": ScriptKind(.boolean),
        "completedUnitCount": ScriptKind(.wholeNumber(0 ... .max)),
        "totalUnitCount": ScriptKind(.wholeNumber(0 ... .max)),
        "localizedDescription": ScriptKind(.string).orNil,
        "stackSize": ScriptKind(
            .wholeNumber(ScriptedThread.leastStackSize...ScriptedThread.mostStackSize),
            where: "a multiple of \(ScriptedThread.page)"
        ),
        "target": ScriptKind(.object(.dispatchQueue)).orNil,
    ]

    private static let observableKey = ScriptKind(.name("the name of an observable property, or \"*\""))
    private static let notification = ScriptKind(.function, .object(.operation), .object(.workItem))
    private static let quality = ScriptKind(.oneOf(OperationQualityOfService.allCases.map(qualityName)))
    static let dispatchQuality = ScriptKind(
        .oneOf(OperationQualityOfService.allCases.map(qualityName) + ["high", "low", "unspecified"])
    )
}
