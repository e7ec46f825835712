internal import CTexts
internal import OpScript

/// The Lua code of the prompt: it runs lines, shows values, and finds the names that a line can use.
enum PromptCode {
    /// The library; `answer` gives the texts of `help`.
    static func library(answer: @escaping @Sendable (ScriptValue) -> ScriptValue) -> PromptLibrary {
        PromptLibrary(name: "[opscript prompt]", source: String(cString: text_prompt()), answer: answer)
    }
}
