#if HTTP
public import OpScript

extension ScriptEngine {
    /// Registers `work.http`: requests over HTTP and HTTPS.
    ///
    /// The library libcurl is opened at the first request, and one thread for all requests of the process is started.
    /// Only with the package trait `HTTP`.
    public func registerHTTPWorks() {
        register("http.request", Self.requestDescription, parameters: ["request"]) {
            (context: WorkContext, request: WebRequest) async throws -> ScriptValue in
            try await fetch(context, request)
        }
        for (name, description) in Self.shortRequests {
            // GET and HEAD read the world outside; what POST and PATCH do must not be repeated silently.
            let recording: RecordingMode =
                switch name {
                case "get", "head": .never
                case "post", "patch": .once
                default: .result
                }
            register("http.\(name)", description, parameters: ["url", "options"], recording: recording) {
                (context: WorkContext, url: WebAddress, options: WebOptions?) async throws -> ScriptValue in
                try await fetch(context, WebRequest(name.uppercased(), url, options ?? WebOptions()))
            }
        }
    }
}
#endif
