import Testing

@testable import Scheduling

/// A test bench for the machine: operations have names, events are a list of words, and the machine's
/// invariants are checked after each input.
///
/// It has no threads, and no clock except `now`.
final class MachineBench {
    var machine: SchedulerMachine
    /// The events since the last query.
    private var happenings: [String] = []
    private var ids: [String: OperationID] = [:]
    private var names: [OperationID: String] = [:]
    private var queueNames: [QueueID: String] = [:]
    /// Tickets of the script thread.
    private(set) var readerTickets: [QueueID] = []
    private(set) var now: Int64 = 0

    /// The claims of workers: the first operation of each executes, the others have not started.
    private var claims: [[OperationID]] = []

    init(sharedWidth: Int = 2, seed: UInt64 = 1) {
        machine = SchedulerMachine(sharedWidth: sharedWidth, seed: seed)
    }

    // MARK: Making

    func queue(_ name: String = "q", width: Int = -1, quality: OperationQualityOfService = .default)
        -> QueueID
    {
        let queue = machine.queueCreated(width: width, qualityOfService: quality)
        queueNames[queue] = name
        return queue
    }

    func dispatchQueue(_ name: String = "d", isSerial: Bool = true, target: QueueID? = nil) -> QueueID {
        let queue = machine.dispatchQueueCreated(isSerial: isSerial)
        queueNames[queue] = name
        if let target { feed { $0.targetChanged(queue, to: target) } }
        return queue
    }

    @discardableResult
    func make(
        _ name: String,
        lane: ExecutionLane = .worker,
        _ change: (inout OperationSpec) -> Void = { _ in }
    ) -> String {
        var spec = OperationSpec()
        spec.lane = lane
        spec.reports = true
        change(&spec)
        let id = machine.operationCreated(spec)
        ids[name] = id
        names[id] = name
        return name
    }

    /// Makes operations and adds them together, named a, b, c… by the string.
    @discardableResult
    func add(_ letters: String, to queue: QueueID, lane: ExecutionLane = .worker) throws -> [String] {
        let names = letters.map(String.init)
        for name in names { make(name, lane: lane) }
        try put(names, into: queue)
        return names
    }

    @discardableResult
    func group(_ name: String, width: Int = -1) -> QueueID {
        make(name, lane: .group)
        let inner = queue("inside \(name)", width: width)
        machine.groupCreated(id(name), inner: inner)
        return inner
    }

    func id(_ name: String) -> OperationID { ids[name] ?? .none }
    func name(_ id: OperationID) -> String { names[id] ?? "\(id)" }

    // MARK: Inputs

    func put(_ operations: [String], into queue: QueueID) throws {
        defer { settle() }
        try machine.operationsAdded(operations.map { AdditionSpec(id($0)) }, to: queue)
    }

    func put(_ operation: String, into queue: QueueID, _ change: (inout AdditionSpec) -> Void = { _ in })
        throws
    {
        var addition = AdditionSpec(id(operation))
        change(&addition)
        defer { settle() }
        try machine.operationAdded(addition, to: queue)
    }

    func wire(_ name: String, after other: String, when condition: DependencyCondition = .notFailed) throws {
        defer { settle() }
        try machine.dependencyAdded(id(name), on: id(other), when: condition)
    }

    /// A dependency that cannot be refused.
    func addPlainDependency(_ dependency: consuming Submission) {
        takeBackClaims()
        machine.plainDependencyAdded(dependency)
        settle()
    }

    /// Feeds any other input. As in the shell, claims are taken back before.
    func feed<R>(_ body: (inout SchedulerMachine) throws -> R) rethrows -> R {
        takeBackClaims()
        defer { settle() }
        return try body(&machine)
    }

    private func takeBackClaims() {
        for claim in claims {
            for id in claim.dropFirst() { machine.unclaimed(id) }
        }
        claims = []
        machine.effects.overtakesClaims = false
    }

    /// A worker of a lane asks once.
    ///
    /// The name of the operation that it got.
    @discardableResult
    func take(_ lane: ExecutionLane = .worker) -> String? {
        let id = machine.takeNext(lane)
        settle()
        return id.map(name)
    }

    /// A worker of a lane claims operations.
    ///
    /// The name of the first one, which executes.
    func claim(_ lane: ExecutionLane, atMost limit: Int) -> String? {
        let ids = UnsafeMutablePointer<OperationID>.allocate(capacity: limit)
        defer { ids.deallocate() }
        let count = machine.claim(lane, atMost: limit, into: ids)
        guard count > 0 else { return nil }
        claims.append((0..<count).map { ids[$0] })
        settle()
        return name(ids[0])
    }

    /// The first operation of a claim succeeds, and its worker continues with the next one.
    ///
    /// The name of the next one; nil if the operation is not the first of a claim with a rest, and then nothing has
    /// changed.
    func advanceClaim(from name: String) -> String? {
        guard let place = claims.firstIndex(where: { $0[0] == id(name) && $0.count > 1 }) else { return nil }
        machine.claimAdvanced(from: claims[place].removeFirst(), to: claims[place][0])
        let next = claims[place][0]
        settle()
        return self.name(next)
    }

