import OpScript
@testable import OpScriptSlurm
import Testing

/// The rules on a cluster in memory that has all faults.
@Suite struct SlurmFaultTests {
    // MARK: Everything at once

    /// With all faults of a cluster: each body ends once; one that reports a result has run; an effect is had at most
    /// once.
    @Test(arguments: 1...40 as ClosedRange<UInt64>) func nothingIsLostOrRepeated(_ seed: UInt64) {
        var random = SplitMix(seed: seed)
        var slurm = SimulatedSlurm(seed: seed, nodes: 40, faults: .all)
        var effects: Set<UInt64> = []
        for number in 1...400 as ClosedRange<UInt64> {
            let isEffect = random.fraction() < 0.2
            if isEffect { effects.insert(number) }
            slurm.machine.called(
                testCall(number) {
                    $0.mayRepeat = !isEffect
                    $0.priority = [-8, 0, 8][Int(random.next() % 3)]
                    if random.fraction() < 0.3 { $0.options = threePilots }
                },
                at: slurm.now
            )
            if random.fraction() < 0.05 { slurm.run(until: slurm.now + 5) }
            if random.fraction() < 0.05 { slurm.machine.cancelled(1 + random.next() % number, at: slurm.now) }
        }
        slurm.run()
        #expect(slurm.ends.count == 400)
        #expect(slurm.endedTwice.isEmpty)
        #expect(slurm.machine.calls.isEmpty)
        #expect(slurm.machine.batches.isEmpty)
        #expect(slurm.mostQuestionsInASecond == 0)
        for number in effects { #expect(slurm.effects[number] ?? 0 <= 1, "the effect \(number)") }
        for (number, end) in slurm.ends where end == .result {
            #expect(slurm.effects[number] ?? 0 >= 1, "the result \(number)")
        }
    }

    @Test func aMillionOperationsOnTenThousandNodes() {
        let total: UInt64 = ClusterScale.isWhole ? 1_000_000 : 10_000
        var slurm = SimulatedSlurm(seed: 7, nodes: 10_000, faults: .all, seconds: 5...60)
        let window: UInt64 = ClusterScale.isWhole ? 20_000 : 5_000
        for number in 1...window {
            slurm.machine.called(
                SlurmMachine.Call(number: number, name: "step", options: ClusterOptions()),
                at: 0
            )
        }
        let counter = Counter()
        slurm.onEnd = { machine, _, now in
            guard counter.value + window < total else { return }
            counter.value += 1
            machine.called(
                SlurmMachine.Call(number: window + counter.value, name: "step", options: ClusterOptions()),
                at: now
            )
        }
        let start = ContinuousClock.now
        slurm.run()
        let time = ContinuousClock.now - start
        #expect(slurm.ends.count == Int(total))
        #expect(slurm.endedTwice.isEmpty)
        ClusterScale.report(total, time)
    }
}

private final class Counter {
    var value: UInt64 = 0
}
