internal import Scheduling

/// The runtime's data about an operation, by its slot.
struct OperationEntry {
    /// How the runtime holds the userdata.
    enum Hold: UInt8 {
        /// The userdata lives as long as the script references it.
        case weakly
        /// The operation was made a moment ago: most operations are added to a queue at once.
        case newly
        case untilEnd
    }

    /// `.none`: the slot is not in use here.
    var id = OperationID.none
    /// The userdata's memory; valid as long as the userdata lives, that is while it is held or on a stack.
    var view: OperationPointer?
    /// The place of its Swift closure in the scheduler, which is the closure's only holder. Set when the slot is first
    /// used here; it never moves.
    fileprivate(set) var bodyPlace: UnsafeMutablePointer<(any OperationBody)?>?
    var attachment: OperationAttachment?
    /// How often the operation is retried; nil for a single attempt.
    var retry: RetryBox?
    /// The first of its waiting bodies; each one refers to the next.
    private var firstTask: ScriptTask?
    /// One of the waits for its end; those that began later are in its attachment. Most operations have one at most.
    private var firstWait: Wait?

    /// Where the userdata is anchored, unless it is held weakly.
    var place: UInt32 = 0
    var hold = Hold.weakly
    /// Its marks in one byte, so that an entry fills one cache line.
    private var marks: Marks = []

    private struct Marks: OptionSet {
        let rawValue: UInt8
        static let gate = Marks(rawValue: 1 << 0)
        static let hidden = Marks(rawValue: 1 << 1)
        static let sourceCall = Marks(rawValue: 1 << 2)
        static let listedAsExecuting = Marks(rawValue: 1 << 3)
        static let countedAsStep = Marks(rawValue: 1 << 4)
        static let waitsForRetry = Marks(rawValue: 1 << 5)
    }

    /// Its Swift closure. Set while the operation is in no queue.
    var body: WorkBody? {
        @inline(__always) get { bodyPlace?.pointee.map { unsafeDowncast($0, to: WorkBody.self) } }
        nonmutating set { bodyPlace?.pointee = newValue }
    }

    private mutating func set(_ mark: Marks, _ isSet: Bool) {
        if isSet { marks.insert(mark) } else { marks.remove(mark) }
    }

    var isGate: Bool {
        get { marks.contains(.gate) }
        set { set(.gate, newValue) }
    }
    /// Whether the script never gets it, or need not add it: a notification, or an operation whose constructor failed.
    var isHidden: Bool {
        get { marks.contains(.hidden) }
        set { set(.hidden, newValue) }
    }
    /// Whether it makes a call of a source.
    var isSourceCall: Bool {
        get { marks.contains(.sourceCall) }
        set { set(.sourceCall, newValue) }
    }
    fileprivate var isListedAsExecuting: Bool {
        get { marks.contains(.listedAsExecuting) }
        set { set(.listedAsExecuting, newValue) }
    }
    /// Whether it executes as a step of another operation that is listed.
    fileprivate(set) var isCountedAsStep: Bool {
        get { marks.contains(.countedAsStep) }
        set { set(.countedAsStep, newValue) }
    }
    fileprivate var waitsForRetry: Bool {
        get { marks.contains(.waitsForRetry) }
        set { set(.waitsForRetry, newValue) }
    }

    /// The operation whose body waits for this one, and has submitted it; nil if the main chunk or a callback has.
    var waiter: OperationID? {
        guard view?.pointee.flags.contains(.belongsToWaits) == true else { return nil }
        return firstWait?.task.operation
    }
    /// Whether the script has to add it, and is warned if it does not.
    var isForScript: Bool { marks.isDisjoint(with: [.gate, .hidden]) }

    /// The waiting bodies of the operation, in the order of their first waits; most operations have one body.
    var tasks: [ScriptTask] {
        var result: [ScriptTask] = []
        var next = firstTask
        while let task = next {
            result.append(task)
            next = task.nextOfOperation
        }
        return result
    }

    /// Notes that a body waits, maybe not for the first time.
    @inline(__always)
    mutating func add(_ task: ScriptTask) {
        if firstTask == nil { firstTask = task } else if firstTask !== task { addAfterOthers(task) }
    }

    private func addAfterOthers(_ task: ScriptTask) {
        guard let last = tasks.last, !tasks.contains(where: { $0 === task }) else { return }
        last.nextOfOperation = task
    }

    /// Notes that a body has ended.
    mutating func remove(_ task: ScriptTask) {
        guard firstTask != nil else { return }
        if firstTask === task {
            guard task.nextOfOperation != nil else { return firstTask = nil }
            firstTask = task.nextOfOperation
        } else if let before = tasks.first(where: { $0.nextOfOperation === task }) {
            before.nextOfOperation = task.nextOfOperation
        }
        task.nextOfOperation = nil
    }

