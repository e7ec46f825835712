#if HTTP
public import OpScript

extension ScriptEngine {
    /// Registers `work.http`: fetching over HTTP and HTTPS.
    ///
    /// Clients are created at the first request. Only with the package trait `HTTP`.
    public func registerHTTPWorks() {
        register(
            "http.get",
            Self.fetchDescription,
            parameters: ["url", "options"]
        ) { (context: WorkContext, url: WebAddress, options: FetchOptions?) async throws -> ScriptValue in
            try await fetch(context, url, options ?? FetchOptions())
        }
    }
}
#endif
