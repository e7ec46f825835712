internal import LuaVM
internal import OpScriptRecord
internal import Scheduling

/// Feeds the record of the run with data from the script's picture of operations, and with the facts of the
/// scheduler.
///
/// There is one only if the host wants records, or has sinks. Confined to the script thread.
final class RunRecording: EventSubscriber {
    let recorder: RunRecorder
    private let agenda: Agenda
    private let runState: RunState
    private let clock: SchedulerClock
    private let isVirtual: Bool
    private let seed: UInt64?
    /// Receives operations that have ended, for subscribers.
    private let hub: BatchHub<[RecordedOperation]>
    private var endedOperations: [RecordedOperation] = []
    let link: ScriptLink
    /// The keys of the queues that were suspended from outside.
    var heldSuspensions: Set<UInt64> = []
    /// Whether reports have a record.
    let keepsRecord: Bool
    /// For each work: the index of its name. The first one is that of operations without a work.
    private let workNames = PlainBuffer<UInt32>()
    /// The workers that virtual time would keep busy, by number: true while taken.
    private var virtualWorkers: [Bool] = []
    private var virtualWorkerOf: [OperationID: Int] = [:]
    /// The places of the failures in the record, by their indices in the report.
    private var failurePlaces: [Int: Int] = [:]

    init(_ foundation: RuntimeFoundation) {
        let configuration = foundation.configuration
        recorder = RunRecorder(sinks: configuration.sinks + [configuration.traceSink].compactMap { $0 })
        agenda = foundation.agenda
        runState = foundation.runState
        clock = foundation.scheduler.clock
        link = foundation.link
        hub = link.operations
        keepsRecord = configuration.recordsRuns
        isVirtual = configuration.clock == .virtual
        seed = configuration.chanceSeed
    }

    private var now: Int64 { clock.now }

    // MARK: The run

    /// A run of a script begins.
    func begin(_ name: String) {
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
        workNames.truncate()
        virtualWorkers = []
        virtualWorkerOf = [:]
    }

    override func handOut() {
        recorder.handOut()
        guard !endedOperations.isEmpty else { return }
        hub.publish(endedOperations)
        endedOperations.removeAll(keepingCapacity: true)
    }

    // MARK: Operations

    override func receive(_ event: EngineEvent) {
        guard let view = event.operation else { return receiveOther(event) }
        let moment = event.moment
        switch event.kind {
        case .made: made(view, at: moment)
        case .added: added(view, at: moment)
        case .ready:
            let (number, fact) = (number(view), agenda.takeFact(of: view.pointee.id))
            let (cause, by) = release(fact)
            recorder.ready(number, because: cause, by: by, at: fact?.moment ?? moment, learned: moment)
        case .started:
            let (number, fact) = (number(view), agenda.takeFact(of: view.pointee.id))
            let (cause, by) = release(fact)
            recorder.started(
                number,
                on: runner(view, fact),
                because: cause,
                by: by,
                at: fact?.moment ?? moment,
                learned: moment
            )
        case .retrying:
            leave(view)
            let ended = agenda.takeFact(of: view.pointee.id)?.moment ?? now
            noteStay(view, number(view), until: ended)
            recorder.retrying(
                number(view),
                because: runtime.operations.attemptFailure(of: view).map(link.secrets.hidden),
                at: ended,
                learned: moment
            )
        case .moved(let code):
            recorder.moved(number(view), to: RecordedRunner(code: code), at: moment, learned: now)
        case .cancelled:
            // Otherwise the addition brings the name.
            if !view.pointee.flags.contains(.isSubmitted) { recorder.renamed(number(view), to: name(view)) }
            recorder.cancelled(number(view), at: moment)
        case .ended: ended(view, at: moment)
        case .dependency(let other, let condition): dependency(view, on: other, condition)
        case .renamed:
            guard view.pointee.flags.contains(.isSubmitted) else { return }
            recorder.renamed(number(view), to: name(view))
        case .failure(let index): failed(view, at: index)
        default: break
        }
    }

