import Foundation
import Testing

@testable import Scheduling

/// The machine and the reference model are fed the same random inputs, and have to agree after each.
@Suite struct RandomisedTests {
    /// How many random graphs; `OPSCRIPT_RANDOM_GRAPHS` sets another number.
    static let count =
        ProcessInfo.processInfo.environment["OPSCRIPT_RANDOM_GRAPHS"].flatMap(UInt64.init) ?? 100

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `the machine agrees with the reference model`(part: UInt64) throws {
        if let only = Self.only {
            if part == 0 { try run(only) }
            return
        }
        for seed in stride(from: part, to: Self.count, by: 10) { try run(seed) }
    }

    /// The one to run, from `OPSCRIPT_RANDOM_SEED`.
    private static let only = ProcessInfo.processInfo.environment["OPSCRIPT_RANDOM_SEED"].flatMap(UInt64.init)

    private func run(_ seed: UInt64) throws {
        var run = RandomRun(seed: seed)
        for _ in 0..<250 {
            try run.step()
            guard run.agrees() else { return }
        }
        try run.finish()
    }
}

/// One run of random inputs.
private struct RandomRun {
    let seed: UInt64
    var random: RandomSequence
    let bench: MachineBench
    var model = ReferenceModel()
    var queues: [QueueID] = []

    init(seed: UInt64) {
        self.seed = seed
        random = RandomSequence(seed: seed)
        bench = MachineBench(sharedWidth: 2 + Int(seed % 3), seed: seed)
        for index in 0..<4 {
            let width = [-1, 1, 2, 3][index]
            queues.append(
                bench.queue("q\(index)", width: width, quality: pick(OperationQualityOfService.allCases))
            )
            model.queues.append(.init(width: width))
        }
        for name in ["x", "y"] {
            bench.feed { $0.resourceTotalChanged(name, to: 2) }
            model.totals[name] = 2
        }
    }

    private mutating func pick<C: Collection>(_ choices: C) -> C.Element {
        choices[choices.index(choices.startIndex, offsetBy: Int(random.next() % UInt64(choices.count)))]
    }

    /// Whether all are closures without resources, so that workers claim several at once.
    private var isPlain: Bool { seed % 3 == 0 }

    private mutating func chance(_ one: UInt64, in all: UInt64) -> Bool { random.next() % all < one }

    private func id(_ index: Int) -> OperationID { bench.id("\(index)") }

    mutating func step() throws {
        switch random.next() % 24 {
        case 0..<4: make()
        case 4..<8: try wire()
        case 8..<12: try add()
        case 12..<16: start()
        case 16..<20: end()
        case 20: cancel()
        case 21: changeQueue()
        case 22: changePriority()
        default: unwire()
        }
        model.settle()
    }

    private mutating func make() {
        let lane: ExecutionLane = isPlain ? .worker : pick([.worker, .worker, .worker, .reader, .workerLow])
        let priority = pick(OperationPriority.allCases)
        let allowsFailure = chance(1, in: 4)
        bench.make("\(model.operations.count)", lane: lane) {
            $0.priority = priority
            $0.allowsFailure = allowsFailure
        }
        model.operations.append(.init(lane: lane, priority: priority, allowsFailure: allowsFailure))
    }

    /// A random operation, one of the last few more often.
    private mutating func some() -> Int? {
        if model.operations.isEmpty { return nil }
        let recent = model.operations.indices.suffix(8)
        return chance(3, in: 4) ? pick(recent) : pick(model.operations.indices)
    }

