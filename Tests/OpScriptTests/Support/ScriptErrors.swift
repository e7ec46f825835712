import OpScript

/// The error of a script that `body` throws; nil if it throws no error, or another one.
func scriptError(_ body: () async throws -> Void) async -> ScriptError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? ScriptError
    }
}
