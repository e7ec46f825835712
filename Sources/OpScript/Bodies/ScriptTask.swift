internal import LuaVM
internal import Scheduling

/// A coroutine that runs one piece of the script: the main chunk, a body, a callback. It is reused.
final class ScriptTask {
    /// The consequence of its end.
    enum End {
        case nothing
        case main
        /// The body of an operation.
        case body(OperationID)
        /// The `start` of an asynchronous operation.
        case start(OperationID)
        /// A function among the blocks of a block operation, and its place.
        case block(OperationID, Int)
        /// A callback; an uncaught error ends the run.
        case callback(String)
        /// The function `when` of the retry of an operation.
        case judgement(OperationID)
        /// The block of a timer that fired by itself.
        case timer(TimerID)
        /// A handler of a source.
        case source(EventSource)
        case observation(Observation)
        /// Evaluates for the host.
        case host((Result<ScriptValue, ScriptError>) -> Void)
    }

    /// The data of the host's request for a single piece of the script.
    final class Request {
        /// The form in which the host takes the results.
        let wanted: Ask.Wanted
        /// Starts `async` closures as the requesting Swift task would.
        let spawner: TaskSpawner?
        /// Receives the events of the operations that it submits.
        let audience: TelemetryAudience?

        init(_ wanted: Ask.Wanted, _ spawner: TaskSpawner?, _ audience: TelemetryAudience?) {
            self.wanted = wanted
            self.spawner = spawner
            self.audience = audience
        }
    }

    let root: LuaRoot
    private let slot: Int32
    /// Held by all tasks together.
    private let anchors: Unmanaged<TaskAnchors>
    var end = End.nothing
    /// The operation whose body it is.
    var operation: OperationID?
    /// The value of `OperationQueue.current`; for the body of an operation usually nil, since the operation
    /// has its queue.
    var queue: ScriptQueue?
    /// Another body of the same operation that waits.
    var nextOfOperation: ScriptTask?
    /// The wait that it is in.
    var wait: Wait?
    /// The number in the record of the operation whose end it serves, or has waited for last; `.max` for none.
    var origin = UInt32.max
    /// Whether its last wait ended because time had passed.
    var waitedForTime = false
    /// How many shields its coroutines are inside of; ``Shields`` has the coroutines.
    var shieldDepth: Int32 = 0
    /// How often a wait raised `cancelled` here.
    var cancellationCount: Int32 = 0
    /// Whether it has to stop: then each wait raises `cancelled`.
    var isCancelled = false
    /// Whether all of it is cleanup, which no cancellation interrupts.
    var isCleanup = false
    /// The host's request that it serves, if any.
    var request: Request?
    var isTerminating = false
    /// An error is on its way out of it.
    var isUnwinding = false
    /// The next idle task, while this one is idle.
    fileprivate var next: ScriptTask?

    /// - Parameter slot: Where its coroutine is kept.
    init(root: LuaRoot, _ slot: Int32, of anchors: TaskAnchors) {
        self.root = root
        self.slot = slot
        self.anchors = .passUnretained(anchors)
        anchors.hold()
    }

    deinit {
        let isLast = anchors._withUnsafeGuaranteedRef { $0.drop(slot) }
        if isLast { anchors.release() }
    }

    /// Whether its last piece has left no state that the next piece must not see.
    var isFresh: Bool {
        shieldDepth == 0 && cancellationCount == 0 && !isCancelled && !isTerminating && !isUnwinding
            && !isCleanup
    }

    /// Makes it ready for its next piece.
    func reset() {
        end = .nothing
        operation = nil
        if queue != nil { queue = nil }
        if nextOfOperation != nil { nextOfOperation = nil }
        if wait != nil { wait = nil }
        shieldDepth = 0
        cancellationCount = 0
        isCancelled = false
        isCleanup = false
        origin = .max
        waitedForTime = false
        if request != nil { request = nil }
        isTerminating = false
        isUnwinding = false
    }
}

/// The way in which a task begins or continues to run. Its function, arguments and values are on its root.
enum TaskEntry {
    /// Runs its function.
    case start
    /// The same; waits in it raise an error.
    case startWithoutWaits
    /// Runs the body of the operation that is anchored at a place: one of its user values.
    case body(UInt32, UInt32)
    /// Runs its function, and when that has returned, the functions that another one pushes.
    case series(LuaReference, LuaFunction)
    /// Ends its wait with so many values.
    case deliver(Int32)
    /// Continues after a pause.
    case resume
}

/// Coroutines that wait for their next piece of the script.
final class IdleTasks {
    private static let limit = 64
    private var first: ScriptTask?
    private var count = 0

    func take() -> ScriptTask? {
        guard let task = first else { return nil }
        first = task.next
        task.next = nil
        count -= 1
        return task
    }

    /// Keeps a task; beyond a limit, tasks are left to the garbage collector.
    func give(_ task: ScriptTask) {
        guard count < Self.limit else { return }
        task.next = first
        first = task
        count += 1
    }
}
