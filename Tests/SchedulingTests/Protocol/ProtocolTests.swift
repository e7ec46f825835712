internal import Glibc
import Testing

@testable import Scheduling

/// In every state of a small job, and for every order of steps, no operation that could start is left behind.
@Suite struct ProtocolTests {
    @Test(arguments: ProtocolJob.small)
    func `no startable operation is left behind`(job: ProtocolJob) {
        var explorer = ProtocolExplorer(job: job)
        // States with equal fingerprints have equal continuations: the fingerprints are complete.
        explorer.fingerprintInterval = 8
        let report = explorer.explore()
        if let counterexample = report.counterexample { Issue.record("\(counterexample)") }
        #expect(report.confused.isEmpty)
        #expect(report.isComplete)
        #expect(report.endCount > 0)
    }

    /// The same for random jobs: a few, or the number in `OPSCRIPT_PROTOCOL_JOBS`.
    @Test func `no startable operation is left behind in random jobs`() {
        let count = getenv("OPSCRIPT_PROTOCOL_JOBS").flatMap { Int(String(cString: $0)) } ?? 12
        var states = 0
        var steps = 0
        var incomplete = 0
        let only = getenv("OPSCRIPT_PROTOCOL_SEED").flatMap { UInt64(String(cString: $0)) }
        for seed in only.map({ $0..<$0 + 1 }) ?? 0..<UInt64(count) {
            var explorer = ProtocolExplorer(job: .random(seed: seed))
            explorer.stateLimit = count > 100 || only != nil ? 3000 : 400
            explorer.fingerprintInterval = 64
            let report = explorer.explore()
            states += report.stateCount
            steps += report.stepCount
            if !report.isComplete { incomplete += 1 }
            if let counterexample = report.counterexample { Issue.record("\(counterexample)") }
            #expect(report.confused.isEmpty, "random job \(seed)")
        }
        print("\(count) jobs by chance: \(states) states, \(steps) steps; \(incomplete) jobs not to the end")
    }

    /// The checker finds lost wake-ups: a defect of each kind shows in one of the jobs.
    @Test(.enabled(if: PlantedDefect.isPossible), arguments: PlantedDefect.ofWaking)
    func `a planted lost wake-up is found`(defect: PlantedDefect) {
        var shortest: ProtocolExplorer.Counterexample?
        for job in ProtocolJob.small {
            var explorer = ProtocolExplorer(job: job, defect: defect)
            explorer.depthLimit = (shortest?.steps.count ?? 20) - 1
            if let found = explorer.explore().counterexample { shortest = found }
        }
        #expect(shortest != nil)
        if let shortest { print("\(defect): \(shortest)") }
    }
}
