internal import OpScript

/// The texts of `help` at the prompt.
enum PromptHelp {
    /// The text for a topic that the library asks for; nil if there is none. A question mark in front of a name asks for
    /// the text that there is none.
    static func answer(_ value: ScriptValue, _ works: [WorkDescription]) -> ScriptValue {
        guard case .string(let bytes) = value else { return .nil }
        let topic = String(decoding: bytes, as: UTF8.self)
        if topic.hasPrefix("?") { return .text("there is no help for '\(topic.dropFirst())'") }
        return .nil
    }
}
