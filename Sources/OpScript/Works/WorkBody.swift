internal import Scheduling
internal import Synchronization
internal import Tracing

/// The Swift closure of one operation, with its arguments and its result.
///
/// The body is also the box in which other closures find its result.
final class WorkBody: ResultBox, OperationBody, @unchecked Sendable {
    // @unchecked because everything that `lock` does not guard, as in the superclass, is set before the body is shared,
    // and does not change while it is shared.

    // In an order that leaves few gaps: there is one such object for each pending operation.

    /// Whether results of other operations are among the arguments.
    let takesOperations: Bool
    /// Whether there is an origin, because telemetry follows the operation.
    private var hasOrigin = false
    private var hasTicket = false
    /// Whether it runs on a cluster.
    private var isRemote = false
    // `lock` guards the following three fields.
    private var isCancelled = false
    /// Whether an execution that is recorded was cancelled, or its time is over.
    private var wasToldToStop = false
    /// Attempts that have started.
    private var attempts: Int32 = 0
    let definition: WorkDefinition
    /// The arguments as the script gave them; operations among them represent their results.
    let arguments: ArgumentList
    // `lock` guards the following fields.
    /// The context of the attempt, if the closure takes one.
    private var context: WorkContext?
    private var extras: Extras?

    /// Fields that only few bodies have: those of `async` closures, and those that telemetry or a journal follows.
    private final class Extras {
        var ticket: JournalTicket?
        /// Starts an `async` closure as the caller of the run would; nil if no task waits for the run.
        var tasks: TaskSpawner?
        /// The context and the logger that the closure receives; nil if no telemetry follows the operation.
        var origin: WorkOrigin?
        var task: Task<Void, Never>?
        var reportHandler: (@Sendable () -> Void)?
        var shownName: String?
        var outputMode: ProgramOutputMode?
        /// The readers of the lines of its programs.
        var programFeeds: [ProgramFeed] = []
        /// The part of the script's memory that the arguments and the result take, if that memory is limited.
        var keptArguments: KeptBytes?
        var keptResult: KeptBytes?
        /// How it runs on a cluster, and what identifies the same operation in another run.
        var remote: RemotePlan?
        var place: ClusterPlace?
        var recordedKey: [UInt8]?
        var mayAwaitEarlierBody = false
        /// By attempt.
        var stays: [Int: NodeStay] = [:]
    }

    /// The extras, made when first needed.
    ///
    /// - Precondition: `lock` is held.
    private func makeExtras() -> Extras {
        if let extras { return extras }
        let made = Extras()
        extras = made
        return made
    }

    /// The facts for a journal; nil for most operations.
    ///
    /// Set before the body is shared.
    var ticket: JournalTicket? {
        get { hasTicket ? lock.withLock { _ in extras?.ticket } : nil }
        set {
            if newValue == nil, !hasTicket { return }
            hasTicket = newValue != nil
            lock.withLock { _ in makeExtras().ticket = newValue }
        }
    }

    /// The data that the closure receives about its operation's submission; nil if no telemetry follows the
    /// operation.
    ///
    /// Set before the operation is handed to a worker.
    var origin: WorkOrigin? {
        get { hasOrigin ? lock.withLock { _ in extras?.origin } : nil }
        set {
            hasOrigin = newValue != nil
            lock.withLock { _ in makeExtras().origin = newValue }
        }
    }

    /// How it runs on a cluster; nil if it runs in this process.
    ///
    /// Set before the operation is added, and changed only by the script thread while it has not started.
    var remote: RemotePlan? {
        get { isRemote ? lock.withLock { _ in extras?.remote } : nil }
        set {
            if newValue == nil, !isRemote { return }
            isRemote = newValue != nil
            lock.withLock { _ in makeExtras().remote = newValue }
        }
    }

    /// Changes the time limit of a body on a cluster; false if it runs in this process.
    ///
    /// Allowed after the operation was added, too.
    func setRemoteTimeLimit(_ seconds: Double?) -> Bool {
        guard isRemote else { return false }
        lock.withLock { _ in extras?.remote?.timeLimit = seconds }
        return true
    }

    /// Identifies the same operation in another run; nil without a journal.
    var recordedKey: [UInt8]? {
        get { lock.withLock { _ in extras?.recordedKey } }
        set { lock.withLock { _ in makeExtras().recordedKey = newValue } }
    }

