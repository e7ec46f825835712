internal import LuaVM
internal import OpScriptRecord
internal import Scheduling

/// Feeds the record of the run with data from the script's picture of operations, and with the facts of the
/// scheduler.
///
/// There is one only if the host wants records, or has sinks. Confined to the script thread.
final class RunRecording {
    let recorder: RunRecorder
    // unowned(unsafe) because the runtime owns the part that owns this, and nothing is recorded before the
    // runtime has all its parts or after it is gone. Set once, when the runtime has all its parts.
    private unowned(unsafe) var joined: ScriptRuntime?
    private let agenda: Agenda
    private let clock: SchedulerClock
    private let isVirtual: Bool
    private let seed: UInt64?
    /// Receives operations that have ended, for subscribers.
    private let hub: OperationHub
    private var ended: [RecordedOperation] = []
    let link: ScriptLink
    /// The keys of the queues that were suspended from outside.
    var heldSuspensions: Set<UInt64> = []
    /// Whether reports have a record.
    let keepsRecord: Bool
    /// For each work: the index of its name.
    private var workNames: [UInt32] = []
    private var operationName = RunRecorder.nothing
    /// The workers that virtual time would keep busy, by number: true while taken.
    private var virtualWorkers: [Bool] = []
    private var virtualWorkerOf: [OperationID: Int] = [:]
    /// Whether the record has just received a queue whose settings the sinks do not know.
    private var hasNewQueue = false
    /// The places of the failures in the record, by their indices in the report.
    private var failurePlaces: [Int: Int] = [:]
    /// The moments that sinks see never decrease.
    private var latest = Int64.min

    init(_ foundation: RuntimeFoundation, sinks: [any RunSink]) {
        recorder = RunRecorder(sinks: sinks)
        agenda = foundation.agenda
        clock = foundation.scheduler.clock
        link = foundation.link
        hub = link.operations
        keepsRecord = foundation.configuration.recordsRuns
        isVirtual = foundation.configuration.clock == .virtual
        seed = foundation.configuration.chanceSeed
    }

    /// The runtime has all its parts.
    func join(_ runtime: ScriptRuntime) { joined = runtime }

    /// For rare uses only: each use counts references.
    var runtime: ScriptRuntime {
        guard let joined else {
            preconditionFailure("something was recorded before the runtime had all its parts")
        }
        return joined
    }

    private var now: Int64 { clock.now }

    // MARK: The run

    /// A run of a script begins.
    func begin(_ name: String) {
        latest = .min
        failurePlaces = [:]
        forgetNames()
        let header = RunHeader(
            name: link.secrets.hidden(in: name),
            isVirtual: isVirtual,
            seed: seed,
            workers: runtime.scheduler.workerCount
        )
        recorder.begin(header, at: now)
    }

    /// The session has ended; later facts belong to no record.
    func finish(_ end: RunEnd) -> RunRecord? {
        handOut()
        releaseSuspensions()
        let record = recorder.finish(end, at: now)
        forgetNames()
        return keepsRecord ? record : nil
    }

    private func forgetNames() {
        workNames.removeAll(keepingCapacity: true)
        operationName = RunRecorder.nothing
        virtualWorkers = []
        virtualWorkerOf = [:]
    }

    /// Delivers the gathered facts.
    func handOut() {
        recorder.handOut()
        guard !ended.isEmpty else { return }
        hub.publish(ended)
        ended.removeAll(keepingCapacity: true)
    }

    // MARK: Operations

    /// An operation was made.
    @inline(never)
    func made(_ view: OperationPointer) {
        let (source, line) = (view.pointee.source, view.pointee.line)
        let key = UInt64(UInt32(bitPattern: source)) << 32 | UInt64(UInt32(bitPattern: line))
        let place = recorder.place(key) {
            runtime.vm.describe(LuaPlace(source: source, line: line)).map(link.secrets.hidden) ?? ""
        }
        recorder.made(slot: view.pointee.id.slot, identity: identity(view.pointee.id), place: place, at: now)
    }

    @inline(__always)
    private func identity(_ id: OperationID) -> UInt64 { Reporting.eventIdentity(id) }

    /// The number of an operation, which is made known if the record began after it was made.
    @inline(__always)
    private func number(_ view: OperationPointer) -> UInt32 {
        let id = view.pointee.id
        let number = recorder.number(slot: id.slot, identity: identity(id))
        return number != RunRecorder.nothing ? number : madeLate(view)
    }

