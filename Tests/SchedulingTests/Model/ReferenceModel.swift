@testable import Scheduling

/// The scheduler's promises, written as plainly as possible: every query examines all operations.
///
/// Slow, and obviously right; the machine has to agree with it.
struct ReferenceModel {
    struct Operation {
        var lane: ExecutionLane
        var priority: OperationPriority
        var allowsFailure = false
        var dependencies: [(other: Int, condition: DependencyCondition)] = []
        var queue: Int?
        /// The order of addition.
        var order = 0
        var isBarrier = false
        var needs: [String: Int] = [:]
        var isExecuting = false
        var isCancelled = false
        var outcome: OperationOutcome?
    }

    struct Queue {
        var width: Int
        var isSuspended = false
        var failFast = false
    }

    var operations: [Operation] = []
    var queues: [Queue] = []
    var totals: [String: Int] = [:]
    var nextOrder = 0

    /// Decides everything that needs no start, again and again until nothing changes.
    mutating func settle() {
        var changed = true
        while changed {
            changed = false
            for index in operations.indices {
                guard let ending = ending(index) else { continue }
                finish(index, ending)
                changed = true
            }
        }
    }

    /// The outcome with which an operation that has not started ends now, if it ends.
    private func ending(_ index: Int) -> OperationOutcome? {
        let operation = operations[index]
        guard operation.outcome == nil, !operation.isExecuting, let queue = operation.queue else {
            return nil
        }
        if queues[queue].isSuspended { return nil }
        if operation.isCancelled { return .cancelled }
        guard isReleased(index) else { return nil }
        return switch verdict(index) {
        case .run: nil
        case .skip: .skipped
        case .skipQuietly: .skippedQuietly
        }
    }

    mutating func finish(_ index: Int, _ outcome: OperationOutcome) {
        operations[index].outcome = outcome
        operations[index].isExecuting = false
        guard outcome == .failed, !operations[index].allowsFailure, let queue = operations[index].queue,
            queues[queue].failFast
        else { return }
        for other in operations.indices
        where operations[other].queue == queue && operations[other].outcome == nil
            && !operations[other].isExecuting
        {
            operations[other].isCancelled = true
        }
    }

    func isReleased(_ index: Int) -> Bool {
        operations[index].dependencies.allSatisfy { operations[$0.other].outcome != nil }
    }

    private func verdict(_ index: Int) -> DependencyVerdict {
        operations[index].dependencies
            .compactMap { dependency in
                operations[dependency.other].outcome.map(dependency.condition.verdict(for:))
            }
            .max { $0.rawValue < $1.rawValue } ?? .run
    }

    /// Whether an operation may start, apart from threads and turns.
    ///
    /// - Parameter claimed: Those that may be overtaken.
    func mayStart(_ index: Int, overtaking claimed: Set<Int> = []) -> Bool {
        let operation = operations[index]
        guard isWaitingToStart(index), let queue = operation.queue else { return false }
        let executing = operations.count { $0.queue == queue && $0.isExecuting }
        if queues[queue].width >= 0, executing >= queues[queue].width { return false }
        // No operation on the same lane with the same needs may be overtaken.
        for other in operations.indices
        where other != index && !claimed.contains(other) && isWaitingToStart(other) {
            let rival = operations[other]
            if rival.queue == queue, rival.lane == operation.lane, rival.needs == operation.needs,
                isBefore(other, index)
            {
                return false
            }
        }
        return operation.needs.allSatisfy { available($0.key) >= $0.value }
    }

    /// In a queue that lets it, released by dependencies and barriers: only slots, resources and threads are missing.
    func isWaitingToStart(_ index: Int) -> Bool {
        let operation = operations[index]
        guard operation.outcome == nil, !operation.isExecuting, !operation.isCancelled,
            let queue = operation.queue, !queues[queue].isSuspended, queues[queue].width != 0,
            isReleased(index), verdict(index) == .run
        else { return false }
        return !operations.contains { other in
            other.queue == queue && other.outcome == nil && other.order < operation.order
                && (other.isBarrier || operation.isBarrier)
        }
    }

    func isBefore(_ a: Int, _ b: Int) -> Bool {
        let (left, right) = (operations[a], operations[b])
        return (left.priority.level, left.order) < (right.priority.level, right.order)
    }

    func available(_ resource: String) -> Int {
        totals[resource, default: 0]
            - operations.filter(\.isExecuting).reduce(0) { $0 + $1.needs[resource, default: 0] }
    }

    /// Whether an operation waits for another, directly or through others; those that are decided wait for nothing.
    func reaches(_ from: Int, _ to: Int, avoiding decided: Set<Int>) -> Bool {
        var seen = decided
        var stack = [from]
        while let next = stack.popLast() {
            guard seen.insert(next).inserted else { continue }
            if next == to { return true }
            stack += operations[next].dependencies.map(\.other)
        }
        return false
    }
}
