internal import Scheduling
internal import Synchronization
internal import Tracing

/// The Swift closure of one operation, with its arguments, and what became of it.
///
/// It is itself the box in which those who take its result as an argument look.
final class WorkBody: ResultBox, OperationBody, @unchecked Sendable {
    // @unchecked because what is not behind `lock`, as in the superclass, is set before anybody else knows the body,
    // and stays until nobody else does.

    let definition: WorkDefinition
    /// As the script gave them; operations among them stand for their results.
    let arguments: ArgumentList
    /// Whether results of other operations are among the arguments.
    let takesOperations: Bool
    /// Whether anybody listens, so that there is an origin.
    private var hasOrigin = false
    // What follows is behind `lock`.
    private var isCancelled = false
    /// Attempts that have started.
    private var attempts: Int32 = 0
    /// That of the attempt, where the closure wants one.
    private var context: WorkContext?
    private var extras: Extras?

    /// What few bodies have: those of async closures, and those that are listened to.
    private final class Extras {
        /// Starts an `async` closure as the caller of the run would; nil where nobody waits for the run.
        var tasks: TaskSpawner?
        /// What the closure is to know of its operation's submission; nil where nobody listens.
        var origin: WorkOrigin?
        var task: Task<Void, Never>?
        var reportHandler: (@Sendable () -> Void)?
    }

    /// What only few bodies have, made when first needed.
    ///
    /// - Precondition: `lock` is held.
    private func makeExtras() -> Extras {
        if let extras { return extras }
        let made = Extras()
        extras = made
        return made
    }

    /// What the closure is to know of its operation's submission; nil where nobody listens.
    ///
    /// Set before the operation is handed to a worker.
    var origin: WorkOrigin? {
        get { hasOrigin ? lock.withLock { _ in extras?.origin } : nil }
        set {
            hasOrigin = newValue != nil
            lock.withLock { _ in makeExtras().origin = newValue }
        }
    }

    init(_ definition: WorkDefinition, _ arguments: consuming ArgumentList, takesOperations: Bool) {
        self.definition = definition
        self.arguments = arguments
        self.takesOperations = takesOperations
    }

    /// Has an `async` closure started as the caller of the run would.
    ///
    /// - Precondition: Nobody else knows the body.
    func spawn(by tasks: TaskSpawner?) { lock.withLock { _ in makeExtras().tasks = tasks } }

    /// How far the attempt has come; 0 before it starts.
    var fractionCompleted: Double {
        lock.withLock { _ in context?.progress.fractionCompleted ?? 0 }
    }

    var progressCounts: (completed: Int64, total: Int64) {
        lock.withLock { _ in
            guard let progress = context?.progress else { return (0, 0) }
            return (progress.completedUnitCount, progress.totalUnitCount)
        }
    }

    /// Has `handler` called once, when the closure reports progress next; also when only a later attempt does.
    func observeProgress(_ handler: @escaping @Sendable () -> Void) {
        let context = lock.withLock { _ in
            makeExtras().reportHandler = handler
            return self.context
        }
        context?.onReport(handler)
    }

    /// The arguments, with results in the place of operations.
    func filledArguments() throws -> [ScriptValue] {
        takesOperations ? try arguments.values.map { try $0.filledIn() } : arguments.values
    }

    /// What the closure takes, with a context of its own for this attempt where it wants one.
    private func begin() throws -> KeptArguments {
        var values = arguments
        if takesOperations {
            values = ArgumentList(try arguments.values.map { try $0.filledIn() })
            try definition.refuseMore(values)
        }
        guard definition.takesContext || definition.isAsync else { return KeptArguments(values, nil) }
        let context = lock.withLock { _ in
            attempts += 1
            extras?.task = nil
            let context = WorkContext(
                name: definition.name,
                attempt: Int(attempts),
                logger: extras?.origin?.logger
            )
            self.context = context
            // Told after the attempt was handed out, and before it got here.
            if isCancelled { context.cancel() }
            if let handler = extras?.reportHandler { context.onReport(handler) }
            return context
        }
        return KeptArguments(values, context)
    }

    func execute() throws {
        defer { letGoOfContext() }
        let value: ScriptValue
        if let serviceContext = origin?.context {
            value = try ServiceContext.withValue(serviceContext) { try begin().lend(to: definition.call) }
        } else {
            value = try begin().lend(to: definition.call)
        }
        if case .object(let object) = value, let results = object as? ResultList {
            set(results.values.first ?? .nil, all: results.values)
        } else {
            set(value)
        }
    }

    /// A context that reported no progress is of no use after the attempt: it goes where it was made.
    private func letGoOfContext() {
        guard definition.takesContext else { return }
        let context = lock.withLock { _ -> WorkContext? in
            isCancelled = false
            guard let context = self.context, context.progress.totalUnitCount == 0 else { return nil }
            self.context = nil
            return context
        }
        _ = consume context
    }

    func executeAsTask() async throws {
        guard case .async(let body) = definition.body else { return try execute() }
        defer { lock.withLock { _ in isCancelled = false } }
        let arguments = try begin()
        let context = origin?.context
        // It tells its end, and is not waited for: who waits for a task gives it his own priority.
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
        set(value)
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
            // Outside, since it may call what the closure has given for that.
            if isCancelled { task.cancel() }
        }
        // Where the caller has gone it is on its own.
        if tasks?.start(body, started: keep) != true { keep(Task(operation: body)) }
    }

    func cancelExecution() {
        guard definition.takesContext || definition.isAsync else { return }
        let (context, task) = lock.withLock { _ in
            isCancelled = true
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
