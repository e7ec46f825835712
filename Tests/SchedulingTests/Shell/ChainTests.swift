import Testing

@testable import Scheduling

/// Chains of operations: kept without the machine as long as no query needs it.
@Suite(.timeLimit(.minutes(20))) struct ChainTests {
    private struct Broken: Error {}

    /// A row of operations that note their numbers; the first waits for the gate.
    private final class Row: Sendable {
        let scheduler = Scheduler()
        let queue: ScheduledQueue
        let gate = Gate()
        let notes = Notes()
        let operations: [ScheduledOperation]
        private let started = Gate()

        init(_ count: Int = 40, failing: Int? = nil) throws {
            queue = ScheduledQueue(scheduler)
            operations = (0..<count).map { [scheduler, gate, notes, started] index in
                ScheduledOperation(scheduler, name: "op \(index)") { () throws in
                    if index == 0 {
                        started.open()
                        gate.pass()
                    }
                    notes.add(index)
                    if index == failing { throw Broken() }
                }
            }
            for index in 1..<count { try operations[index].addDependency(operations[index - 1]) }
        }

        func begin() throws {
            try queue.add(operations)
            #expect(started.pass())
        }

        func finish() -> Bool {
            gate.open()
            return queue.waitUntilAllOperationsAreFinished(timeout: 60)
        }

        /// How many operations the machine knows.
        var knownCount: Int { scheduler.visit { $0.inspect { $0.store.liveCount } } }
    }

    @Test func `a chain can be queried while it runs`() throws {
        let row = try Row()
        try row.begin()
        #expect(row.operations[2].state == .pending)
        #expect(row.operations[0].state == .executing)
        #expect(!row.operations[39].isReady)
        #expect(row.scheduler.feed { $0.inspect { $0.checkInvariants() } }.isEmpty)
        #expect(row.finish())
        #expect(row.notes.all == Array(0..<40))
        #expect(row.knownCount == 0)
    }

    @Test func `without queries they run in order`() throws {
        let row = try Row(2000)
        try row.begin()
        #expect(row.finish())
        #expect(row.notes.all == Array(0..<2000))
        #expect(row.operations.allSatisfy { $0.outcome == .succeeded })
    }

    @Test func `after a failure none runs`() throws {
        let row = try Row(failing: 7)
        try row.begin()
        #expect(row.finish())
        #expect(row.notes.all == Array(0...7))
        #expect(row.operations[7].error is Broken)
        #expect(row.operations[8...].allSatisfy { $0.outcome == .skipped })
        #expect(row.scheduler.feed { $0.inspect { $0.checkInvariants() } }.isEmpty)
    }

    @Test func `a cancelled operation does not run, and the next one does`() throws {
        let row = try Row()
        try row.begin()
        row.operations[20].cancel()
        // It ends at once, so that the others need not wait.
        #expect(row.operations[39].waitUntilFinished(timeout: 60))
        #expect(row.notes.all == Array(21..<40))
        #expect(row.finish())
        #expect(row.notes.all == Array(21..<40) + Array(0..<20))
    }

    @Test func `the first may have ended when the rest is queried`() throws {
        let row = try Row()
        let inner = Notes()
        let seen = ScheduledOperation(row.scheduler) { () throws in inner.add(row.notes.all.count) }
        try row.begin()
        row.gate.open()
        row.operations[0].waitUntilFinished()
        try seen.addDependency(row.operations[0])
        try row.queue.add(seen)
        #expect(row.finish())
        #expect(inner.all.count == 1)
        #expect(row.notes.all == Array(0..<40))
    }

    @Test func `others may depend on one before, while and after it runs`() throws {
        let row = try Row(failing: 30)
        let others = Notes()
        let before = ScheduledOperation(row.scheduler) { () throws in others.add(row.notes.all.count) }
        try before.addDependency(row.operations[10])
        try row.begin()
        let skipped = ScheduledOperation(row.scheduler) { () throws in others.add(-1) }
        try skipped.addDependency(row.operations[30])
        try row.queue.add([before, skipped])
        #expect(row.finish())
        let after = ScheduledOperation(row.scheduler) { () throws in others.add(-2) }
        try after.addDependency(row.operations[31], when: .failed)
        try row.queue.add(after)
        #expect(after.waitUntilFinished(timeout: 60))
        #expect(others.all.count == 2)
        #expect(others.all[0] >= 11)
        #expect(others.all[1] == -2)
        #expect(skipped.outcome == .skipped)
    }

    @Test func `one that was wired and not added keeps the next from running`() throws {
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        let notes = Notes()
        let next = ScheduledOperation(scheduler, name: "next") { () throws in notes.add(1) }
        do {
            let dropped = ScheduledOperation(scheduler, name: "dropped") { () throws in notes.add(0) }
            try next.addDependency(dropped)
        }
        try queue.add(next)
        #expect(next.state == .pending)
        #expect(!next.waitUntilFinished(timeout: 0.01))
        next.cancel()
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(notes.all.isEmpty)
        #expect(scheduler.feed { $0.inspect { $0.checkInvariants() } }.isEmpty)
    }

    @Test func `cycles are refused with their path, known to the machine or not`() throws {
        let scheduler = Scheduler()
        let names = ["a", "b", "c", "d"]
        let operations = names.map { ScheduledOperation(scheduler, name: $0) { () throws in } }
        for index in 1..<4 { try operations[index].addDependency(operations[index - 1]) }
        do throws(SchedulingError) {
            try operations[0].addDependency(operations[3])
            Issue.record("a cycle was accepted")
        } catch {
            #expect(
                error.description
                    == "this dependency would close a cycle: 'a' -> 'd' -> 'c' -> 'b' -> 'a'"
            )
        }
        #expect(throws: SchedulingError.self) { try operations[2].addDependency(operations[2]) }
        let queue = ScheduledQueue(scheduler)
        try queue.add(operations.reversed())
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 60))
        #expect(operations.allSatisfy { $0.outcome == .succeeded })
    }

    @Test func `a condition other than the usual one is kept`() throws {
        let row = try Row(failing: 7)
        try row.operations[8].addDependency(row.operations[7], when: .failed)
        try row.begin()
        #expect(row.finish())
        #expect(row.notes.all == Array(0..<40))
    }

    @Test func `a removed dependency has no effect`() throws {
        let row = try Row(failing: 7)
        row.operations[8].removeDependency(row.operations[7])
        try row.begin()
        #expect(row.finish())
        #expect(row.notes.all.sorted() == Array(0..<40))
    }

    @Test func `chains that are added in other ways run in their order`() throws {
        for shape in 0..<5 {
            let row = try Row(failing: nil)
            var operations = row.operations
            switch shape {
            case 0: operations.reverse()
            case 1: operations.swapAt(20, 21)
            case 2: operations.append(ScheduledOperation(row.scheduler) { () throws in })
            case 3: operations.insert(ScheduledOperation(row.scheduler) { () throws in }, at: 0)
            default: operations.insert(ScheduledOperation(row.scheduler) { () throws in }, at: 25)
            }
            row.gate.open()
            try row.queue.add(operations)
            #expect(row.finish())
            #expect(row.notes.all == Array(0..<40))
        }
    }

    @Test func `a refused chain is unchanged`() throws {
        let row = try Row()
        #expect(throws: SchedulingError.self) { try row.queue.add(row.operations + [row.operations[0]]) }
        #expect(throws: SchedulingError.self) { try row.queue.add(row.operations + [row.operations[39]]) }
        #expect(
            throws: SchedulingError.self,
            performing: { try row.queue.add([row.operations[0], row.operations[1], row.operations[0]]) }
        )
        #expect(row.queue.operationCount == 0)
        try row.begin()
        #expect(throws: SchedulingError.self) { try row.queue.add(row.operations) }
        #expect(row.finish())
        #expect(row.notes.all == Array(0..<40))
        #expect(row.scheduler.feed { $0.inspect { $0.checkInvariants() } }.isEmpty)
    }

    @Test func `a chain that is never added is freed`() throws {
        let scheduler = Scheduler()
        weak var first: ScheduledOperation?
        weak var middle: ScheduledOperation?
        do {
            let operations = (0..<1000).map { _ in ScheduledOperation(scheduler) { () throws in } }
            for index in 1..<1000 { try operations[index].addDependency(operations[index - 1]) }
            first = operations[0]
            middle = operations[500]
        }
        #expect(first == nil && middle == nil)
        do {
            var operations = (0..<1000).map { _ in ScheduledOperation(scheduler) { () throws in } }
            for index in 1..<1000 { try operations[index].addDependency(operations[index - 1]) }
            first = operations[0]
            middle = operations[500]
            // Known to the machine, and released afterwards.
            #expect(!operations[999].isReady)
            operations = []
        }
        #expect(first == nil && middle == nil)
        #expect(scheduler.feed { $0.inspect { $0.store.liveCount } } == 0)
    }

    @Test(arguments: 0..<16 as Range<UInt64>)
    func `with any queries while chains run, each operation runs after the one before`(seed: UInt64) throws {
        var chance = RandomSequence(seed: seed)
        let scheduler = Scheduler()
        let queue = ScheduledQueue(scheduler)
        var rows: [(notes: Notes, operations: [ScheduledOperation])] = []
        for _ in 0..<20 {
            let notes = Notes()
            let operations = (0..<Int(10 + chance.next() % 90)).map { index in
                ScheduledOperation(scheduler) { () throws in notes.add(index) }
            }
            for index in 1..<operations.count {
                try operations[index].addDependency(operations[index - 1])
            }
            rows.append((notes, operations))
            try queue.add(operations)
            guard let one = rows.randomElement(using: &chance)?.operations.randomElement(using: &chance)
            else { continue }
            switch chance.next() % 7 {
            case 0: one.cancel()
            case 1: _ = one.state
            case 2: one.setPriority(.high)
            case 3: one.waitUntilFinished()
            case 4:
                let after = ScheduledOperation(scheduler) { () throws in }
                try after.addDependency(one)
                queue.add {}
                try queue.add(after)
            case 5: one.setCompletionBlock { _ in }
            default: break
            }
        }
        #expect(queue.waitUntilAllOperationsAreFinished(timeout: 120))
        for (notes, operations) in rows {
            for operation in operations { operation.waitUntilFinished() }
            let ran = notes.all
            for index in operations.indices {
                let place = ran.firstIndex(of: index)
                if operations[index].outcome == .succeeded { #expect(place != nil) }
                // A cancelled operation ends at once: the next one need not wait for the one before.
                guard index > 0, let place, operations[index - 1].outcome == .succeeded else { continue }
                #expect(place > ran.firstIndex(of: index - 1) ?? .max)
            }
            #expect(Set(ran).count == ran.count)
        }
        #expect(scheduler.feed { $0.inspect { $0.checkInvariants() } }.isEmpty)
    }
}
