import Testing

@testable import Scheduling

/// A small job whose courses are all explored: queues, operations, and the actions of users on them.
struct ProtocolJob: CustomTestStringConvertible {
    struct Queue {
        enum Kind { case ordinary, serial, concurrent }

        var kind = Kind.ordinary
        /// -1 for none.
        var width = -1
        var quality = OperationQualityOfService.default
        /// The queue under which it runs; for those that are not ordinary.
        var target: Int?
    }

    struct Operation {
        /// Decides the lane.
        var quality = OperationQualityOfService.default
        var priority = OperationPriority.normal
        var dependencies: [Int] = []
        var isBarrier = false
        /// Its body ends only after that of another operation.
        var waitsFor: Int?
        /// Its body may be seen to block.
        var blocks = false
    }

    /// An action of a user, in one critical section.
    enum Action {
        case add(Int, to: Int)
        /// Without the lock, as closures are added to a queue without a limit.
        case addUnlocked(Int, to: Int)
        case cancel(Int)
        case cancelAll(Int)
        case suspend(Int)
        case resume(Int)
        case setWidth(Int, Int)
        case setPriority(Int, OperationPriority)
        case addDependency(Int, on: Int)
        /// The system gives no threads to a lane from now on, or gives them again.
        case refuse(OperationQualityOfService)
        case grant
        /// Another thread needs a core from now on, or no longer.
        case needCore(Bool)
    }

    var name: String
    /// How many bodies from queues without a width run at once.
    var workers = 2
    /// How many threads a lane has at most.
    var threadsPerLane = 512
    /// How many closures run at once in all.
    var limit: Int?
    var queues: [Queue]
    var operations: [Operation]
    /// The actions of each user, in order. Users and workers advance in any order.
    var users: [[Action]]
    /// How many times a worker may be idle long enough to exit.
    var departures = 0

    var testDescription: String { name }

    // MARK: Words

    static func letter(_ operation: Int) -> String {
        operation < 26 ? String(UnicodeScalar(UInt8(97 + operation))) : "operation \(operation)"
    }

    private func words(_ operation: Int) -> String {
        let quality = operations[operation].quality
        return quality == .default ? Self.letter(operation) : "\(Self.letter(operation)) (\(quality))"
    }

    func words(_ action: Action) -> String {
        switch action {
        case .add(let operation, let queue): "adds \(words(operation)) to queue \(queue)"
        case .addUnlocked(let operation, let queue):
            "adds \(words(operation)) to queue \(queue) without the lock"
        case .cancel(let operation): "cancels \(Self.letter(operation))"
        case .cancelAll(let queue): "cancels all in queue \(queue)"
        case .suspend(let queue): "suspends queue \(queue)"
        case .resume(let queue): "resumes queue \(queue)"
        case .setWidth(let queue, let width): "gives queue \(queue) the width \(width)"
        case .setPriority(let operation, let priority):
            "gives \(Self.letter(operation)) the priority \(priority)"
        case .addDependency(let operation, let other):
            "has \(Self.letter(operation)) depend on \(Self.letter(other))"
        case .refuse(let quality): "has threads refused to the lane of \(quality)"
        case .grant: "has threads granted again"
        case .needCore(let isNeeded): isNeeded ? "needs a core" : "needs no core any more"
        }
    }
}
