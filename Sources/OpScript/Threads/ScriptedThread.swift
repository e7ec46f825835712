internal import LuaVM
internal import Scheduling

/// A thread that a script created for one body.
final class ScriptedThread {
    enum State {
        case made, executing, finished
    }

    /// Its body; nil for the script thread itself.
    let body: WorkBody?
    let identity: ThreadIdentity
    let place: LuaPlace
    /// In bytes, as the script requested; nil for the system's default size.
    var stackSize: Int?
    var qualityOfService = OperationQualityOfService.default
    var threadPriority = 0.5
    /// Whether a failure does not affect the run's status.
    var allowsFailure = false

    var state = State.made
    var isCancelled = false
    /// The results of the body.
    var results: [LuaReference] = []
    /// The error that it raised: an error value or a table.
    var error: LuaReference?
    /// The waits for its end.
    var waits: [Wait] = []
    var startedAt: Int64 = 0

    init(_ body: WorkBody?, _ identity: ThreadIdentity, place: LuaPlace) {
        self.body = body
        self.identity = identity
        self.place = place
    }

    var number: Int { identity.number }
    var name: String { identity.name }

    var isMain: Bool { body == nil }

    /// The smallest size that a script may request: the system's own minimum.
    static let leastStackSize = 16_384
    /// The largest size that a script may request: more than any body needs.
    static let mostStackSize = 1 << 30
    /// The size of a page: stack sizes are multiples of it.
    static let page = 4096
    /// The smallest size that a thread gets, even if less was requested: Lua nests up to 200 C calls, each with a
    /// buffer, and values nest up to 512 levels, each of which takes some 5 KiB in a debug build.
    static let safeStackSize = 8 << 20
}
