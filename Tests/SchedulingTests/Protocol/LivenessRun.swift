import Synchronization

@testable import Scheduling

/// A job on real threads, which has to end without help.
final class LivenessRun: Sendable {
    /// Provides threads, or refuses them for a while.
    private final class MoodyThreads: ThreadStarter {
        private let refused = Mutex<Set<ExecutionLane>>([])

        func refuse(_ lane: ExecutionLane) { refused.withLock { _ = $0.insert(lane) } }
        func grant() { refused.withLock { $0 = [] } }

        func startWorker(of lane: ExecutionLane, for scheduler: Scheduler) -> Bool {
            !refused.withLock { $0.contains(lane) } && SystemThreads().startWorker(of: lane, for: scheduler)
        }

        func startService(_ life: @escaping @Sendable () -> Void) -> Bool {
            SystemThreads().startService(life)
        }
    }

    private let job: ProtocolJob
    private let seed: UInt64
    private let threads = MoodyThreads()
    private let core: ProtocolCore
    private let queues: [QueueID]
    private let operations: [ScheduledOperation]
    private let users = Counter()

    init(seed: UInt64, planting defect: PlantedDefect? = nil) {
        self.seed = seed
        let job = ProtocolJob.random(seed: seed, isLarge: true)
        self.job = job
        var configuration = Scheduler.Configuration()
        configuration.workers = job.workers
        configuration.jobLimit = job.limit
        configuration.threads = threads
        configuration.plantedDefect = defect
        // Workers leave soon; otherwise the process would have too many threads of earlier jobs.
        configuration.idleNanoseconds = [0, 50_000, 20_000_000][Int(seed % 3)]
        let scheduler = Scheduler(configuration)
        core = ProtocolCore(scheduler: scheduler)
        var queues: [QueueID] = []
        for queue in job.queues {
            queues.append(core.makeQueue(queue, target: queue.target.map { queues[$0] }))
        }
        self.queues = queues
        let bodies = Mutex<[ScheduledOperation]>([])
        let all = Handles()
        for (place, operation) in job.operations.enumerated() {
            let kind = (seed &+ UInt64(place) &* 0x9e37_79b9_7f4a_7c15) >> 40 & 15
            let waitsFor = operation.waitsFor
            let handle = ScheduledOperation(scheduler, qualityOfService: operation.quality) {
                if let waitsFor { all.operation(waitsFor)?.waitUntilFinished() }
                Self.work(kind)
            }
            if operation.priority != .normal { handle.setPriority(operation.priority) }
            bodies.withLock { $0.append(handle) }
        }
        operations = bodies.withLock { $0 }
        all.set(operations)
        for place in operations.indices {
            for other in job.operations[place].dependencies {
                try? operations[place].addDependency(operations[other])
            }
        }
    }

    /// The table by which waiting bodies find the others.
    private final class Handles: Sendable {
        private let operations = Mutex<[ScheduledOperation]>([])
        func set(_ all: [ScheduledOperation]) { operations.withLock { $0 = all } }
        func operation(_ place: Int) -> ScheduledOperation? {
            operations.withLock { place < $0.count ? $0[place] : nil }
        }
    }

    /// A short body, which sometimes sleeps.
    private static func work(_ kind: UInt64) {
        switch kind {
        case 0: _ = Parker().park(nanoseconds: 200_000)
        case 1...4:
            let end = SchedulerClock.systemNow + Int64(kind) * 10_000
            while SchedulerClock.systemNow < end {}
        default: break
        }
    }

    // MARK: Running

    /// Runs the job to its end. Returns a description of the hang if nothing moves for this long.
    func run(patience seconds: Double) -> String? {
        for actions in job.users {
            let isStarted = SystemThread.start(name: "opscript-user") {
                for action in actions { self.act(action) }
                self.users.add()
            }
            precondition(isStarted, "there is no thread for a user")
        }
        guard users.wait(for: job.users.count, seconds: 120) else { return dump("the users did not end") }
        var unfinished = operations.count
        while true {
            for operation in operations where operation.outcome == nil {
                guard operation.waitUntilFinished(timeout: seconds) else { break }
            }
            let left = operations.count { $0.outcome == nil }
            if left == 0 { return nil }
            if left == unfinished { return dump("nothing moves") }
            unfinished = left
        }
    }

    private func act(_ action: ProtocolJob.Action) {
        switch action {
        case .add(let place, let queue), .addUnlocked(let place, let queue):
            core.add(operations[place], to: queues[queue], isBarrier: job.operations[place].isBarrier)
        case .cancel(let place): operations[place].cancel()
        case .cancelAll(let queue): core.cancelAll(in: queues[queue])
        case .suspend(let queue): core.suspend(queues[queue], true)
        case .resume(let queue): core.suspend(queues[queue], false)
        case .setWidth(let queue, let width): core.setWidth(queues[queue], width)
        case .setPriority(let place, let priority): operations[place].setPriority(priority)
        case .addDependency(let place, let other):
            try? operations[place].addDependency(operations[other])
        case .refuse(let quality): threads.refuse(ExecutionLane(qualityOfService: quality))
        case .grant: threads.grant()
        case .needCore(let isNeeded): core.needCore(isNeeded)
        }
    }

    // MARK: Words

    private func dump(_ cause: String) -> String {
        var lines = ["\(cause) in the job of seed \(seed)"]
        lines += ["workers: \(job.workers), limit: \(job.limit.map(String.init) ?? "none")"]
        for (place, queue) in job.queues.enumerated() { lines.append("queue \(place): \(queue)") }
        for (place, operation) in job.operations.enumerated() {
            let state = operations[place].outcome.map { "\($0)" } ?? "\(operations[place].state)"
            lines.append("\(ProtocolJob.letter(place)): \(state), \(operation)")
        }
        for (user, actions) in job.users.enumerated() {
            lines += actions.map { "user \(user) \(job.words($0))" }
        }
        return (lines + [core.diagnosis]).joined(separator: "\n")
    }
}
