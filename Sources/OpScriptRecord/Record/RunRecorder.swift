/// Builds the record of a run, and passes facts on to sinks. Confined to the script thread; takes no lock.
package final class RunRecorder {
    /// The value for no name, place, queue or operation.
    package static let nothing = OperationRow.nothing
    /// The most facts that are gathered before the sinks receive them.
    private static let batch = 2048

    /// The fields that are used several times for each operation: plain numbers and addresses, behind one
    /// pointer, so that Swift neither counts references nor checks exclusive access.
    private struct Hot {
        /// The rows of `storage`.
        var rows: UnsafeMutablePointer<ChunkedList<OperationRow>.Header>
        /// For each slot of the scheduler's operations: the row of the operation that has it, or had it last.
        var slots: UnsafeMutablePointer<UInt32>
        var slotCapacity: Int
        /// The last looked-up name, place and queue, which are usually looked up again.
        var lastPlace: (key: UInt64, index: UInt32) = (.max, OperationRow.nothing)
        var lastQueue: (key: UInt64, index: UInt32) = (.max, OperationRow.nothing)
        var begin: Int64 = 0
        /// Whether facts are kept for sinks.
        let hasSinks: Bool
        let facts: UnsafeMutablePointer<RunFact>
        var factCount = 0

        @inline(__always)
        func row(_ number: UInt32) -> UnsafeMutablePointer<OperationRow> { rows.pointee.pointer(Int(number)) }
    }

    private let hot: UnsafeMutablePointer<Hot>
    private var storage = RecordStorage()
    private var header = RunHeader(name: "", isVirtual: false, seed: nil, workers: 1)
    private var nameIndices: [String: UInt32] = [:]
    private var placeIndices: [UInt64: UInt32] = [:]
    private var queueIndices: [UInt64: UInt32] = [:]
    private var lastName: (text: String, index: UInt32) = ("", OperationRow.nothing)
    private var sinks: [any RunSink]
    private var texts: [String] = []

    package init(sinks: [any RunSink]) {
        self.sinks = sinks
        hot = .allocate(capacity: 1)
        hot.initialize(
            to: Hot(
                rows: storage.rows.header,
                slots: .allocate(capacity: 1024),
                slotCapacity: 1024,
                hasSinks: !sinks.isEmpty,
                facts: .allocate(capacity: Self.batch)
            )
        )
        hot.pointee.slots.initialize(repeating: OperationRow.nothing, count: 1024)
    }

    deinit {
        hot.pointee.slots.deallocate()
        hot.pointee.facts.deallocate()
        hot.deallocate()
    }

    // MARK: The run

    /// A run begins: the record is empty.
    package func begin(_ header: RunHeader, at moment: Int64) {
        self.header = header
        storage = RecordStorage()
        hot.pointee.rows = storage.rows.header
        hot.pointee.begin = moment
        hot.pointee.slots.update(repeating: OperationRow.nothing, count: hot.pointee.slotCapacity)
        hot.pointee.lastPlace = (.max, OperationRow.nothing)
        hot.pointee.lastQueue = (.max, OperationRow.nothing)
        hot.pointee.factCount = 0
        nameIndices = [:]
        placeIndices = [:]
        queueIndices = [:]
        lastName = ("", OperationRow.nothing)
        texts = []
        for sink in sinks { sink.runBegan(header) }
    }

    /// The run has ended: hands over its record, and begins an empty one.
    package func finish(_ end: RunEnd, at moment: Int64) -> RunRecord {
        handOut()
        let record = RunRecord(
            name: header.name,
            isVirtual: header.isVirtual,
            seed: header.seed,
            workers: header.workers,
            begin: hot.pointee.begin,
            ended: moment,
            end: end,
            storage: storage
        )
        for sink in sinks { sink.runEnded(record) }
        begin(header, silentlyAt: moment)
        return record
    }

    /// Facts before the next run belong to a record that has no receiver.
    private func begin(_ header: RunHeader, silentlyAt moment: Int64) {
        let kept = sinks
        sinks = []
        begin(header, at: moment)
        sinks = kept
    }

    /// Passes the facts to the sinks.
    package func handOut() {
        guard hot.pointee.factCount > 0 else { return }
        let facts = Array(UnsafeBufferPointer(start: hot.pointee.facts, count: hot.pointee.factCount))
        let batch = RunFacts(facts, texts, storage, hot.pointee.begin)
        for sink in sinks { sink.received(batch) }
        hot.pointee.factCount = 0
        texts.removeAll(keepingCapacity: true)
    }

    /// How many operations the record has.
    package var count: Int { storage.rows.count }

    // MARK: Names

    /// The index of a name.
    package func name(_ text: String) -> UInt32 {
        if lastName.index != OperationRow.nothing, lastName.text == text { return lastName.index }
        let index = Self.index(of: text, in: &nameIndices, &storage.names) { text }
        lastName = (text, index)
        return index
    }

    /// The index of the place with a key; `text` returns its text and is called the first time.
    @inline(__always)
    package func place(_ key: UInt64, _ text: () -> String) -> UInt32 {
        if hot.pointee.lastPlace.key == key { return hot.pointee.lastPlace.index }
        return otherPlace(key, text)
    }

    private func otherPlace(_ key: UInt64, _ text: () -> String) -> UInt32 {
        let index = Self.index(of: key, in: &placeIndices, &storage.places, text)
        hot.pointee.lastPlace = (key, index)
        return index
    }

    /// The index of the queue with a key. `queue` returns the description of the queue; it is called only when a key
    /// is used for the first time.
    @inline(__always)
    package func queue(_ key: UInt64, _ queue: () -> RecordedQueue) -> UInt32 {
        if hot.pointee.lastQueue.key == key { return hot.pointee.lastQueue.index }
        return otherQueue(key, queue)
    }

    private func otherQueue(_ key: UInt64, _ queue: () -> RecordedQueue) -> UInt32 {
        let index = Self.index(of: key, in: &queueIndices, &storage.queues, queue)
        hot.pointee.lastQueue = (key, index)
        return index
    }

    /// The index of the queue with a key, if the record has it.
    package func knownQueue(_ key: UInt64) -> UInt32? { queueIndices[key] }

    /// The key of the queue with an index; takes time in proportion to the number of queues.
    package func queueKey(at index: Int) -> UInt64? {
        queueIndices.first { $0.value == index }?.key
    }

    /// A queue of the record is set in another way, or is new there.
    package func queueChanged(_ settings: QueueSettings) {
        guard hot.pointee.hasSinks else { return }
        // Earlier facts come first.
        handOut()
        for sink in sinks { sink.queueChanged(settings) }
    }

    /// The index of the element with a key, which is made the first time.
    private static func index<Key: Hashable, Element>(
        of key: Key,
        in indices: inout [Key: UInt32],
        _ elements: inout [Element],
        _ make: () -> Element
    ) -> UInt32 {
        if let known = indices[key] { return known }
        let index = UInt32(elements.count)
        elements.append(make())
        indices[key] = index
        return index
    }

    // MARK: Operations

    /// An operation was made.
    ///
    /// - Parameters:
    ///   - slot: Its place in the scheduler, which a later operation may have again.
    ///   - place: The index of the place, or `nothing`.
    package func made(slot: UInt32, identity: UInt64, place: UInt32, at moment: Int64) {
        let number = UInt32(truncatingIfNeeded: hot.pointee.rows.pointee.count)
        var row = OperationRow(made: moment, identity: identity)
        row.place = place
        hot.pointee.rows.pointee.append(row)
        if slot >= hot.pointee.slotCapacity { growSlots(to: Int(slot) + 1) }
        hot.pointee.slots[Int(slot)] = number
    }

    private func growSlots(to count: Int) {
        let capacity = max(count, 2 * hot.pointee.slotCapacity)
        let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
        larger.initialize(from: hot.pointee.slots, count: hot.pointee.slotCapacity)
        let added = capacity - hot.pointee.slotCapacity
        (larger + hot.pointee.slotCapacity).initialize(repeating: OperationRow.nothing, count: added)
        hot.pointee.slots.deallocate()
        hot.pointee.slots = larger
        hot.pointee.slotCapacity = capacity
    }

    /// The number of an operation; `nothing` if it is not in the record.
    @inline(__always)
    package func number(slot: UInt32, identity: UInt64) -> UInt32 {
        guard slot < hot.pointee.slotCapacity else { return OperationRow.nothing }
        let number = hot.pointee.slots[Int(slot)]
        guard number != OperationRow.nothing, hot.pointee.row(number).pointee.identity == identity else {
            return OperationRow.nothing
        }
        return number
    }

    /// An operation depends on another one.
    package func dependency(of number: UInt32, on other: UInt32, _ condition: RecordedCondition) {
        guard number != OperationRow.nothing, other != OperationRow.nothing else { return }
        let row = hot.pointee.row(number)
        storage.dependencies.append(
            DependencyRow(after: row.pointee.lastDependency, on: other, condition)
        )
        row.pointee.lastDependency = UInt32(storage.dependencies.count - 1)
    }

    /// An operation has this name from now on.
    package func renamed(_ number: UInt32, to name: UInt32) {
        // Facts show the names of their time.
        handOut()
        hot.pointee.row(number).pointee.name = name
    }

    /// An operation was added to a queue, or started by hand.
    package func added(
        _ number: UInt32,
        name: UInt32,
        work: UInt32,
        queue: UInt32,
        because cause: ReleaseCause,
        by other: UInt32,
        at moment: Int64,
        isStep: Bool = false
    ) {
        let row = hot.pointee.row(number)
        row.pointee.added = moment
        row.pointee.isStep = isStep
        row.pointee.name = name
        row.pointee.work = work
        row.pointee.queue = queue
        row.pointee.addedCause = cause
        row.pointee.addedBy = other
        note(.added, number, moment)
    }

    /// An operation became ready.
    ///
    /// - Parameters:
    ///   - moment: When it became so.
    ///   - learned: When the script thread learned of it.
    package func ready(
        _ number: UInt32,
        because cause: ReleaseCause,
        by other: UInt32,
        at moment: Int64,
        learned: Int64
    ) {
        let row = hot.pointee.row(number)
        row.pointee.ready = moment
        row.pointee.readyCause = cause
        row.pointee.readyBy = other
        note(.ready, number, learned)
    }

    /// An attempt began.
    package func started(
        _ number: UInt32,
        on runner: RecordedRunner,
        because cause: ReleaseCause,
        by other: UInt32,
        at moment: Int64,
        learned: Int64
    ) {
        let row = hot.pointee.row(number)
        row.pointee.attempts &+= 1
        if !storage.submissionMoments.isEmpty { storage.submissionMoments[Int(number)] = nil }
        row.pointee.runner = runner.code
        row.pointee.started = moment
        // A worker may come before the thread that adds has read the clock.
        if row.pointee.added > moment { row.pointee.added = moment }
        if row.pointee.made > moment { row.pointee.made = moment }
        // An operation that was ready all the time became ready no later than it started.
        if row.pointee.ready == OperationRow.never {
            row.pointee.ready = max(row.pointee.added, row.pointee.made)
        }
        if row.pointee.ready > moment { row.pointee.ready = moment }
        // Another attempt starts when its delay has passed, if nothing else holds it up.
        row.pointee.startCause = cause == .addition && row.pointee.attempts > 1 ? .delay : cause
        row.pointee.startedBy = other
        note(.started, number, learned)
    }

    /// An attempt ended, and another one follows.
    ///
    /// - Parameter failure: The text of its failure, if it is known.
    package func retrying(_ number: UInt32, because failure: String? = nil, at moment: Int64, learned: Int64)
    {
        let row = hot.pointee.row(number)
        guard row.pointee.started != OperationRow.never else { return }
        let ended = max(moment, row.pointee.started)
        storage.noteWaitInVain(row, number, until: ended)
        if let failure { storage.attemptFailures[storage.earlierAttempts.count] = failure }
        storage.earlierAttempts.append(
            AttemptRow(
                of: number,
                row.pointee,
                submitted: storage.submissionMoments[Int(number)],
                ended: ended
            )
        )
        // The scheduler does not report when the delay has passed.
        row.pointee.ready = ended
        row.pointee.readyCause = .delay
        row.pointee.readyBy = OperationRow.nothing
        note(.retrying, number, learned)
    }

    /// An operation was cancelled, or its time ran out.
    package func cancelled(_ number: UInt32, at moment: Int64) { note(.cancelled, number, moment) }

    /// An operation ended.
    package func ended(_ number: UInt32, _ outcome: RecordedOutcome, at moment: Int64, learned: Int64) {
        let row = hot.pointee.row(number)
        row.pointee.ended = max(moment, row.pointee.started)
        storage.noteWaitInVain(row, number, until: row.pointee.ended)
        row.pointee.delivered = max(learned, row.pointee.ended)
        row.pointee.outcome = outcome.rawValue
        let kind: RunFact.Kind =
            switch outcome {
            case .succeeded: .succeeded
            case .failed: .failed
            case .cancelled: .wasCancelled
            case .skipped: .skipped
            }
        note(kind, number, learned)
    }

    /// The body of the present attempt is on a node of a cluster from now on, or waits for one. The attempt counts from
    /// the moment at which it came to the node.
    package func moved(_ number: UInt32, to runner: RecordedRunner, at moment: Int64, learned: Int64) {
        let row = hot.pointee.row(number)
        guard row.pointee.started != OperationRow.never else { return }
        storage.noteSubmission(row, number)
        row.pointee.runner = runner.code
        row.pointee.started = max(row.pointee.started, moment)
        note(.moved, number, learned)
    }

    /// The result of an operation on a cluster was known before: nothing was submitted.
    package func neededNoNode(_ number: UInt32) {
        let row = hot.pointee.row(number)
        if row.pointee.runner == RecordedRunner.cluster.code {
            row.pointee.runner = RecordedRunner.elsewhere.code
        }
    }

    /// The attempt that has just ended was on a runner since a moment.
    package func ran(_ number: UInt32, on runner: RecordedRunner, since moment: Int64) {
        let row = hot.pointee.row(number)
        guard row.pointee.started != OperationRow.never else { return }
        let submitted = storage.noteSubmission(row, number)
        let isKnown = row.pointee.runner == runner.code
        row.pointee.runner = runner.code
        row.pointee.started = max(submitted, isKnown ? min(row.pointee.started, moment) : moment)
    }

    /// The program of an operation has ended.
    package func used(_ number: UInt32, _ usage: RecordedUsage) {
        if number != Self.nothing { storage.usages[Int(number)] = usage }
    }

    /// An operation of a plan would be submitted to a cluster in this way.
    package func planned(_ number: UInt32, _ submission: RecordedSubmission) {
        if number != Self.nothing { storage.submissions[Int(number)] = submission }
    }

    /// An operation failed. Returns the place of the failure.
    @discardableResult
    package func failed(_ failure: RecordedFailure) -> Int {
        storage.failures.append(failure)
        for sink in sinks { sink.operationFailed(failure) }
        return storage.failures.count - 1
    }

    /// The script has taken the failure at a place.
    package func handledFailure(at place: Int) { storage.failures[place].isHandled = true }

    /// The present data about an operation.
    package func operation(_ number: UInt32) -> RecordedOperation {
        storage.operation(Int(number), from: hot.pointee.begin)
    }

    /// Nanoseconds since the beginning of the run.
    package func sinceBegin(_ moment: Int64) -> Int64 { moment - hot.pointee.begin }

    // MARK: Other facts

    /// A timer fired.
    package func fired(_ timer: UInt32, at moment: Int64) { note(.fired, timer, moment) }

    /// The script printed a line.
    package func printed(_ line: String, at moment: Int64) {
        guard hot.pointee.hasSinks else { return }
        texts.append(line)
        note(.printed, UInt32(texts.count - 1), moment)
    }

    @inline(__always)
    private func note(_ kind: RunFact.Kind, _ number: UInt32, _ moment: Int64) {
        guard hot.pointee.hasSinks else { return }
        let fact = RunFact(kind: kind, number: number, moment: moment - hot.pointee.begin)
        (hot.pointee.facts + hot.pointee.factCount).initialize(to: fact)
        hot.pointee.factCount += 1
        if hot.pointee.factCount == Self.batch { handOut() }
    }
}
