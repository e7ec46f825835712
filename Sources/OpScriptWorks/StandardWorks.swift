public import OpScript

extension ScriptEngine {
    /// Registers all works that the shell command brings along; each group when a script first names it.
    public func registerStandardWorks() {
        registerGroup("file") { $0.registerFileWorks() }
        registerGroup("digest") { $0.registerDigestWorks() }
        registerGroup("json") { $0.registerJSONWorks() }
        registerGroup("image") { $0.registerImageWorks() }
        registerGroup("compute") { $0.registerComputeWorks() }
        registerGroup("process") { $0.registerProcessWorks() }
        registerGroup("http") { $0.registerHTTPWorks() }
        registerGroup("block") { $0.registerBlockWork() }
    }

    /// The description of `work.http.get`, with and without the package trait `HTTP`.
    static var fetchDescription: String {
        "Fetches a URL: status, headers and body, or with 'to' the path of the file. Options: headers, to, timeout."
    }
}
