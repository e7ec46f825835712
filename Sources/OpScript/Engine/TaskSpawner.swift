/// Starts Swift tasks as if whoever runs the script had started them: with his task-local values and his priority.
///
/// Swift copies both from the task in which a new one is made; so one task of the caller's makes them all.
final class TaskSpawner: Sendable {
    private let continuation: AsyncStream<@Sendable () -> Void>.Continuation

    /// To be made in the task whose values are to be handed on.
    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        self.continuation = continuation
        Task {
            for await start in stream { start() }
        }
    }

    deinit { continuation.finish() }

    /// Starts a task and gives it to `started`, before or after it has begun to run.
    ///
    /// False where the run is over: nothing is started then.
    func start<Value: Sendable>(
        priority: TaskPriority?,
        _ body: @escaping @Sendable () async throws -> Value,
        started: @escaping @Sendable (Task<Value, any Error>) -> Void
    ) -> Bool {
        let result = continuation.yield { started(Task(priority: priority, operation: body)) }
        if case .enqueued = result { return true }
        return false
    }
}
