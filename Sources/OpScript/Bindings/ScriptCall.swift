/// An argument of a call.
struct ScriptArgument: Sendable {
    /// As the manual writes it: `timeout`, `op or fn`, `{ deadline, repeating, leeway }`.
    let name: String
    /// Whether it can be left out, or be nil.
    let isOptional: Bool
    /// Whether it represents any number of values.
    var isRepeated: Bool { name.hasSuffix("…") }

    /// The arguments that a method takes, without its object.
    static func read(_ parameters: String) -> [ScriptArgument] {
        var arguments: [ScriptArgument] = []
        var (name, braces, brackets, isOptional) = ("", 0, 0, false)
        func end() {
            let text = name.split(separator: " ").joined(separator: " ")
            if !text.isEmpty { arguments.append(ScriptArgument(name: text, isOptional: isOptional)) }
            name = ""
        }
        for character in parameters {
            switch character {
            case "[" where braces == 0: brackets += 1
            case "]" where braces == 0: brackets -= 1
            case "," where braces == 0: end()
            default:
                if character == "{" { braces += 1 } else if character == "}" { braces -= 1 }
                name.append(character)
                if character != " " { isOptional = brackets > 0 }
            }
        }
        end()
        return arguments
    }
}

/// A call that scripts can make: a method, a constructor, or a function in a table or among the globals.
struct ScriptCall: Sendable {
    /// `OperationQueue:addOperation`, `Timer.cron`, `Timer`, `sleep`.
    let path: String
    /// The parameters as the manual writes them.
    let parameters: String

    init(_ path: String, _ parameters: String) {
        self.path = path
        self.parameters = parameters
    }

    /// The name of the function, without its table.
    var name: String { path.split { $0 == ":" || $0 == "." }.last.map(String.init) ?? path }

    var arguments: [ScriptArgument] { ScriptArgument.read(parameters) }

    /// The call as the manual writes it.
    var text: String { "\(path)(\(parameters))" }

    /// The kind of values that an argument takes if it is given; nil if the contract does not say.
    func requiredKind(of argument: ScriptArgument) -> ScriptKind? {
        ScriptContract.arguments["\(path) \(argument.name)"] ?? ScriptContract.arguments[argument.name]
    }

    /// The kind of values that an argument takes, including nil if it is optional.
    func kind(of argument: ScriptArgument) -> ScriptKind? {
        let kind = requiredKind(of: argument)
        guard let kind, argument.isOptional, !kind.forms.contains(.anything) else { return kind }
        return kind.forms.contains(.nil) ? kind : kind.orNil
    }

    /// All calls, in the order of the types; then the functions that belong to no type.
    static var all: [ScriptCall] {
        var all: [ScriptCall] = []
        func add(_ table: String, _ separator: String, _ methods: [ScriptMethod]) {
            all += methods.map { ScriptCall(table + separator + $0.name.description, $0.parameters) }
        }
        for type in ScriptType.all {
            for constructor in type.constructors {
                all.append(ScriptCall(constructor.name.description, constructor.parameters))
                add(constructor.name.description, ".", constructor.functions)
            }
            add(type.name, ":", type.methods)
        }
        add(
            "",
            "",
            [ScriptGlobals.await] + ScriptGlobals.functions + [
                IsolateBinding.function, SecretBinding.function,
            ]
        )
        add("", "", ArgumentsBinding.functions)
        add("await", ".", ScriptGlobals.awaitFunctions)
        add("clock", ".", ClockBinding.functions)
        add("json", ".", JSONBinding.functions)
        add("opscript", ".", [ScriptGlobals.memory, ScriptGlobals.limits])
        add("work", ".", [WorkBinding.describe])
        add("Data", ":", DataBinding.methods)
        add("Observation", ":", ObservationBinding.methods)
        add("os", ".", [ScriptGlobals.exit])
        return all + Prelude.allCases.flatMap(\.calls)
    }
}

extension ScriptType {
    /// The calls of its methods, those that are written in Lua included.
    var calls: [ScriptCall] {
        methods.map { ScriptCall("\(name):\($0.name)", $0.parameters) }
            + Prelude.allCases.flatMap(\.calls).filter { $0.path.hasPrefix(name + ":") }
    }
}
