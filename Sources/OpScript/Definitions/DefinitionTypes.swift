/// The types of results and properties, in the notation of the Lua language server: what the contract does not hold as
/// data.
enum DefinitionTypes {
    /// The results of calls; the empty text for nothing. Constructors return their type.
    static let results: [String: String] = [
        "Operation.subclass": "Operation",
        "Operation:addDependency": "", "Operation:removeDependency": "", "Operation:cancel": "",
        "Operation:start": "",
        "Operation:waitUntilFinished": "boolean", "Operation:observe": "Observation", "Operation:finish": "",
        "Operation:fail": "", "Operation:results": "any ...", "Operation:lines": "fun(): string?",
        "Operation:signal": "boolean", "Operation:describe": "table", "Operation:addExecutionBlock": "",
        "Operation:addOperation": "Operation",
        "OperationQueue.setResource": "", "OperationQueue.named": "OperationQueue",
        "OperationQueue:addOperation": "Operation", "OperationQueue:addOperations": "",
        "OperationQueue:addBarrierBlock": "Operation", "OperationQueue:cancelAllOperations": "",
        "OperationQueue:waitUntilAllOperationsAreFinished": "boolean",
        "OperationQueue:observe": "Observation",
        "OperationQueue:map": "any[]",
        "Timer.scheduledTimer": "Timer", "Timer.cron": "Timer", "Timer:fire": "", "Timer:invalidate": "",
        "Timer:schedule": "Timer",
        "DispatchQueue.global": "DispatchQueue", "DispatchQueue.getSpecific": "any",
        "DispatchQueue:async": "Operation",
        "DispatchQueue:sync": "any ...", "DispatchQueue:asyncAfter": "Operation", "DispatchQueue:suspend": "",
        "DispatchQueue:resume": "", "DispatchQueue:setSpecific": "", "DispatchQueue:getSpecific": "any",
        "DispatchQueue:setTarget": "", "DispatchQueue:setFinalizer": "",
        "DispatchQueue.concurrentPerform": "",
        "DispatchGroup:enter": "", "DispatchGroup:leave": "", "DispatchGroup:notify": "",
        "DispatchGroup:wait": "boolean",
        "DispatchGroup:setFinalizer": "",
        "DispatchSemaphore:wait": "boolean", "DispatchSemaphore:signal": "boolean",
        "DispatchSemaphore:setFinalizer": "",
        "DispatchWorkItem:perform": "any ...", "DispatchWorkItem:wait": "boolean",
        "DispatchWorkItem:notify": "",
        "DispatchWorkItem:cancel": "",
        "DispatchSource.timer": "DispatchSource", "DispatchSource.signal": "DispatchSource",
        "DispatchSource.read": "DispatchSource", "DispatchSource.write": "DispatchSource",
        "DispatchSource.fileSystem": "DispatchSource", "DispatchSource.process": "DispatchSource",
        "DispatchSource.userDataAdd": "DispatchSource", "DispatchSource.userDataOr": "DispatchSource",
        "DispatchSource.userDataReplace": "DispatchSource",
        "DispatchSource:setEventHandler": "", "DispatchSource:setRegistrationHandler": "",
        "DispatchSource:setCancelHandler": "", "DispatchSource:activate": "", "DispatchSource:resume": "",
        "DispatchSource:suspend": "", "DispatchSource:cancel": "", "DispatchSource:mergeData": "",
        "DispatchSource:setTimer": "", "DispatchSource:setFinalizer": "",
        "Thread.detach": "Thread", "Thread:start": "Thread", "Thread:join": "boolean", "Thread:cancel": "",
        "Thread:results": "any ...",
        "Progress:cancel": "", "Progress:addChild": "", "Progress:observe": "Observation",
        "Observation:invalidate": "",
        "await": "any ...", "pawait": "boolean, any ...", "sleep": "", "shield": "any ...",
        "async": "Operation",
        "frame": "Operation", "isolate": "fun(...): Operation", "secret": "string", "arguments": "table",
        "task": "Operation", "await.all": "any[]", "await.any": "Operation, integer",
        "await.settled": "Operation[]",
        "clock.now": "number", "clock.date": "number", "clock.advance": "", "clock.run": "",
        "json.decode": "any", "json.encode": "string", "opscript.memory": "table", "opscript.limits": "table",
        "work.describe": "table?", "Data:sub": "string", "Data:string": "string",
        "simulate": "", "fail": "", "delay": "", "hold": "", "release": "", "cancelAt": "",
    ]

