internal import LuaVM
internal import Scheduling

/// A thread that a script made for one body.
final class ScriptedThread {
    enum State {
        case made, executing, finished
    }

    /// What it runs; nil for the script thread itself.
    let body: WorkBody?
    /// 1 is the script thread; others by the order in which they were made.
    let number: Int
    let place: LuaPlace
    var name: String
    /// Bytes, as the script asked for; nil for the system's usual size.
    var stackSize: Int?
    var qualityOfService = OperationQualityOfService.default
    var threadPriority = 0.5
    /// Whether a failure leaves the run's status alone.
    var allowsFailure = false

    var state = State.made
    var isCancelled = false
    /// What the body returned, and the first of it.
    var results: [LuaReference] = []
    /// What it raised: an error value or a table.
    var error: LuaReference?
    /// Who waits for its end.
    var waits: [Wait] = []
    var startedAt: Int64 = 0

    init(_ body: WorkBody?, number: Int, name: String, place: LuaPlace) {
        self.body = body
        self.number = number
        self.name = name
        self.place = place
    }

    var isMain: Bool { body == nil }

    /// What a script may ask for at least: the system's own minimum.
    static let leastStackSize = 16_384
    /// More than any body needs.
    static let mostStackSize = 1 << 30
    /// Stacks come in pages.
    static let page = 4096
    /// What a thread gets at least, whatever was asked for: Lua nests 200 calls of C deep, each with a buffer.
    static let safeStackSize = 1 << 20
}