    /// Whether the end of the same body in an earlier run counts.
    var mayAwaitEarlierBody: Bool {
        get { lock.withLock { _ in extras?.mayAwaitEarlierBody ?? false } }
        set { lock.withLock { _ in makeExtras().mayAwaitEarlierBody = newValue } }
    }

    /// Where the body is on a cluster in memory; nil if it is on none.
    var place: ClusterPlace? {
        get { lock.withLock { _ in extras?.place } }
        set { lock.withLock { _ in makeExtras().place = newValue } }
    }

    /// Notes on which node of a cluster an attempt is or was.
    func setStay(_ stay: NodeStay, attempt: Int) {
        lock.withLock { _ in makeExtras().stays[attempt] = stay }
    }

    /// Removes the note about an attempt that has ended; nil if its node is not known.
    func takeStay(attempt: Int) -> NodeStay? {
        isRemote ? lock.withLock { _ in extras?.stays.removeValue(forKey: attempt) } : nil
    }

    init(_ definition: WorkDefinition, _ arguments: consuming ArgumentList, takesOperations: Bool) {
        self.definition = definition
        self.arguments = arguments
        self.takesOperations = takesOperations
    }

    /// Sets how an `async` closure is started: as the caller of the run would start it.
    ///
    /// - Precondition: The body is not shared yet.
    func spawn(by tasks: TaskSpawner?) { lock.withLock { _ in makeExtras().tasks = tasks } }

    /// The progress of the attempt; 0 before it starts.
    var fractionCompleted: Double {
        lock.withLock { _ in context?.progress.fractionCompleted ?? 0 }
    }

    var progressCounts: (completed: Int64, total: Int64) {
        lock.withLock { _ in
            guard let progress = context?.progress else { return (0, 0) }
            return (progress.completedUnitCount, progress.totalUnitCount)
        }
    }

    var progressText: String? {
        let (context, place) = lock.withLock { _ in (self.context, extras?.place) }
        return context?.progress.localizedDescription ?? place?.text
    }

    /// Calls `handler` once, at the closure's next report of progress, even if only a later attempt makes one.
    func observeProgress(_ handler: @escaping @Sendable () -> Void) {
        let context = lock.withLock { _ in
            makeExtras().reportHandler = handler
            return self.context
        }
        context?.onReport(handler)
    }

    /// Whether the closure may run programs, so that it matters how they are shown.
    var mayRunPrograms: Bool { definition.isAsync && definition.takesContext }

    /// Sets the operation's name for the display of its programs; nil for none.
    func setShownName(_ name: String?) { lock.withLock { _ in makeExtras().shownName = name } }

    /// How the output of the operation's programs is shown; nil for the general way.
    var outputMode: ProgramOutputMode? {
        get { lock.withLock { _ in extras?.outputMode } }
        set { lock.withLock { _ in makeExtras().outputMode = newValue } }
    }

    /// The program that the closure runs, or ran last.
    var program: (any RunningProgram)? { lock.withLock { _ in context }?.program }

    /// Adds the program of the present attempt, and those of later ones, to a feed.
    func feedPrograms(_ feed: ProgramFeed) {
        let context = lock.withLock { _ in
            makeExtras().programFeeds.append(feed)
            return self.context
        }
        context?.onProgram(feed.add)
    }

    /// Nothing of the script can use the results of its programs any more, those of later attempts included.
    func passOnPrograms() {
        let context = lock.withLock { _ in
            let extras = makeExtras()
            if extras.outputMode == nil { extras.outputMode = .stream }
            return self.context
        }
        context?.onProgram { $0.passOn() }
    }

    /// The arguments, with results instead of operations.
    func filledArguments() throws -> [ScriptValue] {
        takesOperations ? try arguments.values.map { try $0.filledIn() } : arguments.values
    }

    /// Whether it was cancelled, or its time is over; false from then on, for the next attempt.
    func takeStop() -> Bool {
        lock.withLock { _ in
            defer { wasToldToStop = false }
            return wasToldToStop
        }
    }

    /// The closure's arguments, with a new context for this attempt if the closure takes one.
    private func begin() throws -> KeptArguments {
        var values = arguments
        if takesOperations {
            values = ArgumentList(try arguments.values.map { try $0.filledIn() })
            try definition.refuseMore(values)
        }
        guard definition.takesContext || definition.isAsync || isRemote else {
            return KeptArguments(values, nil)
        }
        let context = lock.withLock { _ in
            attempts += 1
            extras?.task = nil
            let context = WorkContext(
                name: definition.name,
                attempt: Int(attempts),
                logger: extras?.origin?.logger
            )
            self.context = context
            // The operation was cancelled after the attempt was handed to a worker and before it began.
            if isCancelled { context.cancel() }
            if let extras {
                if extras.shownName != nil || extras.outputMode != nil {
                    context.setDisplay(name: extras.shownName, mode: extras.outputMode)
                }
                if let handler = extras.reportHandler { context.onReport(handler) }
                for feed in extras.programFeeds { context.onProgram(feed.add) }
            }
            return context
        }
        return KeptArguments(values, context)
    }