    /// Events that no operation has.
    private func receiveOther(_ event: EngineEvent) {
        switch event.kind {
        case .fired(let timer): recorder.fired(UInt32(truncatingIfNeeded: timer), at: event.moment)
        case .failureHandled(let index):
            if let place = failurePlaces[index] { recorder.handledFailure(at: place) }
        case .queueChanged(let id):
            if let queue = runtime.queues.table[id.index] { queueChanged(queue) }
        case .printed(let line):
            let text = link.secrets.hidden(in: String(decoding: line, as: UTF8.self))
            recorder.printed(text, at: event.moment)
        default: break
        }
    }

    private func release(_ fact: EventFact?) -> (ReleaseCause, UInt32) {
        fact.map { (ReleaseCause($0.cause), number($0.by)) } ?? (.addition, RunRecorder.nothing)
    }

    private func made(_ view: OperationPointer, at moment: Int64) {
        let (source, line) = (view.pointee.source, view.pointee.line)
        let key = UInt64(UInt32(bitPattern: source)) << 32 | UInt64(UInt32(bitPattern: line))
        let place = recorder.place(key) {
            runtime.vm.describe(LuaPlace(source: source, line: line)).map(link.secrets.hidden) ?? ""
        }
        let id = view.pointee.id
        recorder.made(slot: id.slot, identity: id.eventIdentity, place: place, at: moment)
    }

    /// The number of an operation, which is made known if the record began after it was made.
    @inline(__always)
    private func number(_ view: OperationPointer) -> UInt32 {
        let id = view.pointee.id
        let number = recorder.number(slot: id.slot, identity: id.eventIdentity)
        return number != RunRecorder.nothing ? number : madeLate(view)
    }

    @inline(never)
    private func madeLate(_ view: OperationPointer) -> UInt32 {
        made(view, at: now)
        return recorder.number(slot: view.pointee.id.slot, identity: view.pointee.id.eventIdentity)
    }

    /// The number of an operation that may be gone.
    func number(_ id: OperationID) -> UInt32 {
        id == .none ? RunRecorder.nothing : recorder.number(slot: id.slot, identity: id.eventIdentity)
    }

    private func dependency(
        _ view: OperationPointer,
        on other: OperationPointer,
        _ condition: DependencyCondition
    ) {
        let condition: RecordedCondition =
            switch condition {
            case .notFailed: .notFailed
            case .succeeded: .succeeded
            case .finished: .finished
            case .failed: .failed
            }
        recorder.dependency(of: number(view), on: number(other), condition)
    }

    private func added(_ view: OperationPointer, at moment: Int64) {
        var queue = RunRecorder.nothing
        if view.pointee.queue >= 0 {
            let key = UInt64(UInt32(view.pointee.queue)) << 32 | UInt64(view.pointee.queueNumber)
            // The sinks do not know the settings of a queue that is new in the record.
            var isNew = false
            queue = recorder.queue(key) {
                isNew = true
                return description(of: view)
            }
            if isNew { _ = runtime.operations.withQueue(of: view) { queueChanged($0) } }
        }
        let (cause, by) = additionCause()
        recorder.added(
            number(view),
            name: name(view),
            work: view.pointee.work < 0 ? RunRecorder.nothing : workName(of: view),
            queue: queue,
            because: cause,
            by: by,
            at: moment,
            isStep: view.pointee.flags.contains(.belongsToWaits)
        )
    }

    /// A plan has ended: every operation is as it would be submitted.
    func planEnded() {
        for (id, submission) in runtime.operations.submissions() {
            if let view = runtime.operations.liveView(id) { recorder.planned(number(view), submission) }
        }
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
        view.pointee.flags.contains(.hasName)
            ? recorder.name(runtime.operations.name(view)) : workName(of: view)
    }

