@testable import Scheduling

/// One course of a job, step by step.
struct ProtocolRun: ~Copyable {
    enum Step {
        /// The next action of a user.
        case acts(Int)
        /// A requested thread begins.
        case begins(ExecutionLane)
        case endsBody(SteppedWorker)
        case blocks(SteppedWorker)
        case endsSearch(SteppedWorker)
        case awakes(SteppedWorker)
        case leaves(SteppedWorker)
        case asksForThreadsAgain
    }

    /// The violation of the rule.
    enum Violation: Equatable, CustomStringConvertible {
        case leftBehind(operation: String, queue: Int, lane: ExecutionLane)
        case additionsMissed
        case unfinished([String])
        case fault(String)

        var description: String {
            switch self {
            case .leftBehind(let operation, let queue, let lane):
                "\(operation) in queue \(queue) could start on \(lane), and no worker is on its way to look for it"
            case .additionsMissed:
                "something was added without the lock, and no worker is on its way to look for it"
            case .unfinished(let operations): "nothing can continue, and these did not finish: \(operations)"
            case .fault(let fault): fault
            }
        }
    }

    let job: ProtocolJob
    private let threads = SteppedThreads()
    private let core: ProtocolCore
    private let queues: [QueueID]
    private var operations: [ScheduledOperation?]
    private var places: [Int]
    private var workers: [SteppedWorker] = []
    private var departures: Int

    init(_ job: ProtocolJob, planting defect: PlantedDefect? = nil) {
        self.job = job
        var configuration = Scheduler.Configuration()
        configuration.workers = job.workers
        configuration.jobLimit = job.limit
        configuration.threads = threads
        configuration.threadsPerLane = job.threadsPerLane
        configuration.seed = 1
        configuration.claimSize = 2
        configuration.plantedDefect = defect
        let scheduler = Scheduler(configuration)
        core = ProtocolCore(scheduler: scheduler)
        var queues: [QueueID] = []
        for queue in job.queues {
            queues.append(core.makeQueue(queue, target: queue.target.map { queues[$0] }))
        }
        self.queues = queues
        places = job.users.map { _ in 0 }
        departures = job.departures
        operations = job.operations.map { _ in nil }
        let unlocked = job.users.joined().compactMap {
            if case .addUnlocked(let operation, _) = $0 { operation } else { nil }
        }
        for place in job.operations.indices where !unlocked.contains(place) {
            let operation = ScheduledOperation(scheduler, qualityOfService: job.operations[place].quality) {}
            if job.operations[place].priority != .normal {
                operation.setPriority(job.operations[place].priority)
            }
            operations[place] = operation
        }
        for place in job.operations.indices {
            for other in job.operations[place].dependencies { depend(place, on: other) }
        }
    }

    private func depend(_ operation: Int, on other: Int) {
        guard let first = operations[operation], let second = operations[other] else { return }
        do {
            try first.addDependency(second)
        } catch {
            // It has begun.
        }
    }

    deinit { core.abandon(operations) }

    // MARK: Steps

    /// The possible next steps, in a fixed order.
    var steps: [Step] {
        var steps: [Step] = []
        for user in places.indices where places[user] < job.users[user].count { steps.append(.acts(user)) }
        var lanes: Set<ExecutionLane> = []
        for lane in threads.waitingToBegin where lanes.insert(lane).inserted { steps.append(.begins(lane)) }
        let isWatched = core.isWatched
        for worker in workers {
            if worker.isExecuting {
                if mayEnd(worker) { steps.append(.endsBody(worker)) }
                if isWatched, !worker.isBlocked, mayBlock(worker) { steps.append(.blocks(worker)) }
            } else if worker.isSearching {
                steps.append(.endsSearch(worker))
            } else if worker.isAsleep {
                if worker.isCalled { steps.append(.awakes(worker)) }
                if departures > 0 { steps.append(.leaves(worker)) }
            }
        }
        if core.lacksThreads { steps.append(.asksForThreadsAgain) }
        return steps
    }

    private func place(of id: OperationID?) -> Int? {
        operations.firstIndex { $0?.knownID == id }
    }

    private func mayEnd(_ worker: SteppedWorker) -> Bool {
        guard let place = place(of: worker.executing), let other = job.operations[place].waitsFor else {
            return true
        }
        return operations[other]?.outcome != nil
    }

    private func mayBlock(_ worker: SteppedWorker) -> Bool {
        place(of: worker.executing).map { job.operations[$0].blocks } ?? false
    }

