/// Definitions for the Lua language server: what scripts can use, as annotated Lua that is never run.
struct DefinitionText {
    /// The text about a call (`Operation:cancel`, `sleep`) or a property (`Operation.name`) of the contract; nil for
    /// none.
    let describe: (String) -> String?

    private(set) var lines: [String] = ["---@meta", ""]

    init(describe: @escaping (String) -> String?) { self.describe = describe }

    var text: String { lines.joined(separator: "\n") + "\n" }

    // MARK: The contract

    /// The types, calls and tables of options that every script has.
    mutating func addContract() {
        for (key, table) in ScriptContract.options.sorted(by: { $0.key < $1.key }) { addOptions(key, table) }
        for type in ScriptType.all { add(type) }
        for name in ["Data", "Observation"] { lines += ["---@class \(name)", "local \(name) = {}", ""] }
        for table in ["clock", "json", "opscript"] { lines += ["\(table) = {}", ""] }
        lines += [
            "---@class work", "work = {}", "", "---@class await", callOverload("await", "op"), "await = {}",
            "",
        ]
        let constructors = Set(ScriptType.all.flatMap { $0.constructors.map(\.name.description) })
        for call in ScriptCall.all
        where !DefinitionTypes.ofLua.contains(call.path) && !constructors.contains(call.path)
            && call.path != "await"
        {
            add(call, result: DefinitionTypes.results[call.path] ?? "any")
        }
    }

    private mutating func addOptions(
        _ key: String,
        _ table: (title: String, type: String?, own: [ScriptContract.Option])
    ) {
        lines.append("---\(table.title.prefix(1).uppercased() + table.title.dropFirst())")
        lines.append("---@class \(DefinitionTypes.className(ofOptions: key))")
        let type = ScriptType.all.first { $0.name == table.type }
        let own = Set(table.own.map(\.name))
        for name in type?.settableNames ?? [] where !own.contains(name) {
            addField(name + "?", DefinitionTypes.type(ofProperty: name, of: type?.name ?? ""), nil)
        }
        for option in table.own { addField(option.name + "?", DefinitionTypes.type(of: option.kind), nil) }
        lines += ["---@field [integer] any", ""]
    }

    private mutating func add(_ type: ScriptType) {
        lines.append("---@class \(type.name)")
        for member in type.members {
            addField(
                member.name,
                DefinitionTypes.type(ofProperty: member.name, of: type.name),
                describe("\(type.name).\(member.name)")
            )
        }
        let own = type.constructors.first { $0.name.description == type.name }
        if let own {
            for (name, _) in own.constants + own.lookups {
                let path = "\(type.name).\(name)"
                addField(name.description, DefinitionTypes.constants[path] ?? "any", describe(path))
            }
            lines.append(callOverload(type.name, own.parameters, returns: type.name))
        }
        lines += ["\(own == nil ? "local " : "")\(type.name) = {}", ""]
        for constructor in type.constructors where constructor.name.description != type.name {
            add(ScriptCall(constructor.name.description, constructor.parameters), result: type.name)
        }
    }

    private mutating func addField(_ name: String, _ type: String, _ details: String?) {
        lines.append("---@field \(name) \(type)" + (details.map { " \(Self.oneLine($0))" } ?? ""))
    }

    /// The line that makes a table callable.
    private func callOverload(_ path: String, _ parameters: String, returns result: String? = nil) -> String {
        let call = ScriptCall(path, parameters)
        let parts = call.arguments.map { argument in
            let name = Self.name(of: argument)
            return
                "\(name)\(argument.isOptional && name != "..." ? "?" : ""): \(Self.type(of: argument, call))"
        }
        let returned = result ?? DefinitionTypes.results[path] ?? "any"
        return
            "---@overload fun(\(parts.joined(separator: ", "))): \(returned == "any ..." ? "..." : returned)"
    }

    private mutating func add(_ call: ScriptCall, result: String) {
        if let details = describe(call.path) { addComment(details) }
        for argument in call.arguments {
            let name = Self.name(of: argument)
            let mark = argument.isOptional && name != "..." ? "?" : ""
            lines.append("---@param \(name)\(mark) \(Self.type(of: argument, call))")
        }
        if !result.isEmpty { lines.append("---@return \(result)") }
        addShortForm(of: call, result: result)
        lines += ["function \(call.path)(\(call.arguments.map(Self.name).joined(separator: ", "))) end", ""]
    }

    /// The form without the optional arguments that stand before a required one: `observe(key [, options], fn)`.
    private mutating func addShortForm(of call: ScriptCall, result: String) {
        let arguments = call.arguments
        guard let last = arguments.lastIndex(where: { !$0.isOptional }) else { return }
        let kept = arguments.indices.filter { $0 >= last || !arguments[$0].isOptional }.map { arguments[$0] }
        guard kept.count < arguments.count else { return }
        var parts = kept.map { "\(Self.name(of: $0)): \(Self.type(of: $0, call))" }
        if let colon = call.path.firstIndex(of: ":") { parts.insert("self: \(call.path[..<colon])", at: 0) }
        lines.append(
            "---@overload fun(\(parts.joined(separator: ", ")))" + (result.isEmpty ? "" : ": \(result)")
        )
    }

