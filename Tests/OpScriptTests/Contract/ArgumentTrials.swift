@testable import OpScript

/// An argument of a call, an option, or a property that takes a value, with the Lua code that passes one.
struct ArgumentTrial {
    /// The name that an error has to contain.
    enum Place {
        /// The number of an argument, from 1, and the name of the function.
        case argument(Int, of: String)
        /// `bad value for 'name'`
        case value(String)
    }

    /// The trials with which it can share an engine.
    enum Isolation {
        case none
        /// Others of the same isolation.
        case together
        case each
    }

    let title: String
    let kind: ScriptKind
    let place: Place
    /// The Lua expression of the object.
    let object: String
    /// The Lua statement that uses `o`, the object, and `p`, the probe.
    let statement: String
    /// Whether nil is the same as no value.
    var isOption = false

    var isolation: Isolation {
        if title.hasPrefix("os.exit") { return .each }
        let isAboutVirtualTime = (Prelude.simulate.calls + Prelude.faults.calls).contains {
            title.hasPrefix($0.text)
        }
        return isAboutVirtualTime ? .together : .none
    }

    var script: String {
        "try([==[\(title)]==], function() return \(object) end, function(o, p) \(statement) end)"
    }

    static func all() throws -> [ArgumentTrial] {
        var trials: [ArgumentTrial] = []
        for call in ScriptCall.all {
            for (index, argument) in call.arguments.enumerated() {
                trials.append(try self.argument(index, of: call))
                guard let kind = call.kind(of: argument) else { continue }
                for form in kind.forms { trials += try options(form, index, of: call) }
            }
        }
        for type in ScriptType.all {
            for name in type.settableNames { trials += try property(name, of: type) }
        }
        return trials
    }

    // MARK: Arguments

    private static func argument(_ index: Int, of call: ScriptCall) throws -> ArgumentTrial {
        let arguments = call.arguments
        var values: [String] = []
        for (place, argument) in arguments.enumerated() {
            if place == index {
                values.append("p")
            } else if place < index {
                values.append(argument.isOptional ? "nil" : try valid(argument, of: call))
            } else if !argument.isOptional, !argument.isRepeated {
                values.append(try valid(argument, of: call))
            }
        }
        return ArgumentTrial(
            title: "\(call.text): \(arguments[index].name)",
            kind: try kind(arguments[index], of: call),
            place: .argument(index + 1, of: call.name),
            object: object(of: call),
            statement: statement(call, values)
        )
    }

    private static func statement(_ call: ScriptCall, _ values: [String]) -> String {
        let callee = call.path.split(separator: ":")
        let path = callee.count == 2 ? "o:\(callee[1])" : call.path
        if call.path == "DispatchQueue.concurrentPerform" {
            return "return inside(\(([path] + values).joined(separator: ", ")))"
        }
        return "return \(path)(\(values.joined(separator: ", ")))"
    }

    private static func kind(_ argument: ScriptArgument, of call: ScriptCall) throws -> ScriptKind {
        guard let kind = call.kind(of: argument) else {
            throw ScriptError(
                .misuse,
                "the contract does not say what '\(argument.name)' of \(call.text) takes"
            )
        }
        return kind
    }

    /// An expression for a value that the argument takes.
    private static func valid(_ argument: ScriptArgument, of call: ScriptCall) throws -> String {
        if let value = validValues["\(call.path) \(argument.name)"] { return value }
        for form in try kind(argument, of: call).forms {
            switch form {
            case .anything, .key, .string: return "'text'"
            case .nil: return "nil"
            case .boolean: return "true"
            case .number: return "1"
            case .wholeNumber(let range): return "\(max(range.lowerBound, 1))"
            case .oneOf(let names): return "'\(names[0])'"
            case .function, .callable, .luaFunction: return "nothing"
            case .object(let object):
                if let value = objects[object] { return value }
            case .list, .amounts, .anyTable: return "{}"
            case .name, .options, .numberWithOptions, .optionsAlone: continue
            }
        }
        throw ScriptError(.misuse, "there is no valid value for '\(argument.name)' of \(call.text)")
    }

    private static let objects: [ScriptKind.Object: String] = [
        .operation: "Operation(nothing)", .dispatchQueue: "DispatchQueue 'own'", .progress: "Progress(1)",
        .class: "Operation", .operationQueue: "OperationQueue()", .isolate: "isolate(nothing)",
    ]

    private static let validValues = [
        "Operation:observe key": "'isFinished'", "OperationQueue:observe key": "'operationCount'",
        "Progress:observe key": "'fractionCompleted'", "InvocationOperation target": "{ go = nothing }",
        "InvocationOperation method": "'go'", "Timer.cron fields": "'* * * * *'",
        "DispatchSource.signal name": "'SIGUSR1'", "Operation:signal name": "'HUP'",
        "DispatchSource.read fd": "io.popen 'true'",
        "DispatchSource.write fd": "io.tmpfile()", "DispatchSource.fileSystem path": "'/'",
        "DispatchSource.fileSystem events": "'write'", "DispatchSource.process pid": "1",
        "DispatchSource.timer { deadline, repeating, leeway }": "{ deadline = 1 }",
        "Timer.scheduledTimer interval": "1",
        // Bounds values that would never end: an endless iterator, an endless number of rounds.
        "OperationQueue:map fn": "leave", "DispatchQueue.concurrentPerform body": "leaveRound",
        "task name": "newName()", "simulate pattern": "'compute.primes'", "fail pattern": "'compute.primes'",
        "delay pattern": "'compute.primes'", "hold pattern": "'compute.primes'",
        "simulate { duration, result, error } or fn or mode": "{ result = 1 }",
    ]

