/// The machine's record of one operation.
///
/// It stays in the store's memory and is never copied; 64 bytes, one cache line.
package struct OperationRecord {
    /// The stage that the operation has reached.
    ///
    /// Outside the machine, `created` and `waiting` appear as pending.
    enum Phase: UInt8 {
        /// The slot is free; the generation is that of the next use.
        case free
        /// In no queue.
        case created
        /// In a queue; dependencies, a delay, a barrier or the next attempt hold it back.
        case waiting
        /// In a queue and in a ready list: only its turn holds it back.
        case ready
        /// In a worker's claim: it starts when those before it in the claim have ended.
        case claimed
        /// In a queue that another executor runs: only its turn there holds it back.
        case offered
        /// Its body runs, or it has started and will be ended from outside.
        case executing
        /// Cancelled or skipped in a suspended queue: finishes when the queue is resumed.
        case ending
        /// Has an outcome; the slot is kept until the owner releases it.
        case finished
    }

    struct Flags: OptionSet {
        let rawValue: UInt32
        static let cancelled = Flags(rawValue: 1 << 0)
        /// The attempt's time ran out; the outcome is decided, the body still runs.
        static let timedOut = Flags(rawValue: 1 << 1)
        static let barrier = Flags(rawValue: 1 << 2)
        static let allowsFailure = Flags(rawValue: 1 << 3)
        /// Ended only by `finish`, `fail` or `cancel`; in no queue.
        static let gate = Flags(rawValue: 1 << 4)
        /// Holds one of its queue's slots.
        static let holdsSlot = Flags(rawValue: 1 << 5)
        /// The event log reports its readiness, start and end.
        static let reports = Flags(rawValue: 1 << 6)
        /// The owner dropped it; the slot is freed as soon as nothing refers to it.
        static let released = Flags(rawValue: 1 << 7)
        /// Counted in the share of threads for queues without a width.
        static let holdsShare = Flags(rawValue: 1 << 8)
        /// Counted among the closures that run at once.
        static let holdsJob = Flags(rawValue: 1 << 9)
        /// Started by hand, outside any queue.
        static let startedByHand = Flags(rawValue: 1 << 10)
        /// Waits for the end of a delay, counted as a dependency.
        static let delayed = Flags(rawValue: 1 << 11)
        /// Belongs to a Swift handle, not to the event log's reader.
        static let hasHandle = Flags(rawValue: 1 << 12)
        /// Waits for its next attempt.
        static let retrying = Flags(rawValue: 1 << 13)
        /// Holds the resources that it needs.
        static let holdsResources = Flags(rawValue: 1 << 14)
        /// In its queue, but without a place in the order until its delay has passed.
        static let outsideLine = Flags(rawValue: 1 << 15)
        /// Its handle has a completion block, which may take long: it ends alone, never in the middle of a claim.
        static let callsHost = Flags(rawValue: 1 << 16)
        /// Others waited for it when it ended.
        static let hadDependents = Flags(rawValue: 1 << 17)
        /// Its attempt has failed, and the reader decides whether another one follows.
        static let judged = Flags(rawValue: 1 << 18)
    }

    var phase: Phase = .free
    var outcome: OperationOutcome = .succeeded
    var priority: OperationPriority = .normal
    var lane: ExecutionLane = .worker
    var flags: Flags = []
    /// Counts attempts; 0 before the first start.
    var attempt: UInt32 = 0
    var generation: UInt32 = 1
    /// The queue it was added to; stays after its end.
    var queue: UInt32 = .max
    /// Unfinished dependencies, and one for a delay.
    var unfinishedDependencies: UInt32 = 0
    /// The first edges of its two lists; the first edge refers to the last one.
    var firstDependency: UInt32 = .max
    var firstDependent: UInt32 = .max
    /// Neighbours in its queue's list of unfinished operations; in a free slot, the next free slot; once it has
    /// finished, the parts of ``cause``.
    var previousInQueue: UInt32 = .max
    var nextInQueue: UInt32 = .max
    /// Distinguishes a live entry of a ready list from removed entries.
    var readyToken: UInt32 = 0
    /// The section of its queue, between two barriers, to which it belongs.
    var section: UInt32 = 0
    /// The number of the last walk through the graph that visited it.
    var mark: UInt32 = 0
    /// Index of its rarely needed parts, or `.max`.
    var extras: UInt32 = .max
    /// The order of addition, across all queues; for operations that start longest first, below a number that
    /// decides before it. Once it has finished, see ``endEvent``.
    var sequence: UInt64 = 0

    /// Once it has finished: the operation because of which it ended as it did; `.none` if there is none.
    var cause: OperationID {
        get { OperationID(slot: previousInQueue, generation: nextInQueue) }
        set { (previousInQueue, nextInQueue) = (newValue.slot, newValue.generation) }
    }

    /// Once it has finished: how many events there were, the one that reports its end included;
    /// 0 once the reader has shown the end at once.
    var endEvent: UInt64 {
        get { sequence }
        set { sequence = newValue }
    }

    /// The bits of `sequence` that the order of addition needs.
    private static let additionBits = 40
    /// The bits of a duration that decide the order, after its magnitude.
    private static let fractionBits = 17

    /// From now on, among operations of one queue and priority, those that take longer go first.
    ///
    /// Durations that differ by less than a hundred thousandth count as equal.
    mutating func orderByDuration(_ nanoseconds: Int64) {
        let duration = UInt64(max(1, nanoseconds))
        let zeros = duration.leadingZeroBitCount
        let fraction = ((duration << zeros) << 1) >> (64 - Self.fractionBits)
        let rank = UInt64(63 - zeros) << Self.fractionBits | fraction
        // 0 is the place of those whose duration is not known.
        let place = (1 << (64 - Self.additionBits)) - 1 - rank
        sequence = place << Self.additionBits | sequence & (1 << Self.additionBits - 1)
    }
}

/// Fields that only few operations need.
struct OperationExtras {
    /// Nanoseconds an attempt may execute; 0 for no limit.
    var timeout: Int64 = 0
    var timeoutTimer: TimerHandle?
    var delayTimer: TimerHandle?
    var retry: RetryPolicy?
    /// The resources that it needs, as specified when it was made.
    var declaredResources: [(name: String, amount: Int)] = []
    /// Index of the set of resources; 0 for none.
    var resources: Int = 0
    /// The inner queue of a group.
    var innerQueue: UInt32 = .max
    /// The operations inside a group that failed, in the order of their ends.
    var failuresInside: [OperationID] = []
    /// The lane that the body needs, in a queue that another executor runs.
    var bodyLane: ExecutionLane?
    /// The dependency because of which it cannot run.
    var skippedBecause: OperationID = .none
}
