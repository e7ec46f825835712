import Testing

@testable import Scheduling

@Suite(.timeLimit(.minutes(20))) struct StretchRandomTests {
    private struct Broken: Error {}

    @Test(arguments: 0..<24 as Range<UInt64>)
    func `whatever is asked while they run, each runs once or is cancelled`(seed: UInt64) throws {
        var chance = RandomSequence(seed: seed)
        var configuration = Scheduler.Configuration()
        configuration.workers = Int(chance.next() % 3) + 1
        let scheduler = Scheduler(configuration)
        let queue = ScheduledQueue(scheduler)
        let other = ScheduledQueue(scheduler)
        let runs = (0..<3000).map { _ in Counter() }
        var operations: [ScheduledOperation] = []
        var waiting: [ScheduledOperation] = []
        for round in 0..<10 {
            let size = Int(chance.next() % 300)
            let batch = (0..<size).map { place in
                let index = operations.count + place
                let fails = chance.next() % 200 == 0
                let blocks = chance.next() % 300 == 0
                return ScheduledOperation(scheduler, name: "\(index)") { () throws in
                    runs[index].add()
                    if blocks { _ = Parker().park(nanoseconds: 200_000) }
                    if fails { throw Broken() }
                }
            }
            operations += batch
            try (chance.next() % 4 == 0 ? other : queue).add(batch)
            for _ in 0..<(chance.next() % 6) {
                guard let one = operations.randomElement(using: &chance) else { continue }
                switch chance.next() % 8 {
                case 0: one.cancel()
                case 1: one.setPriority(.high)
                case 2: _ = one.state
                case 3:
                    queue.isSuspended = true
                    queue.isSuspended = false
                case 4:
                    let after = ScheduledOperation(scheduler) { () throws in }
                    try after.addDependency(one, when: .finished)
                    waiting.append(after)
                    try queue.add(after)
                case 5: queue.add {}
                case 6: one.setCompletionBlock { _ in }
                default: _ = queue.operationCount
                }
            }
            if round == 5, chance.next() % 2 == 0 { queue.waitUntilAllOperationsAreFinished() }
        }
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 120))
        #expect(other.waitUntilAllOperationsAreFinished(timeout: 120))
        for (index, operation) in operations.enumerated() {
            operation.waitUntilFinished()
            let count = runs[index].count
            switch operation.outcome {
            case .succeeded: #expect(count == 1 && operation.error == nil)
            case .failed: #expect(count == 1 && operation.error is Broken)
            case .cancelled: #expect(count <= 1)
            default: Issue.record("\(operation.name) is \(String(describing: operation.outcome))")
            }
        }
        for operation in waiting { #expect(operation.outcome == .succeeded) }
        #expect(scheduler.feed { $0.machine.checkInvariants() }.isEmpty)
        #expect(scheduler.feed { $0.machine.unfinishedCount } == 0)
    }
}
