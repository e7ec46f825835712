internal import Glibc
public import OpScript
internal import OpScriptScenarios

extension Scenario {
    /// The settings with which scenarios are run.
    public struct Setup: Sendable {
        /// The configuration of each engine. Clock, output and the limit of a slice belong to the scenario
        /// and are set for each run.
        ///
        /// Default: all of Lua's libraries and all capabilities, as in the command `opscript test`. To test
        /// scripts under the limits of your program, use your program's configuration.
        public var configuration: ScriptEngine.Configuration
        /// Registers the works, host objects and queues of your program in the engine of each run; default: none.
        public var register: @Sendable (ScriptEngine) -> Void = { _ in }
        /// How long a scenario may take on the real clock; default: five minutes, because other tests run at the
        /// same time.
        public var timeLimit: Duration = .seconds(300)

        /// The defaults.
        public init() {
            configuration = ScriptEngine.Configuration()
            configuration.libraries = .all
            configuration.capabilities = .all
        }

        var runner: ScenarioRunner {
            var runner = ScenarioRunner(configuration: configuration, register: register)
            let (seconds, attoseconds) = timeLimit.components
            runner.timeLimit = max(0.001, Double(seconds) + Double(attoseconds) / 1e18)
            return runner
        }
    }

    /// All scenarios of a file, or of the files `*_scenario.lua` and `*_spec.lua` of a folder at any depth, in the
    /// order of their names.
    ///
    /// ```swift
    /// @Test(arguments: Scenario.all(in: "Scenarios") { engine in
    ///     engine.register("thumbnail") { (path: String, width: Int) in try makeThumbnail(path, width) }
    /// })
    /// func scripts(_ scenario: Scenario) async { await scenario.run() }
    /// ```
    ///
    /// Each file is loaded once to find them; the calling thread waits for that.
    /// - Parameters:
    ///   - path: Absolute, or relative to the folder of the calling Swift file.
    ///   - sourceFile: That Swift file.
    ///   - register: Registers your program's works, host objects and queues in the engine of each run.
    /// - Returns: The scenarios. A path that does not exist, a file that does not compile or that raises an
    ///   error outside `it`, and a folder without scenarios are scenarios, too, which fail with the reason.
    public static func all(
        in path: String,
        sourceFile: String = #filePath,
        registering register: @escaping @Sendable (ScriptEngine) -> Void = { _ in }
    ) -> [Scenario] {
        var setup = Setup()
        setup.register = register
        return all(in: path, sourceFile: sourceFile, setup: setup)
    }

    /// The same with another configuration of engines, or other limits.
    public static func all(in path: String, sourceFile: String = #filePath, setup: Setup) -> [Scenario] {
        let full = absolute(path, sourceFile)
        let files: [ScenarioFile]
        do {
            files = try ScenarioFinder.find([full])
        } catch {
            return [Scenario(problem: error.message, file: full, line: 1, index: 0)]
        }
        guard !files.isEmpty else {
            let message = "there is no file *_scenario.lua or *_spec.lua in '\(full)'"
            return [Scenario(problem: message, file: full, line: 1, index: 0)]
        }
        let runner = setup.runner
        return files.flatMap { scenarios(of: $0, runner) }
    }

    private static func scenarios(of file: ScenarioFile, _ runner: ScenarioRunner) -> [Scenario] {
        let listing = runner.listWaiting(file)
        var result = listing.scenarios.map { scenario in
            Scenario(
                file: file.path,
                line: scenario.line ?? 1,
                name: scenario.name,
                tags: scenario.tags,
                index: scenario.index,
                work: .scenario(scenario, file, runner)
            )
        }
        for (place, problem) in listing.problems.enumerated() {
            let position = problem.position(in: file.path) ?? SourcePosition(file: file.path, line: 1)
            result.append(
                Scenario(
                    problem: ProblemText.plainLines(problem).joined(separator: "\n"),
                    file: position.file,
                    line: position.line,
                    index: -place - 1
                )
            )
        }
        if result.isEmpty {
            result.append(
                Scenario(
                    problem: "there is no scenario in '\(file.path)'",
                    file: file.path,
                    line: 1,
                    index: 0
                )
            )
        }
        return result
    }

    private init(problem: String, file: String, line: Int, index: Int) {
        self.init(
            file: file,
            line: line,
            name: "outside of scenarios",
            tags: [],
            index: index,
            work: .problem(problem)
        )
    }

    private static func absolute(_ path: String, _ sourceFile: String) -> String {
        guard !path.hasPrefix("/"), let slash = sourceFile.lastIndex(of: "/") else { return path }
        let full = sourceFile[...slash] + path
        guard let real = realpath(String(full), nil) else { return String(full) }
        defer { free(real) }
        return String(cString: real)
    }
}