    /// Workers ask until there is nothing more for them.
    @discardableResult
    func takeAll(_ lane: ExecutionLane = .worker) -> [String] {
        var taken: [String] = []
        while let name = take(lane) { taken.append(name) }
        return taken
    }

    /// The script thread uses all its tickets.
    ///
    /// The names of the operations that it got.
    @discardableResult
    func takeForReader() -> [String] {
        var taken: [String] = []
        while !readerTickets.isEmpty {
            let queue = readerTickets.removeFirst()
            if let id = feed({ $0.takeReaderOperation(queue) }) { taken.append(name(id)) }
        }
        return taken
    }

    func end(_ names: String..., failed: Bool = false) {
        for name in names {
            feed { machine in
                machine.bodyEnded(id(name), failed: failed)
            }
        }
    }

    func fail(_ name: String) { end(name, failed: true) }

    func cancel(_ name: String) { feed { _ = $0.cancelled(id(name)) } }

    func advance(by nanoseconds: Int64) {
        now += nanoseconds
        feed { $0.timeReached(now) }
    }

    /// Runs everything to its end, one after the other; the names in the order of their starts.
    @discardableResult
    func runAll(failing: Set<String> = []) -> [String] {
        var order: [String] = []
        while true {
            var started: [String] = []
            for lane in ExecutionLane.allCases where lane.isWorker {
                if let name = take(lane) { started.append(name) }
            }
            started += takeForReader()
            if started.isEmpty {
                guard let deadline = machine.nextDeadline else { return order }
                advance(by: deadline - now)
                continue
            }
            order += started
            for name in started { end(name, failed: failing.contains(name)) }
        }
    }

    // MARK: Looking

    /// The events since the last query, without readiness unless requested.
    func happened(withReadiness: Bool = false) -> [String] {
        defer { happenings = [] }
        return withReadiness
            ? happenings : happenings.filter { !$0.hasPrefix("ready") && !$0.hasPrefix("notReady") }
    }

    func outcome(_ name: String) -> OperationOutcome? { machine.outcome(of: id(name)) }
    func state(_ name: String) -> OperationState? { machine.state(of: id(name)) }
    func isReady(_ name: String) -> Bool { machine.isReady(id(name)) }
    func isCancelled(_ name: String) -> Bool { machine.isCancelled(id(name)) }
    func attempt(_ name: String) -> Int { machine.store.live(id(name)).map { Int($0.pointee.attempt) } ?? 0 }

    func queue(of name: String) -> QueueID? {
        guard let record = machine.store.live(id(name)), record.pointee.queue != .max else { return nil }
        let queue = QueueID(index: record.pointee.queue)
        return queue == SchedulerMachine.hiddenQueue ? nil : queue
    }

    /// The unfinished dependencies of an operation, in the order of addition.
    func dependencies(of name: String) -> [String] {
        var names: [String] = []
        var index = machine.store.live(id(name))?.pointee.firstDependency ?? .max
        while index != .max {
            names.append(self.name(machine.edges.origin(machine.edges.pointer(index), in: machine.store)))
            index = machine.edges[index].nextDependency
        }
        return names
    }

    func names(in queue: QueueID) -> [String] { machine.operations(in: queue).map(name) }

    // MARK: After each input

    private func settle() {
        if machine.effects.overtakesClaims { takeBackClaims() }
        machine.startPushed()
        if !machine.effects.timersToArm.isEmpty { machine.armTimers(now) }
        for event in machine.effects.events.elements { note(event) }
        machine.effects.events.truncate()
        for id in machine.effects.ended.elements { happenings.append("complete \(name(id))") }
        machine.effects.ended.truncate()
        for action in machine.effects.actions {
            switch action {
            case .startTask(let id): happenings.append("task \(name(id))")
            case .cancelBody(let id): happenings.append("tell \(name(id))")
            case .external(let step, let id, _): happenings.append("external \(step) \(name(id))")
            }
        }
        machine.effects.actions.removeAll()
        let faults = machine.checkInvariants()
        #expect(faults.isEmpty)
    }

    private func note(_ event: SchedulerEvent) {
        switch event.kind {
        case .readerTicket:
            readerTickets.append(event.queue)
        case .finished:
            let id = machine.store.id(event.slot)
            let by = machine.cause(of: id)
            let cause = by == .none ? "" : " by \(name(by))"
            happenings.append("end \(name(id)) \(event.outcome)\(cause)")
        case .started: happenings.append("start \(name(machine.store.id(event.slot)))")
        case .ready, .notReady, .attemptFailed, .retrying, .cancelled, .timedOut, .externalTicket:
            happenings.append("\(event.kind) \(name(machine.store.id(event.slot)))")
        }
    }
}

extension MachineBench {
    /// Expects an input to be refused, and returns the refusal.
    func refusal(_ body: (inout SchedulerMachine) throws -> Void) -> SchedulingFailure? {
        do {
            try feed(body)
            return nil
        } catch {
            guard let refusal = error as? SchedulingFailure else {
                Issue.record("\(error) is no refusal")
                return nil
            }
            return refusal
        }
    }
}
