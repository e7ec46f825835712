internal import LuaVM
internal import Scheduling

/// What a script sees of one queue.
final class ScriptQueue {
    enum Kind {
        case ordinary, main, standard, inner, dispatch, native
    }

    let id: QueueID
    let kind: Kind
    var name: String
    var width: Int
    var isSuspended = false
    var failFast = false
    var qualityOfService = OperationQualityOfService.default
    /// Unfinished operations in the order of addition; finished ones are skipped and swept from time to time.
    private let items = IdentityList()
    private(set) var count = 0
    var addedCount = 0
    var finishedCount = 0
    var waits: [Wait] = []
    var observations: [Observation] = []
    var userInfo: LuaReference?
    /// Operations that ended, and whose observers, completion blocks and waiters have not been served.
    var unsettledCount = 0
    /// The host's queue that this one stands for.
    var native: (any AdoptedQueue)?
    /// The group that this is the inside of.
    var owner: OperationID?
    /// The block operation whose blocks are in here.
    var blockOwner: OperationID?
    /// The userdata, while something is in the queue; a queue with unfinished operations lives without references.
    var anchor: LuaReference?
    /// How far it has come, where somebody asked; inside a group, the group's.
    var progress: ScriptProgress?
    /// What only dispatch queues have.
    var dispatch: DispatchPart?
    /// Tells dispatch queues apart whose place is the same, one after the other; 0 for all others, which keep theirs.
    var number: UInt32 = 0
    /// Knows it until nobody holds it any more; for dispatch queues only.
    var table: QueueTable?

    init(id: QueueID, kind: Kind, name: String, width: Int) {
        self.id = id
        self.kind = kind
        self.name = name
        self.width = width
    }

    deinit { table?.dropped(self) }

    /// Whether an addition without anything out of the ordinary cannot be refused, and starts nothing that a worker who comes by
    /// would not start.
    var takesPlainAdditions: Bool { width < 0 && (kind == .ordinary || kind == .standard) }

    /// Whether it lives without references while something is in it.
    var isAnchoredWhileBusy: Bool { kind == .ordinary || kind == .dispatch }

    func added(_ id: OperationID) {
        items.push(id)
        count += 1
        addedCount += 1
    }

    func finished(isLive: (OperationID) -> Bool) {
        count -= 1
        finishedCount += 1
        if items.count > 32, items.count > 2 * count { items.keep(isLive) }
    }

    func unfinished(isLive: (OperationID) -> Bool) -> [OperationID] { items.filter(isLive) }
}
