internal import OpScript

/// A project's settings for loading its files.
package struct ScenarioProject: Sendable, Equatable {
    /// Templates in front of `package.path`.
    package var modulePath: String?
    /// Templates in front of `package.cpath`.
    package var nativePath: String?
    /// A file, or a module, that is loaded before each file of scenarios.
    package var helper: String?
    /// The arguments that it finds in `arg`.
    package var helperArguments: [String] = []
    /// Lua text that is executed before that.
    package var statements: [String] = []
    /// Whether `setup` and `teardown` are called only if a scenario of their group runs.
    package var isLazy = false

    /// The program that runs Lua files, which scenarios find in `arg[-1]`; nil for none.
    package var interpreter: String?
    /// The language of the texts of failures that code catches, by its name in `luassert.languages`.
    package var language = "en"

    /// Whether globals and loaded modules of a file stay for later files.
    package var sharesGlobals = false

    /// A project without settings.
    package init() {}

    func write(into order: inout ScriptTable) {
        if let modulePath { order["lpath"] = .text(modulePath) }
        if let nativePath { order["cpath"] = .text(nativePath) }
        if let helper { order["helper"] = .text(helper) }
        if let interpreter { order["interpreter"] = .text(interpreter) }
        order["language"] = .text(language)
        order["helperArguments"] = .array(helperArguments.map { .text($0) })
        order["statements"] = .array(statements.map { .text($0) })
        order["isLazy"] = .boolean(isLazy)
        order["isExposed"] = .boolean(sharesGlobals)
    }
}