    /// Whether its end resumes no wait, and has none of the effects that an attachment has.
    @inline(__always)
    var isUnattended: Bool { attachment == nil && firstWait == nil }

    /// Notes that a coroutine waits for its end.
    @inline(__always)
    mutating func add(_ wait: Wait) {
        if firstWait == nil, attachment?.laterWaits.isEmpty ?? true {
            firstWait = wait
        } else {
            ownAttachment.laterWaits.append(wait)
        }
    }

    /// Notes that a coroutine no longer waits for its end, even if the wait was added several times.
    mutating func remove(_ wait: Wait) {
        if firstWait === wait { firstWait = nil }
        attachment?.laterWaits.removeAll { $0 === wait }
    }

    /// Whether a coroutine waits for its end, and was not interrupted.
    var isAwaited: Bool {
        firstWait.map { $0.outcome == nil } ?? false
            || attachment?.laterWaits.contains { $0.outcome == nil } ?? false
    }

    /// Whether a coroutine waits for its end that takes its failure.
    var hasTakerOfFailure: Bool {
        firstWait?.takesFailures ?? false || attachment?.laterWaits.contains { $0.takesFailures } ?? false
    }

    /// Removes all waits, and returns them: the oldest one, and the others in the order in which they began.
    @inline(__always)
    mutating func takeWaits() -> (first: Wait?, later: [Wait]) {
        (firstWait.take(), attachment?.takeLaterWaits() ?? [])
    }

    /// The attachment; made if there is none.
    var ownAttachment: OperationAttachment {
        mutating get {
            if let attachment { return attachment }
            let attachment = OperationAttachment()
            self.attachment = attachment
            return attachment
        }
    }

    /// Forgets the operation.
    @inline(__always)
    fileprivate mutating func clear() {
        if bodyPlace?.pointee != nil { body = nil }
        if attachment != nil { attachment = nil }
        if retry != nil { retry = nil }
        if firstTask != nil { firstTask = nil }
        if firstWait != nil { firstWait = nil }
        id = .none
        view = nil
        hold = .weakly
        place = 0
        marks.formIntersection(.listedAsExecuting)
    }
}

/// The place where an operation was created, and its closure or -1; for the diagnosis of operations that were
/// never added.
struct OperationOrigin {
    let source: Int32
    let line: Int32
    let work: Int32
}

/// The entries of all operations, by slot, in memory that never moves.
final class OperationTable {
    private let storage = ChunkedStorage<OperationEntry>()

    /// How many slots have an entry.
    var count: Int { Int(storage.count) }

    /// The entry in a slot below `count`.
    @inline(__always)
    subscript(slot: Int) -> UnsafeMutablePointer<OperationEntry> { storage.pointer(UInt32(slot)) }

    /// The entries of all slots, in use or not.
    var all: [UnsafeMutablePointer<OperationEntry>] { (0..<count).map { self[$0] } }

    /// The entry of an operation, if there is one.
    @inline(__always)
    func entry(_ id: OperationID) -> UnsafeMutablePointer<OperationEntry>? {
        guard id.slot < storage.count else { return nil }
        let entry = storage.pointer(id.slot)
        return entry.pointee.id == id ? entry : nil
    }

    /// The scheduler has given the reader a slot: it gets an entry, if it had none before.
    func makeEntry(_ slot: UInt32, _ core: SchedulerCore) {
        while slot >= count { storage.append(OperationEntry()) }
        storage.pointer(slot).pointee.bodyPlace = core.bodyPlace(slot)
    }

    /// The identity of the operation that an event is about; nil if the operation is unknown here.
    @inline(__always)
    func identity(of event: SchedulerEvent) -> OperationID? {
        guard event.slot < storage.count else { return nil }
        let id = storage.pointer(event.slot).pointee.id
        return event.isAbout(id) ? id : nil
    }

    /// Forgets the operation.
    @inline(__always)
    func clear(_ entry: UnsafeMutablePointer<OperationEntry>) {
        if entry.pointee.hold == .weakly { origins[entry.pointee.id.slot] = nil }
        entry.pointee.clear()
    }

    // MARK: Weakly held operations

    /// The origins, by slot, of operations that are held weakly: their userdata may be gone when they are diagnosed.
    private var origins: [UInt32: OperationOrigin] = [:]

