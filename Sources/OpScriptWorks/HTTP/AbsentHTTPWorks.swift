#if !HTTP
internal import OpScript

extension ScriptEngine {
    /// Registers `work.http` where it has no client: scripts can name and simulate it, and a call says what is missing.
    func registerHTTPWorks() {
        register("http.get", Self.fetchDescription, parameters: ["url", "options"]) {
            (_: ScriptValue, _: ScriptValue?) throws -> ScriptValue in
            throw ScriptError(
                .failed,
                "http.get needs the package trait 'HTTP', and this program was built without it: "
                    + "swift build --traits SharedLua,HTTP, or traits: [\"SharedLua\", \"HTTP\"] in Package.swift"
            )
        }
    }
}
#endif