    /// Objects of a type; of a call if that is not for all of them.
    private static func object(of call: ScriptCall) -> String {
        let type = call.path.split(separator: ":")
        return receivers[call.path] ?? (type.count == 2 ? receivers[String(type[0])] : nil) ?? "nil"
    }

    private static let receivers = [
        "Operation": "Operation(nothing)", "Operation:finish": "Gate()", "Operation:fail": "Gate()",
        "Operation:addExecutionBlock": "BlockOperation(nothing)",
        "Operation:lines": "work.compute.primes(10)", "Operation:signal": "work.compute.primes(10)",
        "Operation:addOperation": "GroupOperation {}",
        "OperationQueue": "OperationQueue()",
        "OperationQueue.widthPerKey": "OperationQueue { rate = { key = nothing } }",
        "Timer": "Timer { interval = 1, block = nothing }",
        "DispatchSource": "DispatchSource.userDataAdd()",
        "DispatchSource:setTimer": "DispatchSource.timer { deadline = 1 }", "Progress": "Progress(1)",
        "Thread": "Thread { isolate = nothing }", "Thread:join": "Thread.detach(isolate(nothing))",
        "DispatchQueue": "DispatchQueue 'own'", "DispatchGroup": "DispatchGroup()",
        "DispatchSemaphore": "DispatchSemaphore(1)", "DispatchWorkItem": "DispatchWorkItem(nothing)",
        "Data": "data",
    ]

    // MARK: Options

    /// The options in a table that is the argument.
    private static func options(_ form: ScriptKind.Form, _ index: Int, of call: ScriptCall) throws
        -> [ArgumentTrial]
    {
        var before: [String] = []
        var key = ""
        var isAlone = false
        switch form {
        case .options(let own, _):
            key = own
            before = try call.arguments[..<index].map { try valid($0, of: call) }
        case .optionsAlone(let own):
            key = own
            isAlone = true
        default: return []
        }
        return ScriptContract.allOptions(key).map { option in
            let base = isAlone && key == "body-options" ? "0, nothing" : base(option.name, key)
            let table = "{ \(base)\(base.isEmpty ? "" : ", ")[\"\(option.name)\"] = p }"
            return ArgumentTrial(
                title: "\(call.text)\(isAlone ? " alone" : "") { \(option.name) }",
                kind: option.kind,
                place: .value(option.name),
                object: object(of: call),
                statement: statement(call, before + [table]),
                isOption: true
            )
        }
    }

    /// The other options that the table needs.
    private static func base(_ option: String, _ key: String) -> String {
        switch (key, option) {
        case ("operation-options", "work"), ("operation-options", "main"), ("operation-options", "start"): ""
        case ("operation-options", "args"): "work = 'compute.primes'"
        case ("operation-options", _): "main = nothing"
        case ("timer-options", "operation"), ("timer-options", "invocation"), ("timer-options", "block"):
            "interval = 1"
        case ("timer-options", "queue"): "interval = 1, operation = nothing"
        case ("timer-options", "target"): "interval = 1, selector = 'go'"
        case ("timer-options", "selector"): "interval = 1, target = { go = nothing }"
        case ("timer-options", _): "interval = 1, block = nothing"
        case ("thread-options", "work"), ("thread-options", "isolate"): ""
        case ("thread-options", _): "isolate = nothing"
        case ("body-options", _), ("work-item-options", _): "nothing"
        case ("queue-options", "widthPerKey"): "rate = { key = nothing }"
        default: ""
        }
    }

    // MARK: Properties

    private static func property(_ name: String, of type: ScriptType) throws -> [ArgumentTrial] {
        guard let kind = ScriptContract.kind(ofProperty: name, of: type.name),
            let object = receivers["\(type.name).\(name)"] ?? receivers[type.name]
        else {
            throw ScriptError(.misuse, "the contract does not say what '\(name)' of \(type.name) takes")
        }
        let own = ArgumentTrial(
            title: "\(type.name).\(name)",
            kind: kind,
            place: .value(name),
            object: object,
            statement: "o.\(name) = p"
        )
        return [own]
            + kind.forms.flatMap { form -> [ArgumentTrial] in
                var number = ""
                let key: String
                switch form {
                case .options(let own, _): key = own
                case .numberWithOptions(_, let own): (number, key) = ("1, ", own)
                default: return []
                }
                return ScriptContract.allOptions(key).map { option in
                    ArgumentTrial(
                        title: "\(type.name).\(name) { \(option.name) }",
                        kind: option.kind,
                        place: .value(option.name),
                        object: object,
                        statement: "o.\(name) = { \(number)\(option.name) = p }",
                        isOption: true
                    )
                }
            }
    }
}
