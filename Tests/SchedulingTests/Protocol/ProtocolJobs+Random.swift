@testable import Scheduling

extension ProtocolJob {
    /// A random job, which ends for every order of steps.
    ///
    /// - Parameter isLarge: It is for real threads, and not for all orders of steps.
    static func random(seed: UInt64, isLarge: Bool = false) -> ProtocolJob {
        var maker = RandomJobMaker(seed: seed, isLarge: isLarge)
        return maker.make()
    }
}

private struct RandomJobMaker {
    private let seed: UInt64
    private let isLarge: Bool
    private var chance: RandomSequence

    init(seed: UInt64, isLarge: Bool) {
        self.seed = seed
        self.isLarge = isLarge
        chance = RandomSequence(seed: seed)
    }

    private mutating func below(_ count: Int) -> Int { Int(chance.next() % UInt64(count)) }
    private mutating func isLucky(_ oneIn: Int) -> Bool { below(oneIn) == 0 }

    /// Whether the body of an operation waits for that of the next one.
    private func isAwaiting(_ place: Int) -> Bool {
        place == 0 || isLarge && place % 2 == 0 && (0..<8).contains(place)
    }

    private mutating func quality() -> OperationQualityOfService {
        [.default, .utility, .background, .userInteractive][below(4)]
    }

    mutating func make() -> ProtocolJob {
        var job = ProtocolJob(name: "random job \(seed)", queues: [], operations: [], users: [])
        job.workers = 1 + below(3)
        if isLucky(6) { job.limit = 1 + below(2) }
        if isLucky(4) { job.departures = 1 }
        for place in 0...below(isLarge ? 6 : 3) { job.queues.append(queue(place, job)) }
        // Bodies that wait for others are delayed only by threads.
        let waits = job.limit == nil && isLucky(3)
        // No operation in a line depends on one behind it.
        let isInLine = !waits && isLucky(2)
        if !isInLine {
            for place in job.queues.indices where job.queues[place].kind == .serial {
                job.queues[place].kind = .concurrent
            }
        }
        for place in 0...(isLarge ? 10 + below(50) : 1 + below(3)) {
            job.operations.append(operation(place, waits: waits, isInLine: isInLine))
        }
        addActions(to: &job, waits: waits, isInLine: isInLine)
        return job
    }

    private mutating func queue(_ place: Int, _ job: ProtocolJob) -> ProtocolJob.Queue {
        var queue = ProtocolJob.Queue()
        if isLucky(3) { queue.quality = quality() }
        if place > 0, isLucky(3) {
            queue.kind = isLucky(2) ? .serial : .concurrent
            if job.queues[place - 1].kind != .ordinary, isLucky(2) { queue.target = place - 1 }
        } else if place > 0, isLucky(2) {
            queue.width = 1 + below(2)
        }
        return queue
    }

    private mutating func operation(_ place: Int, waits: Bool, isInLine: Bool) -> ProtocolJob.Operation {
        var operation = ProtocolJob.Operation()
        operation.quality = quality()
        if isLucky(4) { operation.priority = isLucky(2) ? .high : .low }
        if waits {
            operation.blocks = true
            if isAwaiting(place) { operation.waitsFor = place + 1 }
        } else if isInLine {
            operation.isBarrier = isLucky(4)
        } else if place > 0, isLucky(3) {
            operation.dependencies = [below(place)]
        }
        return operation
    }

    private mutating func addActions(to job: inout ProtocolJob, waits: Bool, isInLine: Bool) {
        var users = [[ProtocolJob.Action]](repeating: [], count: 1 + below(isLarge ? 3 : 2))
        for place in job.operations.indices {
            let user = below(users.count)
            users[user].append(
                .add(
                    place,
                    to: waits && (isAwaiting(place) || isAwaiting(place - 1)) ? 0 : below(job.queues.count)
                )
            )
            if isLucky(3) { users[user].append(.cancel(waits && !isLarge ? 1 : below(place + 1))) }
        }
        for _ in 0..<below(isLarge ? 12 : 3) {
            let user = below(users.count)
            users[user].insert(
                contentsOf: deed(job, waits: waits, isInLine: isInLine),
                at: below(users[user].count + 1)
            )
        }
        job.users = users
    }

    /// Actions that are undone again, or do no harm.
    private mutating func deed(_ job: ProtocolJob, waits: Bool, isInLine: Bool) -> [ProtocolJob.Action] {
        let queue = below(job.queues.count)
        switch below(waits ? 5 : 7) {
        case 0: return [.suspend(queue), .resume(queue)]
        case 1: return [.needCore(true), .needCore(false)]
        case 2: return [.refuse(quality()), .grant]
        case 3: return [.setPriority(below(job.operations.count), .veryHigh)]
        case 4: return waits ? [] : [.cancelAll(queue)]
        case 5: return job.queues[queue].kind == .ordinary ? [.setWidth(queue, 1 + below(2))] : []
        default:
            let operation = below(job.operations.count)
            return operation == 0 || isInLine ? [] : [.addDependency(operation, on: below(operation))]
        }
    }
}
