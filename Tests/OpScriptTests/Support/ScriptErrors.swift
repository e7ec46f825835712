import OpScript

/// The error of a script that `body` throws; nil where it throws none, or another one.
func scriptError(_ body: () async throws -> Void) async -> ScriptError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? ScriptError
    }
}
