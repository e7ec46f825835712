#if !HTTP
internal import OpScript

extension ScriptEngine {
    /// Registers `work.http` where it has no client: scripts can name and simulate it, and a call says what is missing.
    func registerHTTPWorks() {
        register("http.request", Self.requestDescription, parameters: ["request"]) {
            (_: ScriptValue) throws -> ScriptValue in
            throw Self.absence("http.request")
        }
        for (name, description) in Self.shortRequests {
            register("http.\(name)", description, parameters: ["url", "options"]) {
                (_: ScriptValue, _: ScriptValue?) throws -> ScriptValue in
                throw Self.absence("http.\(name)")
            }
        }
    }

    private static func absence(_ name: String) -> ScriptError {
        ScriptError(
            .failed,
            "\(name) needs the package trait 'HTTP', and this program was built without it: "
                + "swift build --traits SharedLua,HTTP, or traits: [\"SharedLua\", \"HTTP\"] in Package.swift"
        )
    }
}
#endif
