internal import OpScript

/// What a project says of how its files are loaded.
package struct ScenarioProject: Sendable, Equatable {
    /// Templates in front of `package.path`.
    package var modulePath: String?
    /// Templates in front of `package.cpath`.
    package var nativePath: String?
    /// A file, or a module, that is loaded before each file of scenarios.
    package var helper: String?
    /// What it finds in `arg`.
    package var helperArguments: [String] = []
    /// Lua text that is executed before that.
    package var statements: [String] = []
    /// Whether `setup` and `teardown` are called only where a scenario runs.
    package var isLazy = false

    /// Whether what a file leaves in globals and loaded modules stays.
    package var sharesGlobals = false

    /// A project that says nothing.
    package init() {}

    func write(into order: inout ScriptTable) {
        if let modulePath { order["lpath"] = .text(modulePath) }
        if let nativePath { order["cpath"] = .text(nativePath) }
        if let helper { order["helper"] = .text(helper) }
        order["helperArguments"] = .array(helperArguments.map { .text($0) })
        order["statements"] = .array(statements.map { .text($0) })
        order["isLazy"] = .boolean(isLazy)
        order["isExposed"] = .boolean(sharesGlobals)
    }
}