    @inline(never)
    private func madeLate(_ view: OperationPointer) -> UInt32 {
        made(view)
        return recorder.number(slot: view.pointee.id.slot, identity: identity(view.pointee.id))
    }

    /// The number of an operation that may be gone.
    func number(_ id: OperationID) -> UInt32 {
        id == .none ? RunRecorder.nothing : recorder.number(slot: id.slot, identity: identity(id))
    }

    /// An operation depends on another one.
    func dependency(_ view: OperationPointer, on other: OperationPointer, _ condition: DependencyCondition) {
        let condition: RecordedCondition =
            switch condition {
            case .notFailed: .notFailed
            case .succeeded: .succeeded
            case .finished: .finished
            case .failed: .failed
            }
        recorder.dependency(of: number(view), on: number(other), condition)
    }

    /// An operation has another name from now on.
    func renamed(_ view: OperationPointer) {
        guard view.pointee.flags.contains(.isSubmitted) else { return }
        recorder.renamed(number(view), to: name(view))
    }

    /// An event of an operation.
    ///
    /// - Parameter moment: When the script thread learned of it.
    @inline(never)
    func note(_ kind: EventRecord.Kind, _ view: OperationPointer, at moment: Int64) {
        let number = number(view)
        let fact = agenda.takeFact(of: view.pointee.id)
        // Virtual time may have advanced since an event was fetched.
        let moment = isVirtual ? now : moment
        let happened = fact?.moment ?? moment
        latest = max(latest, moment)
        switch kind {
        case .added: noteAddition(view, number, latest)
        case .ready:
            recorder.ready(
                number,
                because: fact.map { ReleaseCause($0.cause) } ?? .addition,
                by: fact.map { self.number($0.by) } ?? RunRecorder.nothing,
                at: happened,
                learned: latest
            )
        case .started:
            recorder.started(
                number,
                on: runner(view, fact),
                because: fact.map { ReleaseCause($0.cause) } ?? .addition,
                by: fact.map { self.number($0.by) } ?? RunRecorder.nothing,
                at: happened,
                learned: latest
            )
        case .cancelled:
            // Otherwise the addition brings the name.
            if !view.pointee.flags.contains(.isSubmitted) { recorder.renamed(number, to: name(view)) }
            recorder.cancelled(number, at: latest)
        case .succeeded: noteEnd(view, number, .succeeded, happened)
        case .failed: noteEnd(view, number, .failed, happened)
        case .wasCancelled: noteEnd(view, number, .cancelled, happened)
        case .skipped: noteEnd(view, number, .skipped, happened)
        case .fired, .lost: break
        }
    }

    private func noteAddition(_ view: OperationPointer, _ number: UInt32, _ moment: Int64) {
        var queue = RunRecorder.nothing
        if view.pointee.queue >= 0 {
            let key = UInt64(UInt32(view.pointee.queue)) << 32 | UInt64(view.pointee.queueNumber)
            queue = recorder.queue(key) {
                hasNewQueue = true
                return description(of: view)
            }
            if hasNewQueue {
                hasNewQueue = false
                _ = runtime.operations.withQueue(of: view) { queueChanged($0) }
            }
        }
        let (cause, by) = additionCause()
        recorder.added(
            number,
            name: name(view),
            work: view.pointee.work < 0 ? RunRecorder.nothing : workName(view.pointee.work),
            queue: queue,
            because: cause,
            by: by,
            at: moment,
            isStep: view.pointee.flags.contains(.belongsToWaits)
        )
    }

    private func description(of view: OperationPointer) -> RecordedQueue {
        runtime.operations.withQueue(of: view) { queue in
            let group = queue.owner.map { number($0) } ?? RunRecorder.nothing
            return RecordedQueue(
                name: link.secrets.hidden(in: queue.name),
                width: queue.width < 0 ? nil : queue.width,
                group: group == RunRecorder.nothing ? nil : Int(group)
            )
        } ?? RecordedQueue(name: "queue", width: nil)
    }

    /// The cause of an addition that the script makes now: the body that makes it, or the end that the
    /// running callback serves.
    private func additionCause() -> (ReleaseCause, UInt32) {
        let bodies = runtime.bodies
        guard let task = bodies.current else { return (.script, RunRecorder.nothing) }
        if case .timer = task.end { return (.timer, RunRecorder.nothing) }
        if let operation = task.operation { return (.script, number(operation)) }
        if case .callback = task.end, let served = bodies.served { return (.script, number(served)) }
        return (task.waitedForTime ? .timer : .script, task.origin)
    }

