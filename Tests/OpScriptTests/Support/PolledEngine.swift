import OpScript

extension ScriptEngine {
    /// An engine that the test polls.
    static func polled(_ set: (inout Configuration) -> Void = { _ in }) -> ScriptEngine {
        var configuration = Configuration()
        configuration.scriptExecutor = .manual
        set(&configuration)
        return ScriptEngine(configuration)
    }
}
