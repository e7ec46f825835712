import OpScript

/// The routes of a server: the functions of the table `routes` in a script. All requests are served by one engine.
struct Routes: Sendable {
    private let engine: ScriptEngine
    private let names: Set<String>

    /// Loads a script.
    init(file: String) async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.sliceLimit = .seconds(1)
        configuration.memoryLimit = 256 << 20
        engine = ScriptEngine(configuration)
        engine.register("digest", "Adds up the bytes of a text.", parameters: ["text"]) {
            (text: String) -> Int in
            text.utf8.reduce(0) { ($0 * 31 + Int($1)) % 1_000_003 }
        }
        _ = try await engine.run(file: file)
        let code = "local names = {} for name in pairs(routes) do names[#names + 1] = name end return names"
        names = Set(try await engine.evaluate(code, as: [String].self))
    }

    /// Serves a request: the function's result, or why there is none.
    func answer(to path: String, _ query: [String: String]) async -> (status: Int, text: String) {
        guard names.contains(path) else { return (404, "there is no route '\(path)'\n") }
        do {
            return (200, try await engine.call("routes.\(path)", query, as: String.self))
        } catch {
            return (500, "\(error)\n")
        }
    }
}
