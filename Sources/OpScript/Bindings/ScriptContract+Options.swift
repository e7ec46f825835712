extension ScriptContract {
    /// An option in a table.
    typealias Option = (name: String, kind: ScriptKind)

    /// The tables of options: a title, the type whose settable properties are options too, and the other options.
    static let options: [String: (title: String, type: String?, own: [Option])] = [
        "operation-options": (
            "options of an operation", "Operation",
            [
                ("work", ScriptKind(.name("the name of a work"))),
                ("main", ScriptKind(.function)),
                ("start", ScriptKind(.function)),
                ("args", ScriptKind(.anyTable, where: "what the work takes")),
                ("dependencies", ScriptKind(.list("operations"))),
            ]
        ),
        "group-options": (
            "options of a group, with its operations", "Operation",
            [
                ("maxConcurrentOperationCount", ScriptKind(.wholeNumber(-1 ... .max))),
                ("dependencies", ScriptKind(.list("operations"))),
                ("retry", ScriptKind(.nil)),
                ("inputs", ScriptKind(.nil)),
                ("outputs", ScriptKind(.nil)),
                ("depfile", ScriptKind(.nil)),
                ("version", ScriptKind(.nil)),
            ]
        ),
        "queue-options": ("options of an operation queue", "OperationQueue", []),
        "addition-options": (
            "options of an addition", nil,
            [("after", ScriptKind(.number(.finiteFrom(0)))), ("at", ScriptKind(.number(.finite)))]
        ),
        "retry": (
            "options of a retry", nil,
            [
                ("attempts", ScriptKind(.wholeNumber(1 ... .max))),
                ("delay", ScriptKind(.number(.finiteFrom(0)))),
                ("backoff", ScriptKind(.oneOf(["constant", "linear", "exponential"]))),
                ("maximumDelay", ScriptKind(.number(.from(0)))),
                ("jitter", ScriptKind(.number(.within(0...1)))),
                ("when", ScriptKind(.function)),
            ]
        ),
        "rate": (
            "options of a rate", nil,
            [("per", ScriptKind(.number(.finiteAbove(0)))), ("key", ScriptKind(.function))]
        ),
        "map-options": ("options of map", nil, [("limit", ScriptKind(.wholeNumber(1 ... .max)))]),
        "model-options": (
            "options of a simulated work", nil,
            [
                ("duration", ScriptKind(.number(.from(0)))),
                ("result", ScriptKind(.anything)),
                ("error", ScriptKind(.anything)),
                (
                    "mode",
                    ScriptKind(
                        .oneOf(["real", "instant", "registered", "modelled"]),
                        where: "beside no other option, but for \"modelled\""
                    )
                ),
            ]
        ),
        "failure-options": (
            "options of a failure", nil,
            [("probability", ScriptKind(.number(.within(0...1)))), ("error", ScriptKind(.anything))]
        ),
        "dispatch-queue-options": (
            "options of a dispatch queue", nil,
            [
                ("label", ScriptKind(.string)),
                ("attributes", ScriptKind(.oneOf(["concurrent"]), .list("\"concurrent\""))),
                ("qos", dispatchQuality),
                ("target", ScriptKind(.object(.dispatchQueue))),
            ]
        ),
        "body-options": (
            "options of a body, with it", nil,
            [
                ("flags", ScriptKind(.oneOf(["barrier"]))),
                ("qos", dispatchQuality),
                ("group", ScriptKind(.object(.group))),
            ]
        ),
        "work-item-options": (
            "options of a work item, with its body", nil,
            [("flags", ScriptKind(.oneOf(["barrier"]))), ("qos", dispatchQuality)]
        ),
        "timer-options": (
            "options of a timer", "Timer",
            [
                ("block", ScriptKind(.function)),
                ("target", ScriptKind(.anyTable, .object(.object), where: "an object with the selector")),
                ("selector", ScriptKind(.name("the name of a method of the target"))),
                (
                    "invocation",
                    ScriptKind(.list("a target, the name of its method, and arguments", mayBeEmpty: false))
                ),
                (
                    "operation",
                    ScriptKind(.function, .anyTable, where: "options of Operation, with a work")
                ),
                ("queue", ScriptKind(.object(.operationQueue))),
            ]
        ),
        "ticks": ("ticks", nil, ticks),
        "timer-source-options": (
            "options of a timer source", nil,
            ticks + [("queue", ScriptKind(.object(.dispatchQueue), .object(.operationQueue)))]
        ),
        "thread-options": (
            "options of a thread", "Thread",
            [
                ("work", ScriptKind(.name("the name of a work"))),
                ("isolate", ScriptKind(.luaFunction, .object(.isolate))),
                ("args", ScriptKind(.anyTable, where: "what the work takes, or can be copied")),
            ]
        ),
        "json-options": ("options of json.encode", nil, [("pretty", ScriptKind(.boolean))]),
    ]

    private static let ticks: [Option] = [
        ("deadline", ScriptKind(.number(.any))),
        ("repeating", ScriptKind(.number(.above(0)))),
        ("leeway", ScriptKind(.number(.from(0)))),
    ]

    /// A link to the part of docs/contract.md with the options.
    static func link(toOptions key: String) -> String {
        let title = options[key]?.title ?? key
        let anchor = title.replacing(" ", with: "-").filter { $0.isLetter || $0 == "-" }
        return "[\(title)](#\(anchor.lowercased()))"
    }

    /// All options of a table, including the properties of the object that the call creates.
    static func allOptions(_ key: String) -> [Option] {
        guard let table = options[key] else { return [] }
        let type = ScriptType.all.first { $0.name == table.type }
        let properties = type.map { type in
            type.settableNames.compactMap { name in
                table.own.contains { $0.name == name }
                    ? nil : kind(ofProperty: name, of: type.name).map { (name, $0) }
            }
        }
        return table.own + (properties ?? [])
    }

    /// The kind of values that a property can be set to; nil if the contract does not say.
    static func kind(ofProperty name: String, of type: String) -> ScriptKind? {
        properties["\(type).\(name)"] ?? properties[name]
    }
}