    mutating func take(_ step: Step) {
        switch step {
        case .acts(let user):
            act(job.users[user][places[user]])
            places[user] += 1
        case .begins(let lane): workers.append(threads.begin(lane, on: core.scheduler))
        case .endsBody(let worker):
            worker.isBlocked = false
            worker.step()
        case .blocks(let worker):
            worker.isBlocked = true
            core.count(blocked: workers.filter(\.isBlocked))
        case .endsSearch(let worker), .awakes(let worker): worker.step()
        case .leaves(let worker):
            worker.leave()
            if worker.isGone { departures -= 1 }
        case .asksForThreadsAgain: core.askForThreadsAgain()
        }
    }

    private mutating func act(_ action: ProtocolJob.Action) {
        switch action {
        case .add(let operation, let queue):
            if let handle = operations[operation] {
                core.add(handle, to: queues[queue], isBarrier: job.operations[operation].isBarrier)
            }
        case .addUnlocked(let operation, let queue):
            let handle = ScheduledOperation(
                core.scheduler,
                qualityOfService: job.operations[operation].quality
            ) {}
            operations[operation] = handle
            core.scheduler.addNew(handle, to: queues[queue])
        case .cancel(let operation): operations[operation]?.cancel()
        case .cancelAll(let queue): core.cancelAll(in: queues[queue])
        case .suspend(let queue): core.suspend(queues[queue], true)
        case .resume(let queue): core.suspend(queues[queue], false)
        case .setWidth(let queue, let width): core.setWidth(queues[queue], width)
        case .setPriority(let operation, let priority): operations[operation]?.setPriority(priority)
        case .addDependency(let operation, let other): depend(operation, on: other)
        case .refuse(let quality): threads.refuse(ExecutionLane(qualityOfService: quality))
        case .grant: threads.grant()
        case .needCore(let isNeeded): core.needCore(isNeeded)
        }
    }

    // MARK: The rule

    /// The violation of the rule now; nil if the rule holds.
    var violation: Violation? {
        var awake = Set(threads.waitingToBegin)
        for worker in workers where worker.isSearching || worker.isAsleep && worker.isCalled {
            awake.insert(worker.lane)
        }
        if let fault = core.faults.first { return .fault(fault) }
        if let behind = core.leftBehind(awake: awake) {
            return .leftBehind(
                operation: place(of: behind.operation).map(ProtocolJob.letter) ?? "an operation",
                queue: queues.firstIndex(of: behind.queue) ?? -1,
                lane: behind.lane
            )
        }
        if core.missesAdditions(awake: awake) { return .additionsMissed }
        let isOver = steps.allSatisfy { if case .leaves = $0 { true } else { false } }
        guard isOver else { return nil }
        let unfinished = operations.indices.filter { operations[$0]?.outcome == nil }
        return unfinished.isEmpty ? nil : .unfinished(unfinished.map(ProtocolJob.letter))
    }

    /// Distinguishes this moment from others of the same job.
    var fingerprint: UInt64 {
        var print = Fingerprint()
        for place in places { print.add(place) }
        print.add(departures)
        var waiting = threads.waitingToBegin.map { Int($0.rawValue) }
        waiting.sort()
        for lane in waiting { print.add(lane) }
        print.add(threads.refusals)
        core.fingerprint(operations, queues, workers, into: &print)
        return print.value
    }

    // MARK: Words

    /// The description of a step, before it is taken.
    func words(_ step: Step) -> String {
        switch step {
        case .acts(let user): "user \(user) \(job.words(job.users[user][places[user]]))"
        case .begins(let lane): "a thread of lane \(lane) begins as worker \(workers.count)"
        case .endsBody(let worker):
            "worker \(number(worker)) ends \(place(of: worker.executing).map(ProtocolJob.letter) ?? "a body")"
        case .blocks(let worker):
            "the body of worker \(number(worker)) blocks, and the service thread sees it"
        case .endsSearch(let worker): "worker \(number(worker)) ends its search"
        case .awakes(let worker): "worker \(number(worker)) awakes"
        case .leaves(let worker): "worker \(number(worker)) has slept long and wants to leave"
        case .asksForThreadsAgain: "the service thread asks for the refused threads again"
        }
    }

    private func number(_ worker: SteppedWorker) -> String {
        "\(workers.firstIndex { $0 === worker } ?? -1) (\(worker.lane))"
    }

    /// The state of the workers now.
    var state: String {
        let workers = workers.enumerated().filter { !$0.element.isGone }.map { number, worker in
            let doing =
                if let place = place(of: worker.executing) {
                    worker.isBlocked
                        ? "blocks in" + " " + ProtocolJob.letter(place) : "runs " + ProtocolJob.letter(place)
                } else if worker.isSearching {
                    "searches"
                } else if worker.isCalled {
                    "is called"
                } else {
                    "sleeps"
                }
            return "\(number) \(doing)"
        }
        let asked = threads.waitingToBegin.map { "a thread of \($0) was asked for" }
        return (workers + asked).joined(separator: ", ")
    }
}
