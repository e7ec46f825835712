import OpScript
@testable import OpScriptSlurm
import Scheduling
import Testing

/// The rules on a cluster in memory that has all faults.
@Suite struct SlurmFaultTests {
    // MARK: Everything at once

    /// With all faults of a cluster: each body ends once; one that reports a result has run; an effect is had at most
    /// once.
    @Test(arguments: 1...40 as ClosedRange<UInt64>) func nothingIsLostOrRepeated(_ seed: UInt64) {
        var random = RandomSequence(seed: seed)
        let slurm = SimulatedRun(seed: seed, nodes: 40, faults: .all)
        var effects: Set<UInt64> = []
        for number in 1...400 as ClosedRange<UInt64> {
            let isEffect = random.nextUnit() < 0.2
            if isEffect { effects.insert(number) }
            slurm.start(
                testCall(number) {
                    $0.mayRepeat = !isEffect
                    $0.priority = [-8, 0, 8][Int(random.next() % 3)]
                    if random.nextUnit() < 0.3 { $0.options = threePilots }
                }
            )
            if random.nextUnit() < 0.05 { slurm.run(until: slurm.now + 5) }
            if random.nextUnit() < 0.05 { slurm.cancel(1 + random.next() % number) }
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

    @Test func tenThousandOperationsOnTenThousandNodes() {
        let (total, window) = (10_000 as UInt64, 5_000 as UInt64)
        let slurm = SimulatedRun(seed: 7, nodes: 10_000, faults: .all, seconds: 5...60)
        for number in 1...window { slurm.start(testCall(number)) }
        let counter = Counter()
        slurm.onEnd = { slurm, now in
            guard counter.value + window < total else { return }
            counter.value += 1
            slurm.machine.called(testCall(window + counter.value), at: now)
        }
        slurm.run()
        #expect(slurm.ends.count == Int(total))
        #expect(slurm.endedTwice.isEmpty)
    }
}

extension SlurmFaults {
    /// All faults of a cluster, each as likely as a bad day makes it.
    fileprivate static let all = SlurmFaults(
        busy: 0.05,
        doubtful: 0.05,
        silence: 0.05,
        requeue: 0.02,
        nodeFail: 0.02,
        preempted: 0.02,
        forgotten: 0.01,
        pilotEnd: 0.01,
        delay: 3
    )
}

private final class Counter {
    var value: UInt64 = 0
}
