import Foundation
import Testing

@testable import Scheduling

/// Each obstacle that the machine reports is real, and there are no others: removing the reported obstacles,
/// one after the other, ends every job.
@Suite struct ObstacleTests {
    /// How many random jobs; `OPSCRIPT_OBSTACLE_JOBS` sets another number.
    private static let count =
        ProcessInfo.processInfo.environment["OPSCRIPT_OBSTACLE_JOBS"].flatMap(UInt64.init) ?? 3_000

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `each obstacle is true, and removing it is enough`(part: UInt64) throws {
        for seed in stride(from: part, to: Self.count, by: 4) {
            let job = ObstacleJob(seed: seed)
            try job.build()
            try job.bringToItsEnd()
        }
    }
}

/// A random job of some operations, which nothing ends on its own.
private final class ObstacleJob {
    private struct Member {
        let name: String
        var queue: Int?
        var order = 0
        var level = 0
        var isBarrier = false
        var dependencies: Set<String> = []
        var needs: [String: Int] = [:]
    }

    private let seed: UInt64
    private var random: RandomSequence
    private let bench: MachineBench
    private var queues: [QueueID] = []
    private var widths: [Int] = []
    private var suspended: Set<Int> = []
    private var members: [Member] = []
    private var nextOrder = 0
    private let totals = ["x": 2, "y": 1]

    init(seed: UInt64) {
        self.seed = seed
        random = RandomSequence(seed: seed)
        bench = MachineBench(sharedWidth: 100, seed: seed)
    }

    private func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    func build() throws {
        for (name, total) in totals { bench.feed { $0.resourceTotalChanged(name, to: total) } }
        for index in 0..<3 {
            let width = [-1, 1, 2, 0][pick(4)]
            queues.append(bench.queue("q\(index)", width: width))
            widths.append(width)
            if pick(5) == 0 { setSuspended(index, true) }
        }
        for index in 0..<(2 + pick(7)) {
            let name = "\(index)"
            let priority = OperationPriority.allCases[pick(OperationPriority.allCases.count)]
            bench.make(name) { $0.priority = priority }
            var member = Member(name: name)
            member.level = priority.level
            for other in members where pick(4) == 0 {
                try bench.wire(name, after: other.name, when: .finished)
                member.dependencies.insert(other.name)
            }
            members.append(member)
        }
        for index in members.indices where pick(8) != 0 { try add(index, to: pick(queues.count)) }
        bench.takeAll()
    }

    private func add(_ index: Int, to queue: Int) throws {
        if pick(3) == 0 { members[index].needs = [["x": 1], ["x": 2], ["y": 1], ["x": 1, "y": 1]][pick(4)] }
        members[index].isBarrier = pick(7) == 0
        members[index].queue = queue
        members[index].order = nextOrder
        nextOrder += 1
        let member = members[index]
        try bench.put(member.name, into: queues[queue]) {
            $0.isBarrier = member.isBarrier
            $0.resources = member.needs.map { (name: $0.key, amount: $0.value) }
        }
    }

    private func setSuspended(_ queue: Int, _ isSuspended: Bool) {
        bench.feed { $0.suspensionChanged(queues[queue], to: isSuspended) }
        if isSuspended { suspended.insert(queue) } else { suspended.remove(queue) }
    }

    // MARK: To the end

    /// Follows obstacles to the last one, and removes that, until all operations have finished.
    func bringToItsEnd() throws {
        for _ in 0..<(members.count * 8 + 20) {
            let unfinished = members.filter { !isFinished($0.name) }
            if unfinished.isEmpty { return }
            for member in unfinished { check(member) }
            try removeRoot(of: unfinished[pick(unfinished.count)].name)
            bench.takeAll()
        }
        fail("removing what was said to be in the way did not bring the job to its end")
    }

    private func removeRoot(of name: String) throws {
        var name = name
        for _ in 0...members.count {
            switch obstacle(of: name) {
            case .dependency(let other), .barrier(let other), .resourceKept(_, let other):
                name = bench.name(other)
            case .noSlot(_, let holders), .resource(_, let holders):
                guard let holder = holders.first else {
                    return fail("nothing holds the thing that \(name) waits for")
                }
                name = bench.name(holder)
            case .notAdded: return try add(index(of: name), to: pick(queues.count))
            case .suspended(let queue): return setSuspended(index(of: queue), false)
            case .noWidth(let queue):
                widths[index(of: queue)] = 1
                return bench.feed { $0.widthChanged(queue, to: 1) }
            case .executing: return bench.end(name)
            case .inside, .unstartedGroup, .time, .nothing: return fail("\(name) has no obstacle")
            }
        }
        // A cycle through a barrier: only cancelling ends it.
        bench.cancel(name)
    }

    private func fail(_ problem: String) { Issue.record("seed \(seed): \(problem)") }

    // MARK: Whether it is true

    private func check(_ member: Member) {
        let obstacle = obstacle(of: member.name)
        let isTrue: Bool =
            switch obstacle {
            case .notAdded: member.queue == nil
            case .executing: state(member.name) == .executing
            case .suspended(let queue):
                member.queue == index(of: queue) && suspended.contains(index(of: queue))
            case .noWidth(let queue): member.queue == index(of: queue) && widths[index(of: queue)] == 0
            case .dependency(let other):
                member.dependencies.contains(bench.name(other)) && !isFinished(bench.name(other))
            case .barrier(let other): isBarrierTrue(member, members[index(of: bench.name(other))])
            case .noSlot(let queue, let holders):
                member.queue == index(of: queue) && holders.count >= widths[index(of: queue)]
                    && Set(holders.map(bench.name)) == executing { $0.queue == member.queue }
            case .resource(let name, let holders):
                free(name) < (member.needs[name] ?? 0)
                    && Set(holders.map(bench.name)) == executing { $0.needs[name] != nil }
            case .resourceKept(let name, let other):
                isKept(name, for: members[index(of: bench.name(other))], member)
            case .inside, .unstartedGroup, .time, .nothing: false
            }
        #expect(isTrue, "seed \(seed): \(member.name) is said to be kept by \(obstacle)")
    }

    private func isBarrierTrue(_ member: Member, _ other: Member) -> Bool {
        guard other.queue == member.queue, other.order < member.order, !isFinished(other.name) else {
            return false
        }
        return members.contains {
            $0.queue == member.queue && $0.isBarrier && $0.order >= other.order && $0.order <= member.order
        }
    }

    /// Whether an operation that goes first needs the resource, and has not started.
    private func isKept(_ name: String, for other: Member, _ member: Member) -> Bool {
        state(other.name) == .ready && (other.needs[name] ?? 0) > 0 && (member.needs[name] ?? 0) > 0
            && (other.level, other.order) < (member.level, member.order)
    }

    private func free(_ name: String) -> Int {
        let taken = members.filter { state($0.name) == .executing }.map { $0.needs[name] ?? 0 }
        return (totals[name] ?? 0) - taken.reduce(0, +)
    }

    private func executing(_ isMeant: (Member) -> Bool) -> Set<String> {
        Set(members.filter { state($0.name) == .executing && isMeant($0) }.map(\.name))
    }

    private func obstacle(of name: String) -> Obstacle { bench.machine.obstacle(of: bench.id(name)) }
    private func state(_ name: String) -> OperationState? { bench.state(name) }
    private func isFinished(_ name: String) -> Bool { bench.outcome(name) != nil }
    private func index(of name: String) -> Int { members.firstIndex { $0.name == name } ?? 0 }
    private func index(of queue: QueueID) -> Int { queues.firstIndex(of: queue) ?? 0 }
}