    func execute() throws {
        if ticket != nil { return try executeRecorded() }
        try executeClosure()
    }

    /// Calls the closure.
    func executeClosure() throws {
        defer { letGoOfContext() }
        let value: ScriptValue
        if let serviceContext = origin?.context {
            value = try ServiceContext.withValue(serviceContext) { try begin().lend(to: definition.call) }
        } else {
            value = try begin().lend(to: definition.call)
        }
        try keepBytes(of: value)
        set(results: value)
    }

    /// Sets the result of the closure, or its several results.
    private func set(results value: ScriptValue) {
        if case .object(let object) = value, let results = object as? ResultList {
            set(results.values.first ?? .nil, all: results.values)
        } else {
            set(value)
        }
    }

    /// A context that reported no progress is not needed after the attempt: it is released where it was made.
    private func letGoOfContext() {
        guard definition.takesContext || isRemote else { return }
        let context = lock.withLock { _ -> WorkContext? in
            isCancelled = false
            guard let context = self.context, context.progress.totalUnitCount == 0 else { return nil }
            self.context = nil
            return context
        }
        _ = consume context
    }

    func executeAsTask() async throws {
        let body: @Sendable (KeptArguments) async throws -> ScriptValue
        if let remote {
            body = remoteClosure(remote)
        } else if case .async(let own) = definition.body {
            body = own
        } else {
            return try execute()
        }
        if ticket != nil { return try await executeRecordedAsTask(body) }
        try await executeAsTask(body)
    }

    /// Calls the closure of a task.
    func executeAsTask(_ body: @escaping @Sendable (KeptArguments) async throws -> ScriptValue) async throws {
        defer { lock.withLock { _ in isCancelled = false } }
        let arguments = try begin()
        let context = origin?.context
        // The task reports its end and is not awaited, since awaiting a task gives it the priority of the
        // waiting one.
        let value = try await withCheckedThrowingContinuation { continuation in
            start {
                do {
                    continuation.resume(
                        returning: try await ServiceContext.with(context) { try await body(arguments) }
                    )
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        try keepBytes(of: value)
        set(results: value)
    }

    /// Counts the arguments of the script's memory, if that is limited.
    ///
    /// - Throws: Code `limit`.
    func keepBytesOfArguments() throws(ScriptError) {
        guard let meter = definition.meter, let kept = try KeptBytes.counting(arguments.byteCount, meter)
        else { return }
        lock.withLock { _ in makeExtras().keptArguments = kept }
    }

    private func keepBytes(of result: ScriptValue) throws(ScriptError) {
        guard let meter = definition.meter, let kept = try KeptBytes.counting(result.byteCount, meter) else {
            return
        }
        lock.withLock { _ in makeExtras().keptResult = kept }
    }

    /// Starts the task of the attempt, and keeps it.
    private func start(_ body: @escaping @Sendable () async -> Void) {
        let (tasks, attempt) = lock.withLock { _ in (extras?.tasks, attempts) }
        let keep: @Sendable (Task<Void, Never>) -> Void = { [self] task in
            let isCancelled = lock.withLock { _ in
                guard attempts == attempt else { return false }
                makeExtras().task = task
                return self.isCancelled
            }
            // This happens outside the lock, since it may call handlers of the closure.
            if isCancelled { task.cancel() }
        }
        // If the caller is gone, the task starts on its own.
        if tasks?.start(body, started: keep) != true { keep(Task(operation: body)) }
    }

    func cancelExecution() {
        guard definition.takesContext || definition.isAsync || isRemote || ticket != nil else { return }
        let (context, task) = lock.withLock { _ in
            isCancelled = true
            wasToldToStop = true
            return (self.context, extras?.task)
        }
        context?.cancel()
        task?.cancel()
    }
}

extension ServiceContext {
    /// Calls a closure with a context, if there is one.
    fileprivate static func with<Value: Sendable>(
        _ context: ServiceContext?,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let context else { return try await body() }
        return try await withValue(context) { try await body() }
    }
}