    /// Calls that the definitions of Lua itself have.
    static let ofLua: Set<String> = ["os.exit", "require"]

    /// Properties that cannot be set. Names of truths (`isReady`) are booleans.
    static let properties: [String: String] = [
        "dependencies": "Operation[]", "state": "\"pending\"|\"ready\"|\"executing\"|\"finished\"",
        "outcome": "\"succeeded\"|\"failed\"|\"cancelled\"|\"skipped\"|nil", "traceback": "string?",
        "createdAt": "string", "queue": "OperationQueue|DispatchQueue|nil", "progress": "Progress",
        "pid": "integer?",
        "usage": "table?", "attempt": "integer", "attempts": "table[]", "executionBlocks": "table?",
        "operations": "Operation[]", "operationCount": "integer", "fireCount": "integer",
        "missedCount": "integer",
        "label": "string", "qos": "string", "mask": "string[]?", "number": "integer",
        "fractionCompleted": "number",
        "key": "string",
    ]

    /// Values in the tables of constructors.
    static let constants: [String: String] = [
        "OperationQueue.main": "OperationQueue", "OperationQueue.default": "OperationQueue",
        "OperationQueue.current": "OperationQueue?",
        "OperationQueue.defaultMaxConcurrentOperationCount": "integer",
        "DispatchQueue.main": "DispatchQueue", "DispatchQueue.current": "DispatchQueue?",
        "Thread.main": "Thread",
        "Thread.current": "Thread",
    ]

    /// The type of a property.
    static func type(ofProperty name: String, of type: String) -> String {
        if let kind = ScriptContract.kind(ofProperty: name, of: type) {
            return DefinitionTypes.type(of: kind)
        }
        if let known = properties[name] { return known }
        return name.hasPrefix("is") && name.dropFirst(2).first?.isUppercase == true ? "boolean" : "any"
    }

    /// The type of the values that a kind allows.
    static func type(of kind: ScriptKind) -> String {
        let parts = kind.forms.map { text(of: $0) }
        if parts.contains("any") { return "any" }
        var unique: [String] = []
        for part in parts where !unique.contains(part) { unique.append(part) }
        return unique.joined(separator: "|")
    }

    private static func text(of form: ScriptKind.Form) -> String {
        switch form {
        case .anything, .key: "any"
        case .nil: "nil"
        case .boolean: "boolean"
        case .number: "number"
        case .wholeNumber: "integer"
        case .string, .name: "string"
        case .oneOf(let names): names.map { "\"\($0)\"" }.joined(separator: "|")
        case .function, .callable, .luaFunction: "function"
        case .object(let object): text(of: object)
        case .anyTable: "table"
        case .list(let elements, _): elements == "operations" ? "Operation[]" : "any[]"
        case .amounts: "table<string, integer>"
        case .options(let key, _), .numberWithOptions(_, let key), .optionsAlone(let key):
            className(ofOptions: key)
        }
    }

    private static func text(of object: ScriptKind.Object) -> String {
        switch object {
        case .operation: "Operation"
        case .workItem: "DispatchWorkItem"
        case .operationQueue: "OperationQueue"
        case .dispatchQueue: "DispatchQueue"
        case .group: "DispatchGroup"
        case .progress: "Progress"
        case .isolate: "function"
        case .data: "Data"
        case .file: "file*"
        case .class: "table"
        case .object: "userdata"
        }
    }

    /// The name of the class that stands for a table of options: `QueueOptions` for the key `queue-options`.
    static func className(ofOptions key: String) -> String {
        let words = key.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return words.joined() + (words.last == "Options" ? "" : "Options")
    }
}