    /// The name of the work, or that of all operations without a work.
    private func workName(of view: OperationPointer) -> UInt32 {
        let place = Int(view.pointee.work + 1)
        while workNames.count <= place { workNames.append(RunRecorder.nothing) }
        if workNames[place] == RunRecorder.nothing {
            workNames[place] = recorder.name(runtime.operations.defaultName(view))
        }
        return workNames[place]
    }

    private func runner(_ view: OperationPointer, _ fact: EventFact?) -> RecordedRunner {
        if let fact, fact.worker > 0 { return .worker(Int(fact.worker)) }
        switch view.pointee.kind {
        case .main, .start: return .scriptThread
        case .group, .gate: return .none
        case .sleep: return .elsewhere
        case .work:
            if view.pointee.flags.contains(.runsOnMain) { return .scriptThread }
            return runtime.operations.entry(view.pointee.id)?.pointee.body?.remote != nil
                ? .cluster : .elsewhere
        case .simulated:
            if placement(of: view) != nil { return .cluster }
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

    private func placement(of view: OperationPointer) -> ClusterPlacement? {
        runtime.operations.entry(view.pointee.id)?.pointee.attachment?.placement
    }

    /// Gives back the worker that virtual time would have kept busy.
    private func leave(_ view: OperationPointer) {
        guard view.pointee.kind == .simulated,
            let place = virtualWorkerOf.removeValue(forKey: view.pointee.id)
        else { return }
        virtualWorkers[place] = false
    }

    private func ended(_ view: OperationPointer, at moment: Int64) {
        leave(view)
        let number = number(view)
        let happened = agenda.takeFact(of: view.pointee.id)?.moment ?? moment
        noteStay(view, number, until: happened)
        if view.pointee.outcome == .succeeded { recorder.neededNoNode(number) }
        recorder.ended(number, RecordedOutcome(view.pointee.outcome), at: happened, learned: moment)
        if view.pointee.flags.contains(.isAsync) { noteUsage(view, number) }
        if hub.isObserved { endedOperations.append(recorder.operation(number)) }
    }

    /// An attempt has ended: since when it was on a node of a cluster is known now.
    private func noteStay(_ view: OperationPointer, _ number: UInt32, until ended: Int64) {
        guard view.pointee.flags.contains(.isAsync), number != RunRecorder.nothing,
            let body = runtime.operations.entry(view.pointee.id)?.pointee.body,
            let stay = body.takeStay(attempt: Int(view.pointee.attempt))
        else { return }
        let since = stay.seconds.map { ended - SchedulerClock.nanoseconds($0) } ?? stay.since
        recorder.ran(number, on: .node(stay.node), since: min(since, ended))
    }

    /// The program of an operation has ended, if it ran one.
    private func noteUsage(_ view: OperationPointer, _ number: UInt32) {
        guard let body = runtime.operations.entry(view.pointee.id)?.pointee.body, body.mayRunPrograms,
            let usage = body.program?.usage
        else { return }
        func nanoseconds(_ seconds: Double) -> Int64 { SchedulerClock.nanoseconds(seconds) }
        let recorded = RecordedUsage(
            wall: nanoseconds(usage.wall),
            user: nanoseconds(usage.user),
            system: nanoseconds(usage.system),
            peakMemory: usage.peakMemory
        )
        recorder.used(number, recorded)
    }

    private func failed(_ view: OperationPointer, at index: Int) {
        let number = number(view)
        let failure = runState.report.failures[index]
        failurePlaces[index] = recorder.failed(
            RecordedFailure(
                operation: number == RunRecorder.nothing ? nil : Int(number),
                name: failure.name,
                place: failure.createdAt,
                message: failure.message,
                traceback: failure.traceback,
                moment: recorder.sinceBegin(now),
                isHandled: failure.isHandled || failure.isAwaited
            )
        )
    }
}

extension RecordedOutcome {
    fileprivate init(_ outcome: OperationOutcome) {
        self =
            switch outcome {
            case .succeeded: .succeeded
            case .failed: .failed
            case .cancelled: .cancelled
            case .skipped, .skippedQuietly: .skipped
            }
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
