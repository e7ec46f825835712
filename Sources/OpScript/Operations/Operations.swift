internal import LuaVM
internal import Scheduling

/// The script's picture of its operations: their entries and userdata, and the scheduler's reports about
/// them.
///
/// Owns the entries, the anchors that keep userdata alive, and the identities on their way to and from the scheduler.
/// Called by the bindings of `Operation`, and by the loop with the scheduler's events.
final class Operations: RuntimePart {
    let works: Works
    let virtualTime: VirtualTime
    let reporting: Reporting
    let queues: Queues

    /// Userdata of new and of submitted operations, by slot + 1: they live without references of the script.
    let anchors: AnchorTable
    /// Userdata of operations that were not submitted soon after they were made, by slot + 1, weakly.
    let handles: LuaReference
    let entries = OperationTable()
    let freeIDs = IdentityList()
    /// How many identities are fetched at once.
    var idBatch = 32
    let releasedIDs = IdentityList()
    /// Operations that were made a moment ago.
    let newIDs = IdentityList()
    /// Operations that had to stop and still execute, with the moment of the request.
    var stopping: [OperationID: Int64] = [:] {
        didSet {
            hasStopping = !stopping.isEmpty
            // A due item keeps a wait from being recognised as one that cannot end.
            if !hasStopping, let due = stubbornDue.take() { agenda.dueTimes.cancel(due) }
        }
    }
    /// The due item of the report about those that do not stop.
    var stubbornDue: TimerHandle?
    private(set) var hasStopping = false
    /// Operations that were started outside any queue and have not finished.
    var startedByHand: Set<OperationID> = []
    /// How many operations have finished.
    var endCount: UInt64 = 0
    var warnedAboutThreadPriority = false
    /// How many operations may be unfinished at once.
    let mostPending: Int
    /// Whether an operation is being added because a body waits for it.
    var isSubmittingForWait = false
    var sweepIsDue = false
    /// Whether the dependencies of operations are followed, because some are to run whatever is recorded.
    var followsTickets = false
    /// Whether any operation may have a ticket of a journal.
    var hasTickets = false

    init(
        _ foundation: RuntimeFoundation,
        works: Works,
        virtualTime: VirtualTime,
        reporting: Reporting,
        queues: Queues
    ) {
        self.works = works
        self.virtualTime = virtualTime
        self.reporting = reporting
        self.queues = queues
        anchors = AnchorTable(table: foundation.vm.makeTable())
        handles = foundation.vm.makeTable(weak: "v")
        mostPending = foundation.configuration.operationLimit ?? .max
        super.init(foundation)
    }

    deinit {
        // The scheduler lives on as long as a worker has one of the other bodies.
        let resting = scheduler.feed { core in
            entries.all.filter { $0.pointee.body != nil && core.isAtRest($0.pointee.id) }
        }
        for entry in resting { entry.pointee.body = nil }
    }
}

extension Operations {
    /// An ended run has abandoned its operations.
    func forgetStartedByHand() { startedByHand = [] }

    /// Called by the sentinel's finalizer: some operations may have been collected.
    func collectionEnded() { sweepIsDue = true }

    /// The entry of an operation, if there is one.
    @inline(__always)
    func entry(_ id: OperationID) -> UnsafeMutablePointer<OperationEntry>? { entries.entry(id) }

    func attachment(_ id: OperationID) -> OperationAttachment {
        guard let entry = entry(id) else { preconditionFailure("an operation without an entry") }
        return entry.pointee.ownAttachment
    }

    /// The queue that an operation was added to.
    @inline(__always)
    func queue(of view: OperationPointer) -> ScriptQueue? {
        guard view.pointee.queue >= 0, let queue = queues.table[UInt32(view.pointee.queue)] else {
            return nil
        }
        return queue.number == view.pointee.queueNumber ? queue : nil
    }

    /// Calls a closure with the queue that an operation was added to, without counting references to it.
    ///
    /// The closure must not run the script, which might drop the queue.
    @inline(__always)
    func withQueue<Result>(of view: OperationPointer, _ body: (ScriptQueue) -> Result) -> Result? {
        let result = queues.table.with(view.pointee.queue) { queue in
            queue.number == view.pointee.queueNumber ? body(queue) : nil
        }
        return result ?? nil
    }

    /// The view of the operation at an index; nil for anything else.
    @inline(__always)
    func operation(_ state: LuaState, _ index: Int32) -> OperationPointer? {
        state.userdata(index, metatables.operation)?.assumingMemoryBound(to: OperationView.self)
    }

    func releaseIDs() {
        guard releasedIDs.count > 0 else { return }
        scheduler.visit { core in
            while let id = releasedIDs.pop() { core.operationReleased(id) }
        }
    }

    // MARK: Descriptions

    /// The place where an operation was created: `job.lua:7`. As names below, it has no secrets.
    func createdAt(_ view: OperationPointer) -> String {
        let place = LuaPlace(source: view.pointee.source, line: view.pointee.line)
        return vm.describe(place).map(link.secrets.hidden) ?? "?"
    }

    /// The name of an operation that has not been forgotten yet.
    func name(_ view: OperationPointer) -> String {
        guard view.pointee.flags.contains(.hasName) else { return defaultName(view) }
        let state = vm.main
        defer { state.pop() }
        guard pushOperation(view.pointee.id, state) else { return defaultName(view) }
        return name(state, -1, view)
    }

    /// The name of the operation at an index.
    func name(_ state: LuaState, _ index: Int32, _ view: OperationPointer) -> String {
        ownName(state, index, view).map { link.secrets.hidden(in: $0) } ?? defaultName(view)
    }

    /// The name that the script has given to the operation at an index, with its secrets; nil if it has given none.
    func ownName(_ state: LuaState, _ index: Int32, _ view: OperationPointer) -> String? {
        guard view.pointee.flags.contains(.hasName) else { return nil }
        defer { state.pop() }
        guard pushName(state, index, view) == .string else { return nil }
        return String(decoding: state.bytes(-1) ?? [], as: UTF8.self)
    }

    func defaultName(_ view: OperationPointer) -> String {
        view.pointee.work >= 0 ? works.definition(Int(view.pointee.work)).name : "operation"
    }
}
