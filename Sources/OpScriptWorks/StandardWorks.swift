public import OpScript

extension ScriptEngine {
    /// Registers all works that the shell command brings along.
    public func registerStandardWorks() {
        registerFileWorks()
        registerDigestWorks()
        registerJSONWorks()
        registerImageWorks()
        registerComputeWorks()
        registerProcessWorks()
    }
}
