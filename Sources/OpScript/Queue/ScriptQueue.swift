internal import LuaVM
internal import Scheduling

/// What a script sees of one queue.
final class ScriptQueue {
    enum Kind {
        case ordinary, main, standard, inner
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
    /// The group that this is the inside of.
    var owner: OperationID?
    /// The block operation whose blocks are in here.
    var blockOwner: OperationID?
    /// The userdata, while something is in the queue; a queue with unfinished operations lives without references.
    var anchor: LuaReference?

    init(id: QueueID, kind: Kind, name: String, width: Int) {
        self.id = id
        self.kind = kind
        self.name = name
        self.width = width
    }

    /// Whether an addition without anything out of the ordinary cannot be refused, and starts nothing that a worker who comes by
    /// would not start.
    var takesPlainAdditions: Bool { width < 0 && (kind == .ordinary || kind == .standard) }

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