    /// A name for an argument: `op` for `op or fn`, `options` for a table in braces.
    private static func name(of argument: ScriptArgument) -> String {
        if argument.isRepeated { return "..." }
        if argument.name == "…" || argument.name.hasSuffix("…") { return "..." }
        if argument.name.hasPrefix("{") { return argument.name == "{ … }" ? "list" : "options" }
        return String(argument.name.prefix { $0.isLetter || $0.isNumber })
    }

    private static func type(of argument: ScriptArgument, _ call: ScriptCall) -> String {
        call.requiredKind(of: argument).map(DefinitionTypes.type) ?? "any"
    }

    // MARK: Works, functions and types of a host

    mutating func add(_ works: [WorkDescription]) {
        var tables: Set<String> = []
        // A name that is a word of Lua is written with brackets, which definitions cannot express.
        for work in works where work.name.split(separator: ".").allSatisfy({ Self.isName(String($0)) }) {
            let words = work.name.split(separator: ".")
            for count in stride(from: 1, to: words.count, by: 1) {
                let table = words.prefix(count).joined(separator: ".")
                if tables.insert(table).inserted { lines += ["work.\(table) = {}", ""] }
            }
            addComment(work.summary)
            addFunction(
                "work.\(work.name)",
                work.parameters,
                isVariadic: work.isVariadic,
                returns: "Operation"
            )
        }
    }

    mutating func add(_ function: RegisteredFunction) {
        let words = function.name.split(separator: ".")
        guard words.allSatisfy({ Self.isName(String($0)) }) else { return }
        for count in stride(from: 1, to: words.count, by: 1) {
            let table = words.prefix(count).joined(separator: ".")
            let line = "\(table) = \(table) or {}"
            if !lines.contains(line) { lines += [line, ""] }
        }
        addComment(function.summary)
        addFunction(function.name, function.function.parameters.map(Self.described), returns: "any")
    }

    mutating func add(_ type: ExposedType) {
        lines.append("---@class \(type.name)")
        let members = type.members.sorted { $0.key < $1.key }
        for case (let name, .property) in members { addField(name, "any", nil) }
        if let initializer = type.initializer {
            let parts = initializer.parameters.map {
                "\($0.name)\($0.isOptional ? "?" : ""): \(Self.luaType($0.type))"
            }
            lines.append("---@overload fun(\(parts.joined(separator: ", "))): \(type.name)")
        }
        let isGlobal = type.initializer != nil || !type.functions.isEmpty
        lines += ["\(isGlobal ? "" : "local ")\(type.name) = {}", ""]
        for (name, member) in members {
            switch member {
            case .property: break
            case .method(let method):
                addFunction("\(type.name):\(name)", method.parameters.map(Self.described), returns: "any")
            case .asyncMethod: addFunction("\(type.name):\(name)", [], isVariadic: true, returns: "any")
            }
        }
        for (name, function) in type.functions.sorted(by: { $0.key < $1.key }) {
            addFunction("\(type.name).\(name)", function.parameters.map(Self.described), returns: "any")
        }
    }

    private static func described(_ parameter: WorkDefinition.Parameter) -> WorkDescription.Parameter {
        WorkDescription.Parameter(
            name: parameter.name,
            type: parameter.type,
            isOptional: parameter.isOptional
        )
    }

    private mutating func addFunction(
        _ path: String,
        _ parameters: [WorkDescription.Parameter],
        isVariadic: Bool = false,
        returns result: String
    ) {
        var names: [String] = []
        for (place, parameter) in parameters.enumerated() {
            let name = Self.isName(parameter.name) ? parameter.name : "argument\(place + 1)"
            names.append(name)
            lines.append(
                "---@param \(name)\(parameter.isOptional ? "?" : "") \(Self.luaType(parameter.type))"
            )
        }
        if isVariadic {
            names.append("...")
            lines.append("---@param ... any")
        }
        lines += ["---@return \(result)", "function \(path)(\(names.joined(separator: ", "))) end", ""]
    }

    /// The words of Lua, which are no names.
    private static let keywords: Set<String> = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
        "local", "nil",
        "not", "or", "repeat", "return", "then", "true", "until", "while",
    ]

    private static func isName(_ text: String) -> Bool {
        guard let first = text.first, first.isLetter || first == "_", !keywords.contains(text) else {
            return false
        }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    /// The type of a parameter of a work, which is text for people, such as `string or Data` or `array of integer`. An
    /// operation stands for its result, so each parameter also takes one.
    private static func luaType(_ type: String) -> String {
        let parts = type.split(separator: " ")
        let simple: String? =
            switch type {
            case "boolean", "integer", "number", "string", "table", "function", "any": type
            case "string or Data": "string|Data"
            default: type.hasPrefix("array of ") || parts.first == "table" ? "table" : nil
            }
        return simple.map { $0 == "any" ? $0 : $0 + "|Operation" } ?? "any"
    }

    private mutating func addComment(_ text: String) {
        if !text.isEmpty { lines.append("---\(Self.oneLine(text))") }
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