    private func name(_ view: OperationPointer) -> UInt32 {
        if view.pointee.flags.contains(.hasName) { return recorder.name(runtime.operations.name(view)) }
        if view.pointee.work >= 0 { return workName(view.pointee.work) }
        if operationName == RunRecorder.nothing { operationName = recorder.name("operation") }
        return operationName
    }

    private func workName(_ work: Int32) -> UInt32 {
        while workNames.count <= work { workNames.append(RunRecorder.nothing) }
        if workNames[Int(work)] == RunRecorder.nothing {
            workNames[Int(work)] = recorder.name(runtime.works.definition(Int(work)).name)
        }
        return workNames[Int(work)]
    }

    private func runner(_ view: OperationPointer, _ fact: EventFact?) -> RecordedRunner {
        if let fact, fact.worker > 0 { return .worker(Int(fact.worker)) }
        switch view.pointee.kind {
        case .main, .start: return .scriptThread
        case .group, .gate: return .none
        case .sleep: return .elsewhere
        case .work: return view.pointee.flags.contains(.runsOnMain) ? .scriptThread : .elsewhere
        case .simulated:
            if view.pointee.flags.contains(.isAsync) { return .elsewhere }
            let place = virtualWorkers.firstIndex(of: false) ?? virtualWorkers.count
            if place == virtualWorkers.count {
                virtualWorkers.append(true)
            } else {
                virtualWorkers[place] = true
            }
            virtualWorkerOf[view.pointee.id] = place
            return .worker(place + 1)
        }
    }

    /// Gives back the worker that virtual time would have kept busy.
    private func leave(_ view: OperationPointer) {
        guard view.pointee.kind == .simulated,
            let place = virtualWorkerOf.removeValue(forKey: view.pointee.id)
        else { return }
        virtualWorkers[place] = false
    }

    /// An attempt ended, and another one follows.
    func retrying(_ view: OperationPointer) {
        leave(view)
        latest = max(latest, isVirtual ? now : agenda.momentOfEvents)
        let moment = agenda.takeFact(of: view.pointee.id)?.moment ?? now
        recorder.retrying(
            number(view),
            because: runtime.operations.attemptFailure(of: view).map(link.secrets.hidden),
            at: moment,
            learned: latest
        )
    }

    private func noteEnd(
        _ view: OperationPointer,
        _ number: UInt32,
        _ outcome: RecordedOutcome,
        _ moment: Int64
    ) {
        leave(view)
        recorder.ended(number, outcome, at: moment, learned: latest)
        if hub.isObserved { ended.append(recorder.operation(number)) }
    }

    /// The program of an operation has ended.
    func used(_ view: OperationPointer, _ usage: ProgramUsage) {
        func nanoseconds(_ seconds: Double) -> Int64 { SchedulerClock.nanoseconds(seconds) }
        let usage = RecordedUsage(
            wall: nanoseconds(usage.wall),
            user: nanoseconds(usage.user),
            system: nanoseconds(usage.system),
            peakMemory: usage.peakMemory
        )
        recorder.used(number(view), usage)
    }

    /// An operation failed.
    ///
    /// - Parameter index: The index of the failure in the report.
    func failed(_ view: OperationPointer, _ failure: ScriptReport.Failure, at index: Int, isHandled: Bool) {
        let number = number(view)
        failurePlaces[index] = recorder.failed(
            RecordedFailure(
                operation: number == RunRecorder.nothing ? nil : Int(number),
                name: failure.name,
                place: failure.createdAt,
                message: failure.message,
                traceback: failure.traceback,
                moment: recorder.sinceBegin(now),
                isHandled: isHandled
            )
        )
    }

    /// The script has taken the failure at an index of the report.
    func handledFailure(at index: Int) {
        if let place = failurePlaces[index] { recorder.handledFailure(at: place) }
    }
}

extension ReleaseCause {
    init(_ cause: EventCause) {
        self =
            switch cause {
            case .addition: .addition
            case .dependency: .dependency
            case .delay: .delay
            case .slot: .slot
            case .resource: .resource
            case .worker: .worker
            case .job: .job
            case .barrier: .barrier
            case .owner: .script
            }
    }
}
