import OpScriptScenarios
import Testing

@testable import OpScriptCLI

/// The decisions of `--watch`, without files and time.
@Suite struct TestWatchTests {
    private let modules: [String: Set<String>] = ["a_spec.lua": ["m.lua"], "b_spec.lua": ["m.lua", "n.lua"]]

    private func watch(failedFirst: Bool = false) -> TestWatch {
        TestWatch(["a_spec.lua", "b_spec.lua"], runsFailedFirst: failedFirst)
    }

    @Test func `it watches files, modules and folders`() {
        #expect(watch().watched { modules[$0] ?? [] } == ["a_spec.lua", "b_spec.lua", "m.lua", "n.lua", "."])
    }

    @Test func `a changed module affects the files that have loaded it`() {
        var watch = watch()
        let files = watch.files
        func rounds(_ changed: Set<String>) -> [[String]] {
            watch.rounds(after: changed, files: files) { modules[$0] ?? [] }.map(\.files)
        }
        #expect(rounds(["n.lua"]) == [["b_spec.lua"]])
        #expect(rounds(["m.lua"]) == [["a_spec.lua", "b_spec.lua"]])
        #expect(rounds(["a_spec.lua"]) == [["a_spec.lua"]])
        #expect(rounds(["."]) == [])
    }

    @Test func `a new file is run`() {
        var watch = watch()
        let rounds = watch.rounds(after: ["."], files: watch.files + ["c_spec.lua"]) { _ in [] }
        #expect(rounds == [TestWatch.Round(files: ["c_spec.lua"])])
    }

    @Test func `failed scenarios run first`() {
        var watch = watch(failedFirst: true)
        var summary = ScenarioSummary()
        summary.failures = [.init(file: "b_spec.lua", name: "x y")]
        watch.ended(TestWatch.Round(files: watch.files), summary)
        let rounds = watch.rounds(after: ["m.lua"], files: watch.files) { modules[$0] ?? [] }
        #expect(
            rounds == [
                TestWatch.Round(files: ["b_spec.lua"], names: ["x y"]),
                TestWatch.Round(files: ["a_spec.lua", "b_spec.lua"]),
            ]
        )
        watch.ended(rounds[1], ScenarioSummary())
        #expect(watch.rounds(after: ["m.lua"], files: watch.files) { modules[$0] ?? [] }.count == 1)
    }
}
