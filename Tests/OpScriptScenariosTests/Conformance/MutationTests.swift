import OpScriptScenarios
import Testing

/// The scenarios of conformance find each defect that can be planted into the machine.
@Suite struct MutationTests {
    @Test(.enabled(if: Mutation.isPossible, "only debug builds have places for defects"))
    func `there are ten defects to plant, and more`() {
        #expect(Mutation.all.count >= 10)
        #expect(Set(Mutation.all.map(\.defect)).count == Mutation.all.count)
    }

    @Test(.enabled(if: Mutation.isPossible), arguments: Mutation.all)
    func `a defect in the machine is found`(_ mutation: Mutation) async throws {
        let file = try #require(
            try ScenarioFile.shipped("conformance").first { $0.name == "\(mutation.file)_scenario.lua" }
        )
        let all = await Conformance.runner(.usual).list(file).scenarios
        let usual = await Conformance.failures(among: all, of: file, .usual, mutation.defect)
        // A scenario that fails in the usual order fails in the first iteration, so the other iterations need
        // not run.
        let explored = await Conformance.failures(
            among: usual.isEmpty ? all : usual.map(\.scenario),
            of: file,
            .pct,
            mutation.defect
        )
        #expect(!explored.isEmpty)
        #expect(usual.isEmpty == mutation.needsExploration, "\(usual.map(\.problems))")
        for failure in explored {
            let replay = try #require(failure.interleaving).replay
            let again = await Conformance.run(failure.scenario, of: file, replay, mutation.defect)
            #expect(again.problems.map(\.message) == failure.problems.map(\.message))
        }
    }
}
