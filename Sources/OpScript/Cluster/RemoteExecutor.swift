internal import Scheduling
internal import Synchronization

/// Runs the bodies of works somewhere else: on the nodes of a cluster.
///
/// The scheduler decides when an operation starts, as for any other. The executor then gets a ``RemoteCall``, and
/// later reports its end. So queues, dependencies, retries, journals and observers know nothing of clusters. Its
/// functions are called on any thread and must not block.
package protocol RemoteExecutor: AnyObject, Sendable {
    /// Takes a body over. The executor ends the call once.
    func start(_ call: RemoteCall)

    /// Nothing needs the result any more. The call still has to be ended: by what is known of its end.
    func cancel(_ call: RemoteCall)

    /// Whether the body with this key was begun by an earlier run, and its end can still be learned.
    func holds(_ key: [UInt8]) -> Bool

    /// Describes what would be submitted for an operation, for a plan: a command with its options. Bodies with the same
    /// text that are ready together are one submission.
    ///
    /// - Parameters:
    ///   - options: The options of the operation and its queue.
    ///   - priority: From -8 (very low) to 8 (very high).
    ///   - timeLimit: How long the body may execute, in seconds; nil for no limit.
    ///   - mayRepeat: Whether the body may run again if it is not known what became of it.
    func plan(_ options: ClusterOptions, priority: Int, timeLimit: Double?, mayRepeat: Bool) -> String

    /// The same cluster in memory, for a run on virtual time.
    func simulation(_ model: ClusterModel, seed: UInt64) -> any ClusterSimulation
}

/// A body that an executor runs: one attempt of one operation.
package final class RemoteCall: Sendable {
    /// Different for each call of this process, from 1.
    package let number: UInt64
    /// The name of the work.
    package let work: String
    /// The name that the script gave the operation; that of the work if it gave none.
    package let name: String
    /// The arguments, by ``ValueBytes``.
    package let arguments: [UInt8]
    /// The function of an isolate; nil for a work.
    package let code: [UInt8]?
    /// How and where it runs.
    package let options: ClusterOptions
    /// The priority of the operation in its queue, from -8 (very low) to 8 (very high).
    package let priority: Int
    /// How long it may execute, in seconds; nil for no limit.
    package let timeLimit: Double?
    /// The number of the attempt, from 1.
    package let attempt: Int
    /// Whether the body may run again if it is not known what became of it.
    package let mayRepeat: Bool
    /// Identifies the same operation in another run; nil without a journal.
    package let key: [UInt8]?
    /// Whether the end of the body with that key counts that an earlier run has begun.
    package let mayAwaitEarlierBody: Bool

    private let context: WorkContext
    private let plan: RemotePlan
    private let stayHandler: @Sendable (NodeStay) -> Void
    private let completion: @Sendable (Result<[ScriptValue], any Error>) -> Void
    private let state = Mutex(State())

    private struct State {
        var hasEnded = false
        var place: ClusterPlace?
        var text: String?

        var shownText: String? {
            guard let place = place?.text else { return text }
            return text.map { "\(place): \($0)" } ?? place
        }
    }

    private static let count = Atomic<UInt64>(0)

    init(
        _ plan: RemotePlan,
        work: String,
        arguments: [UInt8],
        code: [UInt8]?,
        key: [UInt8]?,
        mayAwaitEarlierBody: Bool,
        mayRepeat: Bool,
        context: WorkContext,
        onStay: @escaping @Sendable (NodeStay) -> Void,
        _ completion: @escaping @Sendable (Result<[ScriptValue], any Error>) -> Void
    ) {
        number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        self.work = work
        name = plan.name ?? work
        self.arguments = arguments
        self.code = code
        options = plan.options
        priority = plan.priority
        timeLimit = plan.timeLimit
        attempt = context.attempt
        self.mayRepeat = mayRepeat
        self.key = key
        self.mayAwaitEarlierBody = mayAwaitEarlierBody
        self.context = context
        self.plan = plan
        stayHandler = onStay
        self.completion = completion
    }

    /// Reports where the body is. It is the text of the operation's progress, in front of the body's own.
    package func report(place: ClusterPlace) {
        let (text, hasMoved) = state.withLock { state -> (String?, Bool) in
            if state.place == place { return (nil, false) }
            let hasMoved = state.place?.node != place.node
            state.place = place
            return (state.shownText, hasMoved)
        }
        if let text { context.progress.localizedDescription = text }
        guard hasMoved else { return }
        let now = plan.clock.now
        if let node = place.node { stayHandler(NodeStay(node: node, since: now, seconds: nil)) }
        plan.moved(place.node, attempt, now)
    }

    /// The body has ended on a node, where it ran for so many seconds. Before the end.
    package func ran(on node: String, for seconds: Double) {
        stayHandler(NodeStay(node: node, since: plan.clock.now, seconds: seconds))
    }

    /// Shows the output that the body has caused, as if its programs had run here. Before the end.
    package func show(_ output: [RemoteOutput], isFailed: Bool) {
        var view: (any ProgramView)?
        var line: String?
        for piece in output {
            guard let commandLine = piece.commandLine else {
                if let print = plan.print {
                    print(piece.bytes)
                } else {
                    piece.bytes.withUnsafeBytes { StandardStreams.writeOutput($0) }
                }
                continue
            }
            if line != commandLine {
                view?.ended()
                view?.settled(isUsed: isFailed)
                line = commandLine
                view = plan.display?.begins(context.shownName, commandLine, context.outputMode)
            }
            view?.wrote(piece.bytes[...], isError: piece.isError)
        }
        view?.ended()
        // The output of a program that has failed is in the error.
        view?.settled(isUsed: isFailed)
    }

    /// Reports the progress of the body.
    package func report(completed: Int64, of total: Int64, text: String?) {
        let shown = state.withLock { state -> String? in
            state.text = text
            return state.shownText
        }
        context.progress.localizedDescription = shown
        context.progress.report(completed: completed, of: total)
    }

    /// Ends the call; a second end has no effect.
    package func end(_ result: Result<[ScriptValue], any Error>) {
        let isFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        if isFirst { completion(result) }
    }

    /// Whether its operation was cancelled.
    package var isCancelled: Bool { context.isCancelled }
}

/// The facts that a body needs to run elsewhere. Set when its operation is added.
struct RemotePlan: Sendable {
    /// The name of the cluster.
    let cluster: String
    let executor: any RemoteExecutor
    var options: ClusterOptions
    /// The operation's own name.
    var name: String?
    var priority: Int
    /// Seconds.
    var timeLimit: Double?
    let clock: SchedulerClock
    /// Receives the node on which the body of an attempt is since a moment; nil for none. Called on any thread.
    var moved: @Sendable (_ node: String?, _ attempt: Int, _ moment: Int64) -> Void = { _, _, _ in }
    /// Shows the output of programs, and takes the lines that isolates print.
    var display: (any ProgramDisplay)?
    var print: (@Sendable ([UInt8]) -> Void)?
}

/// Output that a body has caused elsewhere.
package struct RemoteOutput: Sendable, Equatable {
    /// The program; nil for the lines of an isolate.
    package var commandLine: String?
    package var isError: Bool
    package var bytes: [UInt8]

    package init(commandLine: String?, isError: Bool, bytes: [UInt8]) {
        self.commandLine = commandLine
        self.isError = isError
        self.bytes = bytes
    }
}
