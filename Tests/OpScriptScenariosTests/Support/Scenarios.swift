import OpScript
import OpScriptScenarios

/// Runs scenarios that are given as text.
enum Scenarios {
    /// A runner like the command's, with a few works.
    static func runner(timeLimit: Double = 60) -> ScenarioRunner {
        var configuration = ScriptEngine.Configuration()
        configuration.libraries = .all
        configuration.capabilities = .all
        var runner = ScenarioRunner(configuration: configuration) { engine in
            engine.register("http.get", "For stubs.") { (url: String) in url }
        }
        runner.timeLimit = timeLimit
        // The time that a busy machine needs to end a scenario.
        runner.grace = 120
        return runner
    }

    static func file(_ text: String) -> ScenarioFile {
        ScenarioFile(path: "job_spec.lua", source: Array(text.utf8))
    }

    /// The contents of a file.
    static func list(_ text: String, timeLimit: Double = 60) async -> ScenarioListing {
        await runner(timeLimit: timeLimit).list(file(text))
    }

    /// The results of all scenarios of a file.
    static func run(_ text: String, timeLimit: Double = 60) async -> [ScenarioResult] {
        let file = file(text)
        let runner = runner(timeLimit: timeLimit)
        var results: [ScenarioResult] = []
        for scenario in await self.runner().list(file).scenarios {
            results.append(await runner.run(scenario, in: file))
        }
        return results
    }

    /// The result of one `it` with this body.
    static func body(_ text: String, timeLimit: Double = 60) async -> ScenarioResult? {
        await run("it('x', function()\n\(text)\nend)", timeLimit: timeLimit).first
    }
}
