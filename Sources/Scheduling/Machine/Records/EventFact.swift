/// The cause for which an operation became ready, or started.
package enum EventCause: UInt8, Sendable, BitwiseCopyable {
    /// Nothing delayed it after it was added.
    case addition
    /// A dependency ended.
    case dependency
    /// A delay passed: that of its addition, or that before another attempt.
    case delay
    /// A slot of its queue became free.
    case slot
    /// A resource was given back.
    case resource
    /// A worker, or a share of threads, became free.
    case worker
    /// Another closure ended while as many closures ran as the limit allows.
    case job
    /// A barrier in its queue ended; or, for a barrier, the last operation before it ended.
    case barrier
    /// The owner resumed its queue, or removed a dependency.
    case owner
}

/// The facts about an event that a record of a run needs, besides the event itself. Created only by a
/// scheduler that records.
package struct EventFact: Sendable, BitwiseCopyable {
    /// When it happened, in nanoseconds on the scheduler's clock.
    package var moment: Int64
    /// The operation whose end was the cause; `.none` if there is no such operation. If the owner resumed the queue,
    /// the operation that gave back the slot before.
    package var by: OperationID
    /// The number of the worker that runs the body, from 1; 0 if no worker does.
    package var worker: UInt16
    /// Why an operation became ready (`ready`), or started then and not before (`started`).
    package var cause: EventCause

    /// A fact with nothing but its moment.
    package init(
        moment: Int64 = 0,
        by: OperationID = .none,
        worker: UInt16 = 0,
        cause: EventCause = .addition
    ) {
        self.moment = moment
        self.by = by
        self.worker = worker
        self.cause = cause
    }
}

/// The memory of a machine that records, from which it derives causes; guarded like the machine.
final class FactLog {
    /// An obstacle that was removed: at which step, and by the end of which operation.
    private struct Removal {
        var step: UInt32 = 0
        var by = OperationID.none
        var cause = EventCause.addition
    }

    /// One fact for each event of the machine, in the same order.
    let facts = PlainBuffer<EventFact>()
    /// The fact of the start that the machine last took out of its events.
    var droppedStart = EventFact()
    /// The moment of the present input; the shell sets it.
    var now: Int64 = 0
    /// The worker whose body begins or ends now; the shell sets it.
    var worker: UInt16 = 0
    /// The operation that ends now.
    var ending = OperationID.none
    /// The cause for which operations become ready now.
    var cause = EventCause.addition
    /// The operation whose end is that cause.
    var causeBy = OperationID.none
    /// The operation before the one that a worker starts next in its claim.
    var before = OperationID.none

    private var step: UInt32 = 1
    /// For each slot: the step at which the operation entered the ready list.
    private let readySteps = PlainBuffer<UInt32>()
    private var slots: [Removal] = []
    private var resumptions: [Removal] = []
    private var resources: [Removal] = []
    private var share = Removal()
    private var job = Removal()
    private var barriers: [UInt32: Removal] = [:]

    /// Appends the fact of an event that is reported now.
    func append(_ kind: SchedulerEvent.Kind, by other: OperationID, isOnWorker: Bool) {
        switch kind {
        case .ready: facts.append(EventFact(moment: now, by: causeBy, cause: cause))
        case .started:
            facts.append(
                EventFact(moment: now, by: causeBy, worker: isOnWorker ? worker : 0, cause: cause)
            )
        case .finished, .retrying:
            facts.append(EventFact(moment: now, by: other, worker: isOnWorker ? worker : 0))
        case .notReady, .attemptFailed, .cancelled, .timedOut, .readerTicket, .externalTicket:
            facts.append(EventFact(moment: now))
        }
    }

    /// Forgets the fact of the last event, which has been taken out of the events.
    func dropLast() {
        let last = facts.count - 1
        droppedStart = facts[last]
        facts.truncate(to: last)
    }

    /// Sets the cause for operations that become ready from now on.
    func becauseOf(_ cause: EventCause, _ by: OperationID = .none) {
        self.cause = cause
        causeBy = by
    }

    func enteredReadyList(_ slot: UInt32) {
        step &+= 1
        while readySteps.count <= slot { readySteps.append(0) }
        readySteps[Int(slot)] = step
    }

    func slotBecameFree(in queue: Int) {
        while slots.count <= queue { slots.append(Removal()) }
        slots[queue] = removal(.slot)
    }

    func queueResumed(_ queue: Int) {
        while resumptions.count <= queue { resumptions.append(Removal()) }
        resumptions[queue] = removal(.owner)
    }

    func resourceGivenBack(_ index: Int) {
        while resources.count <= index { resources.append(Removal()) }
        resources[index] = removal(.resource)
    }

    func termPassed(_ index: Int) {
        while resources.count <= index { resources.append(Removal()) }
        resources[index] = removal(.delay)
    }

    func shareBecameFree() { share = removal(.worker) }

    func jobBecameFree() { job = removal(.job) }

    func barrierLeft(_ slot: UInt32) { barriers[slot] = removal(.barrier) }

    private func removal(_ cause: EventCause) -> Removal {
        step &+= 1
        return Removal(step: step, by: cause == .owner || cause == .delay ? .none : ending, cause: cause)
    }

    /// Returns the cause for which an operation starts now: the last obstacle that was removed after the
    /// operation had become ready.
    func explainStart(_ slot: UInt32, queue: Int, isFull: Bool, resources needs: [ResourceTable.Need]) {
        becauseOf(.addition)
        if before != .none {
            becauseOf(isFull ? .slot : .worker, before)
            before = .none
            return
        }
        guard slot < UInt32(readySteps.count) else { return }
        var last = Removal(step: readySteps[Int(slot)])
        if !barriers.isEmpty, let barrier = barriers.removeValue(forKey: slot), barrier.step >= last.step {
            last = barrier
        }
        if queue < slots.count, slots[queue].step > last.step { last = slots[queue] }
        if queue < resumptions.count, resumptions[queue].step > last.step {
            // An operation may have given back the slot while the queue was suspended.
            let holder = last.cause == .slot ? last.by : .none
            last = resumptions[queue]
            last.by = holder
        }
        if share.step > last.step { last = share }
        if job.step > last.step { last = job }
        for need in needs where need.resource < resources.count {
            if resources[need.resource].step > last.step { last = resources[need.resource] }
        }
        becauseOf(last.cause, last.by)
    }
}