    private mutating func wire() throws {
        guard let from = some(), let to = some() else { return }
        let condition: DependencyCondition = pick([.notFailed] + DependencyCondition.allCases)
        let operation = model.operations[to]
        let isTooLate = operation.isExecuting || isDecided(to)
        let wasKnown = operation.dependencies.contains { $0.other == from }
        let decided = Set(model.operations.indices.filter(isDecided))
        let closes = from == to || !wasKnown && model.reaches(from, to, avoiding: decided)
        let isDependedOn = model.operations.contains { $0.dependencies.contains { $0.other == to } }
        if operation.queue == nil, !isTooLate, !wasKnown, !isDependedOn, from != to, chance(1, in: 2) {
            // Inputs that the script thread knows to be valid are made without a check.
            bench.addPlainDependency(Submission(id(to), dependsOn: id(from), when: condition))
            model.operations[to].dependencies.append((from, condition))
            return
        }
        let refusal = bench.refusal { try $0.dependencyAdded(id(to), on: id(from), when: condition) }
        #expect(
            (refusal != nil) == (isTooLate || closes),
            "seed \(seed): \(to) on \(from): \(String(describing: refusal))"
        )
        guard refusal == nil else { return }
        model.operations[to].dependencies.removeAll { $0.other == from }
        model.operations[to].dependencies.append((from, condition))
    }

    /// Whether an operation has its outcome, even if it waits for its queue to be resumed.
    private func isDecided(_ index: Int) -> Bool {
        bench.machine.store.pointer(id(index).slot).pointee.phase == .ending
            || model.operations[index].outcome != nil
    }

    private mutating func unwire() {
        guard let to = some(), let dependency = model.operations[to].dependencies.first, !isDecided(to),
            !model.operations[to].isExecuting
        else { return }
        bench.feed { _ = $0.dependencyRemoved(id(to), on: id(dependency.other)) }
        model.operations[to].dependencies.removeFirst()
    }

    private mutating func add() throws {
        let free = model.operations.indices.filter {
            model.operations[$0].queue == nil && model.operations[$0].outcome == nil
        }
        guard !free.isEmpty else { return }
        let queue = pick(model.queues.indices)
        let count = chance(1, in: 3) ? min(free.count, 5) : 1
        var additions: [AdditionSpec] = []
        for index in free.suffix(count) {
            var addition = AdditionSpec(id(index))
            addition.isBarrier = chance(1, in: 12)
            if !isPlain, chance(1, in: 5) {
                addition.resources = pick([[("x", 1)], [("x", 2)], [("y", 1)], [("x", 1), ("y", 2)]])
            }
            model.operations[index].queue = queue
            model.operations[index].isBarrier = addition.isBarrier
            for need in addition.resources { model.operations[index].needs[need.name] = need.amount }
            model.operations[index].order = model.nextOrder
            model.nextOrder += 1
            additions.append(addition)
        }
        let isPlain = additions.allSatisfy { !$0.isBarrier && $0.resources.isEmpty }
        if isPlain, chance(1, in: 2) {
            try bench.feed { try $0.operationsAdded(additions.map(\.id), to: queues[queue]) }
        } else {
            try bench.feed { try $0.operationsAdded(additions, to: queues[queue]) }
        }
    }

    private mutating func start() {
        let lane: ExecutionLane = pick([.worker, .worker, .workerLow, .reader])
        if lane == .reader {
            for name in bench.takeForReader() { note(started: name, on: .reader) }
        } else if let name = chance(1, in: 2) ? bench.take(lane) : bench.claim(lane, atMost: 4) {
            note(started: name, on: lane)
        }
    }

    private mutating func note(started name: String, on lane: ExecutionLane) {
        guard let index = Int(name) else { return }
        // An operation that another worker has claimed counts as started.
        let claimed = Set(model.operations.indices.filter { bench.machine.isClaimed(id($0)) })
        let mayStart = model.mayStart(index, overtaking: claimed) && model.operations[index].lane == lane
        #expect(mayStart, "seed \(seed): \(name) started and may not: \(model.operations[index])")
        model.operations[index].isExecuting = true
    }

    private mutating func end() {
        let executing = model.operations.indices.filter { model.operations[$0].isExecuting }
        guard !executing.isEmpty else { return }
        let index = pick(executing)
        let failed = chance(1, in: 4)
        if !failed, let next = bench.advanceClaim(from: "\(index)") {
            model.finish(index, .succeeded)
            model.settle()
            // A claim has operations of one lane.
            return note(started: next, on: model.operations[index].lane)
        }
        bench.end("\(index)", failed: failed)
        model.finish(index, model.operations[index].isCancelled ? .cancelled : failed ? .failed : .succeeded)
    }

    private mutating func cancel() {
        guard let index = some(), model.operations[index].outcome == nil else { return }
        bench.cancel("\(index)")
        model.operations[index].isCancelled = true
    }

    private mutating func changeQueue() {
        let index = pick(model.queues.indices)
        let queue = queues[index]
        switch random.next() % 5 {
        case 0:
            model.queues[index].isSuspended.toggle()
            bench.feed { $0.suspensionChanged(queue, to: model.queues[index].isSuspended) }
        case 1:
            model.queues[index].width = pick([-1, 0, 1, 2, 4])
            bench.feed { $0.widthChanged(queue, to: model.queues[index].width) }
        case 2:
            bench.feed { $0.qualityOfServiceChanged(queue, to: pick(OperationQualityOfService.allCases)) }
        case 3:
            let isNeeded = chance(1, in: 2)
            bench.feed { $0.coreNeededElsewhere(isNeeded) }
        default:
            model.queues[index].failFast.toggle()
            bench.feed { $0.failFastChanged(queue, to: model.queues[index].failFast) }
        }
    }

    private mutating func changePriority() {
        guard let index = some() else { return }
        let priority = pick(OperationPriority.allCases)
        bench.feed { $0.priorityChanged(id(index), to: priority) }
        model.operations[index].priority = priority
    }

    /// Whether both agree about every operation.
    func agrees() -> Bool {
        for (index, operation) in model.operations.enumerated() {
            let name = "\(index)"
            let outcome = bench.outcome(name)
            let isExecuting = bench.state(name) == .executing
            if outcome != operation.outcome || isExecuting != operation.isExecuting {
                Issue.record(
                    "seed \(seed): \(name) is \(String(describing: outcome)), \(isExecuting); should be \(operation)"
                )
                return false
            }
        }
        return true
    }

    /// Opens everything and runs to the end, so that every operation that can run has run.
    mutating func finish() throws {
        for index in queues.indices {
            bench.feed { $0.widthChanged(queues[index], to: 2) }
            bench.feed { $0.suspensionChanged(queues[index], to: false) }
            model.queues[index].width = 2
            model.queues[index].isSuspended = false
        }
        model.settle()
        while true {
            for lane in [ExecutionLane.worker, .workerLow] {
                while let name = bench.take(lane) { note(started: name, on: lane) }
            }
            for name in bench.takeForReader() { note(started: name, on: .reader) }
            guard model.operations.contains(where: \.isExecuting) else { break }
            end()
            model.settle()
            guard agrees() else { return }
        }
        for index in model.operations.indices {
            let isLeft = model.isWaitingToStart(index)
            #expect(!isLeft, "seed \(seed): \(index) was never started: \(model.operations[index])")
        }
    }
}
