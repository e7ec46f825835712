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

    /// The description of `work.http.request`, with and without the package trait `HTTP`.
    static var requestDescription: String {
        "Sends a request: url, method (GET by default), and options; the result is that of http.get."
    }

    /// The short forms of `work.http.request`, with their descriptions.
    static var shortRequests: [(name: String, description: String)] {
        [
            ("get", "Fetches a URL: status, headers and body, or with 'to' the path of the file."),
            ("head", "Fetches the status and the headers of a URL."),
            (
                "post",
                "Sends a body (body, json, form or file) to a URL, and returns the answer as http.get does."
            ),
            ("put", "The same with the method PUT."),
            ("patch", "The same with the method PATCH."),
            ("delete", "Sends a request with the method DELETE, and returns the answer as http.get does."),
        ]
    }
}
