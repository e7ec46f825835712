public import OpScript

/// The options of `json.encode`.
struct JSONOptions: Codable {
    /// Whether to write one element per line.
    var pretty: Bool?
}

extension ScriptEngine {
    /// Registers `work.json`: decoding and encoding on a worker.
    public func registerJSONWorks() {
        register(
            "json.decode",
            "The value of a JSON text.",
            parameters: ["text"],
            onlyReads: true,
            onVirtualTime: .instant
        ) { (text: ScriptData) throws -> ScriptValue in
            try ScriptValue(json: text.bytes)
        }
        register(
            "json.encode",
            "A value as JSON text. Option: pretty.",
            parameters: ["value", "options"],
            onlyReads: true,
            onVirtualTime: .instant
        ) { (value: ScriptValue, options: JSONOptions?) throws -> [UInt8] in
            try value.json(pretty: options?.pretty ?? false)
        }
    }
}
