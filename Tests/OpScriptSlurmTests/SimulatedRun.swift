import OpScript
@testable import OpScriptSlurm
import Scheduling

/// Bodies on a cluster in memory, without an engine: a seed decides how long each body takes.
///
/// It counts how often each body has had its effect.
final class SimulatedRun {
    /// How the operation of a body ended.
    enum End: Equatable {
        case result
        case cancelled
        case failed(ScriptError.Code)
    }

    let slurm: SimulatedSlurm
    /// Seconds that a body takes.
    let seconds: ClosedRange<Double>
    private(set) var now = 0.0
    private var random: RandomSequence
    private var bodies = TimerHeap<UInt64>()

    private(set) var effects: [UInt64: Int] = [:]
    private(set) var ends: [UInt64: End] = [:]
    /// The bodies that were ended twice.
    private(set) var endedTwice: [UInt64] = []
    /// Called after each end, for a load that adds more.
    var onEnd: ((SimulatedSlurm, Double) -> Void)?

    init(
        seed: UInt64,
        nodes: Int,
        faults: SlurmFaults = SlurmFaults(),
        seconds: ClosedRange<Double> = 1...20,
        settings: SlurmMachine.Settings = SlurmMachine.Settings()
    ) {
        slurm = SimulatedSlurm(
            seed: seed,
            nodes: nodes,
            faults: faults,
            settings: settings,
            reportsPlaces: false
        )
        random = RandomSequence(seed: seed ^ 0xb0d1_e500_0000_0001)
        self.seconds = seconds
    }

    var machine: SlurmMachine { slurm.machine }
    var submissions: Int { slurm.submissions }
    var questions: Int { slurm.questions }
    var mostQuestionsInASecond: Int { slurm.mostQuestionsInASecond }

    func start(_ call: SlurmMachine.Call) { slurm.machine.called(call, at: now) }

    func cancel(_ number: UInt64) { slurm.cancel(number, at: now) }

    /// Runs until nothing happens any more, or until a moment.
    func run(until limit: Double = .infinity) {
        while true {
            take(slurm.takeEvents(until: now))
            let next = [bodies.nextDeadline.map { Double($0) / 1e9 }, slurm.nextMoment].compactMap { $0 }
                .min()
            guard let next, next <= limit else { return }
            now = max(now, next)
            take(slurm.takeEvents(until: now))
            while let number = bodies.popDue(Int64((now * 1e9).rounded()))?.payload {
                // A body whose job was ended before has had no effect.
                if slurm.bodyEnded(number, at: now) { effects[number, default: 0] += 1 }
            }
        }
    }

    private func take(_ events: [ClusterEvent]) {
        for event in events {
            switch event {
            case .begins(let number, _):
                let length = seconds.upperBound - seconds.lowerBound
                let time = seconds.lowerBound + random.nextUnit() * length
                bodies.schedule(at: Int64(((now + time) * 1e9).rounded()), number)
            case .counts(let number): end(number, .result)
            case .fails(let number, let error):
                end(number, (error as? ScriptError).map { .failed($0.code) } ?? .cancelled)
            case .reports, .stops: break
            }
        }
    }

    private func end(_ number: UInt64, _ end: End) {
        if ends[number] != nil { endedTwice.append(number) }
        ends[number] = end
        onEnd?(slurm, now)
    }
}
