internal import Foundation

extension Shape {
    /// Foundation's `OperationQueue`.
    ///
    /// Chains and fans are quadratic there as soon as the queue is long: keep to small numbers. All
    /// operations are added at once, as with ours: adding them one by one is a race, which empty bodies often
    /// win before the queue is long, and other bodies lose.
    static let foundation: [Shape] = [
        .timed("foundation.independent") { n, tally in
            let queue = OperationQueue()
            for _ in 0..<n { queue.addOperation { tally.add() } }
            queue.waitUntilAllOperationsAreFinished()
        },
        .timed("foundation.batch") { n, tally in
            let queue = OperationQueue()
            queue.addOperations((0..<n).map { _ in BlockOperation { tally.add() } }, waitUntilFinished: true)
        },
        .timed("foundation.chain") { n, tally in
            let queue = OperationQueue()
            let operations = (0..<n).map { i in BlockOperation { tally.add(after: i) } }
            for i in 1..<n { operations[i].addDependency(operations[i - 1]) }
            queue.addOperations(operations, waitUntilFinished: true)
        },
        .timed("foundation.fan") { n, tally in
            let queue = OperationQueue()
            let source = BlockOperation { tally.add(after: 0) }
            let sink = BlockOperation { tally.add(after: n - 1) }
            var operations = [source]
            for _ in 0..<(n - 2) {
                let operation = BlockOperation { tally.add() }
                operation.addDependency(source)
                sink.addDependency(operation)
                operations.append(operation)
            }
            operations.append(sink)
            queue.addOperations(operations, waitUntilFinished: true)
        },
    ]
}