    /// Lets the operation's userdata live only as long as the script references it.
    func holdWeakly(_ entry: UnsafeMutablePointer<OperationEntry>) {
        entry.pointee.hold = .weakly
        guard let view = entry.pointee.view else { return }
        origins[entry.pointee.id.slot] = OperationOrigin(
            source: view.pointee.source,
            line: view.pointee.line,
            work: view.pointee.work
        )
    }

    /// Notes that an anchor keeps the operation's userdata alive until its end.
    @inline(__always)
    func holdUntilEnd(_ entry: UnsafeMutablePointer<OperationEntry>) {
        if entry.pointee.hold == .weakly { origins[entry.pointee.id.slot] = nil }
        entry.pointee.hold = .untilEnd
    }

    /// The place where an operation that is held weakly was created.
    func origin(_ entry: UnsafeMutablePointer<OperationEntry>) -> OperationOrigin? {
        origins[entry.pointee.id.slot]
    }

    // MARK: Results of Swift closures

    /// The only result of its Swift closure, which has ended; nil if there is no closure, or more than one result.
    @inline(__always)
    func result(_ entry: UnsafeMutablePointer<OperationEntry>) -> ScriptValue? { entry.pointee.body?.peek() }

    /// All its results, if there are several.
    func results(_ entry: UnsafeMutablePointer<OperationEntry>) -> [ScriptValue]? {
        entry.pointee.body?.peekAll()
    }

    // MARK: Executing operations

    /// Neighbours of an operation among those that execute: slots, or `.max`.
    private struct Neighbours {
        var previous = UInt32.max
        var next = UInt32.max
    }

    /// By slot; filled only if the status of a run is tracked.
    private let neighbours = ChunkedStorage<Neighbours>()
    private var firstExecuting = UInt32.max
    private var lastExecuting = UInt32.max
    /// How many execute, without the steps of others.
    private(set) var executingCount = 0
    /// How many have had an attempt that failed, and wait for the next one.
    private(set) var retryingCount = 0

    /// Appends an operation to the executing ones.
    func noteStart(_ entry: UnsafeMutablePointer<OperationEntry>) {
        guard !entry.pointee.isListedAsExecuting else { return }
        if entry.pointee.waitsForRetry { noteEndOfPause(entry) }
        entry.pointee.isCountedAsStep = entry.pointee.waiter != nil
        let slot = entry.pointee.id.slot
        while slot >= neighbours.count { neighbours.append(Neighbours()) }
        entry.pointee.isListedAsExecuting = true
        neighbours.pointer(slot).pointee = Neighbours(previous: lastExecuting)
        if lastExecuting == .max {
            firstExecuting = slot
        } else {
            neighbours.pointer(lastExecuting).pointee.next = slot
        }
        lastExecuting = slot
        if !entry.pointee.isCountedAsStep { executingCount += 1 }
    }

    /// An attempt of an operation has failed, and another one follows.
    func noteRetry(_ entry: UnsafeMutablePointer<OperationEntry>) {
        guard entry.pointee.isListedAsExecuting else { return }
        executesNoMore(entry)
        entry.pointee.waitsForRetry = true
        retryingCount += 1
    }

    private func noteEndOfPause(_ entry: UnsafeMutablePointer<OperationEntry>) {
        entry.pointee.waitsForRetry = false
        retryingCount -= 1
    }

    /// Removes an operation from the executing ones, if it is among them.
    @inline(__always)
    func noteEnd(_ entry: UnsafeMutablePointer<OperationEntry>) {
        if entry.pointee.isListedAsExecuting { executesNoMore(entry) }
        if entry.pointee.waitsForRetry { noteEndOfPause(entry) }
    }

    private func executesNoMore(_ entry: UnsafeMutablePointer<OperationEntry>) {
        entry.pointee.isListedAsExecuting = false
        let own = neighbours.pointer(entry.pointee.id.slot).pointee
        if own.previous == .max {
            firstExecuting = own.next
        } else {
            neighbours.pointer(own.previous).pointee.next = own.next
        }
        if own.next == .max {
            lastExecuting = own.previous
        } else {
            neighbours.pointer(own.next).pointee.previous = own.previous
        }
        if !entry.pointee.isCountedAsStep { executingCount -= 1 }
    }

    /// The operations that have executed longest, the longest first, with steps of others among them.
    func longestExecuting(_ limit: Int) -> [UnsafeMutablePointer<OperationEntry>] {
        var result: [UnsafeMutablePointer<OperationEntry>] = []
        var slot = firstExecuting
        while slot != .max, result.count < limit {
            result.append(self[Int(slot)])
            slot = neighbours.pointer(slot).pointee.next
        }
        return result
    }
}
