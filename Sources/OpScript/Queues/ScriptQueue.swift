internal import LuaVM
internal import Scheduling

/// What a script sees of one queue.
final class ScriptQueue {
    enum Kind {
        case ordinary, main, standard, inner, dispatch, native
    }

    /// What is looked at for every operation.
    private struct Tally {
        /// How many were added, finished, and finished with all that follows.
        var added = 0
        var finished = 0
        var settled = 0
        var observations: [Observation] = []
        var progress: ScriptProgress?
    }

    let id: QueueID
    let kind: Kind
    var name: String
    var width: Int
    var isSuspended = false
    /// Where it was made.
    var place = LuaPlace.unknown
    var failFast = false
    var qualityOfService = OperationQualityOfService.default
    /// Unfinished operations in the order of addition; finished ones are skipped and swept from time to time.
    private let items = IdentityRuns()
    private let tally = PlainMemory(Tally())
    var waits: [Wait] = []
    /// That of a queue of the host's, whose userdata may come and go; others have it in their userdata.
    var userInfo: LuaReference?
    /// The host's queue that this one stands for.
    var native: (any AdoptedQueue)?
    /// The group that this is the inside of.
    var owner: OperationID?
    /// The block operation whose blocks are in here.
    var blockOwner: OperationID?
    /// The userdata, while something is in the queue; a queue with unfinished operations lives without references.
    var anchor: LuaReference?
    /// What only dispatch queues have.
    var dispatch: DispatchTraits?
    /// Tells queues apart whose place is the same, one after the other; 0 for those that live as long as the run does.
    var number: UInt32 = 0
    /// Knows it until nobody holds it any more; nil for those that live as long as the run does.
    var table: QueueTable?

    init(id: QueueID, kind: Kind, name: String, width: Int) {
        self.id = id
        self.kind = kind
        self.name = name
        self.width = width
    }

    deinit { table?.dropped(self) }

    /// Whether the scheduler cannot refuse an addition that needs no resources.
    var takesPlainAdditions: Bool { kind == .ordinary || kind == .standard || kind == .dispatch }

    /// Whether it lives without references while something is in it.
    var isAnchoredWhileBusy: Bool { kind == .ordinary || kind == .dispatch }

    var observations: [Observation] {
        @inline(__always) _read { yield tally.value.observations }
        @inline(__always) _modify { yield &tally.value.observations }
    }

    /// How far it has come, where somebody asked; inside a group, the group's.
    var progress: ScriptProgress? {
        @inline(__always) _read { yield tally.value.progress }
        @inline(__always) _modify { yield &tally.value.progress }
    }

    var addedCount: Int { tally.value.added }
    var finishedCount: Int { tally.value.finished }

    /// Operations that have not finished.
    var count: Int { tally.value.added - tally.value.finished }

    /// Operations that have not finished, or whose end has not been served.
    var unfinishedOrUnsettled: Int { tally.value.added - tally.value.settled }

    /// Whether all that was added has finished and been served.
    var isDrained: Bool { tally.value.settled == tally.value.added }

    @inline(__always)
    func added(_ id: OperationID) {
        items.append(id)
        tally.value.added += 1
    }

    /// The observers, the completion block and the waiters of one that finished have been served.
    @inline(__always)
    func settled() { tally.value.settled += 1 }

    /// One has finished.
    @inline(__always)
    func finished() { tally.value.finished += 1 }

    /// Whether most of what it has in mind has finished.
    var knowsManyFinished: Bool {
        @inline(__always) get { items.count > 32 && items.count > 2 * count }
    }

    /// Forgets those that have finished.
    func forgetFinished(_ isLive: (OperationID) -> Bool) { items.keep(isLive) }

    /// What is in it and has not finished, in the order of addition.
    ///
    /// - Parameter current: The identity that an operation has now; nil if it has finished.
    func unfinished(_ current: (OperationID) -> OperationID?) -> [OperationID] { items.compactMap(current) }
}
