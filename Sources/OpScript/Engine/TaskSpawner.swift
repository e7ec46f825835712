/// Starts Swift tasks as if the caller of the run had started them: with the caller's task-local values and priority.
///
/// Swift copies both from the task in which a new one is made, so one task of the caller makes them all.
final class TaskSpawner: Sendable {
    private let place: Place
    private let link: ScriptLink

    private enum Place {
        /// A task that does nothing else.
        case stream(AsyncStream<@Sendable () -> Void>.Continuation)
        /// The task that waits for an answer.
        case ask(Ask)
    }

    /// Call this in the task whose values the new tasks inherit.
    init(_ link: ScriptLink) {
        self.link = link
        let (stream, continuation) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        place = .stream(continuation)
        Task {
            for await start in stream { start() }
        }
    }

    /// Starts tasks as if the task that waits for the answer had started them.
    init(_ ask: Ask, _ link: ScriptLink) {
        self.link = link
        place = .ask(ask)
    }

    deinit {
        if case .stream(let continuation) = place { continuation.finish() }
    }

    /// Starts a task and gives it to `started`, before or after it has begun to run.
    ///
    /// Returns false and starts nothing if the run or the request is over.
    func start(
        _ body: @escaping @Sendable () async -> Void,
        started: @escaping @Sendable (Task<Void, Never>) -> Void
    ) -> Bool {
        let link = link
        let start: @Sendable () -> Void = {
            started(Task { await EngineScope.run(in: link) { await body() } })
        }
        switch place {
        case .ask(let ask): return ask.enqueue(start)
        case .stream(let continuation):
            if case .enqueued = continuation.yield(start) { return true }
            return false
        }
    }
}
