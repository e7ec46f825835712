internal import LuaVM
internal import Scheduling

/// The script's view of one queue.
final class ScriptQueue {
    enum Kind {
        case ordinary, main, standard, inner, dispatch, native
    }

    /// The fields that are read for every operation.
    private struct Tally {
        /// How many operations were added, finished, and finished with their callbacks and waiters served.
        var added = 0
        var finished = 0
        var settled = 0
        /// How many had been added when the present batch began: at the last addition to the empty queue.
        var batchStart = 0
        var observations: [Observation] = []
        var progress: ScriptProgress?
    }

    let id: QueueID
    let kind: Kind
    var name: String
    var width: Int
    var isSuspended = false
    /// The place where it was created.
    var place = LuaPlace.unknown
    var failFast = false
    /// How often its operations were cancelled together, by the script or because one failed.
    var stopCount = 0
    /// Whether, among ready operations of the same priority, those that took longer in an earlier run start first.
    var startsLongestFirst = false {
        didSet { additionChanged() }
    }
    /// How many operations may start in a time; nil for no limit.
    var rate: QueueRate? {
        didSet { additionChanged() }
    }
    /// Where the bodies of its works run; nil for this process.
    var cluster: ClusterQueue? {
        didSet { additionChanged() }
    }
    /// Whether the scheduler cannot refuse an addition that needs no resources, and needs to know nothing else of it.
    private(set) var takesPlainAdditions = false
    var qualityOfService = OperationQualityOfService.default
    /// Unfinished operations in the order of addition; finished ones are skipped and removed from time to time.
    private let items = IdentityRuns()
    private let tally = PlainMemory(Tally())
    var waits: [Wait] = []
    /// Only for a queue of the host, whose userdata may come and go; other queues keep it in their userdata.
    var userInfo: LuaReference?
    /// The queue of the host that this one represents.
    var native: (any AdoptedQueue)?
    /// The name under which the host has adopted it, if scripts may only submit to it.
    var submitOnlyName: String?
    /// The group whose inner queue this is.
    var owner: OperationID?
    /// The block operation whose blocks are in this queue.
    var blockOwner: OperationID?
    /// The userdata, while something is in the queue; a queue with unfinished operations lives without references.
    var anchor: LuaReference?
    /// The properties that only dispatch queues have.
    var dispatch: DispatchTraits?
    /// Distinguishes queues that use the same place one after the other; 0 for queues that live as long as
    /// the run.
    var number: UInt32 = 0
    /// The table that has it until there is no reference to it any more; nil for queues that live as long as
    /// the run.
    var table: QueueTable?

    init(id: QueueID, kind: Kind, name: String, width: Int) {
        self.id = id
        self.kind = kind
        self.name = name
        self.width = width
        additionChanged()
    }

    deinit { table?.dropped(self) }

    private func additionChanged() {
        takesPlainAdditions =
            (kind == .ordinary || kind == .standard || kind == .dispatch) && !startsLongestFirst
            && rate == nil && cluster == nil
    }

    /// Whether it lives without references while something is in it.
    var isAnchoredWhileBusy: Bool { kind == .ordinary || kind == .dispatch }

    var observations: [Observation] {
        @inline(__always) _read { yield tally.value.observations }
        @inline(__always) _modify { yield &tally.value.observations }
    }

    /// Its progress, if it was ever requested; for an inner queue, the progress of the group.
    var progress: ScriptProgress? {
        @inline(__always) _read { yield tally.value.progress }
        @inline(__always) _modify { yield &tally.value.progress }
    }

    var addedCount: Int { tally.value.added }
    var finishedCount: Int { tally.value.finished }

    /// How many operations had been added, and had finished, before the present batch.
    ///
    /// A batch begins with an addition to the empty queue, and lasts until the next one.
    var batchStart: Int { tally.value.batchStart }

    /// Whether additions change a progress or an observed property.
    var isWatched: Bool { !tally.value.observations.isEmpty || tally.value.progress != nil }

    /// How many operations have not finished.
    var count: Int { tally.value.added - tally.value.finished }

    /// How many operations have not finished, or have an end that has not been served.
    var unfinishedOrUnsettled: Int { tally.value.added - tally.value.settled }

    /// Whether all operations that were added have finished and been served.
    var isDrained: Bool { tally.value.settled == tally.value.added }

    @inline(__always)
    func added(_ id: OperationID) {
        items.append(id)
        if tally.value.finished == tally.value.added { tally.value.batchStart = tally.value.added }
        tally.value.added += 1
    }

    /// Notes that the observers, the completion block and the waiters of a finished operation have been served.
    @inline(__always)
    func settled() { tally.value.settled += 1 }

    /// Notes that an operation has finished.
    @inline(__always)
    func finished() { tally.value.finished += 1 }

    /// Whether most of the listed operations have finished.
    var knowsManyFinished: Bool {
        @inline(__always) get { items.count > 32 && items.count > 2 * count }
    }

    /// Forgets the operations that have finished.
    func forgetFinished(_ isLive: (OperationID) -> Bool) { items.keep(isLive) }

    /// Its unfinished operations, in the order of addition.
    ///
    /// - Parameter current: The identity that an operation has now; nil if it has finished.
    func unfinished(_ current: (OperationID) -> OperationID?) -> [OperationID] { items.compactMap(current) }
}
