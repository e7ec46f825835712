internal import OpScript
internal import Synchronization

/// A body that runs on a node.
final class TaskRun: Sendable {
    let message: TaskMessage
    let context: WorkContext
    private let output: OutputRecord
    private let state = Mutex(State())

    private struct State {
        var isTimedOut = false
        /// Whether Slurm, or a user, has ended the job.
        var isTerminated = false
        var cancel: (@Sendable () -> Void)?
        var isCancelled = false
    }

    init(_ message: TaskMessage, _ output: OutputRecord) {
        self.message = message
        self.output = output
        context = WorkContext(name: message.name, attempt: message.attempt)
    }

    /// Runs it, and reports its end. Call it once.
    func perform(in engine: ScriptEngine, on node: String) async -> TaskReport {
        _ = output.take()
        let began = ContinuousClock.now
        let end = await perform(in: engine)
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        if case .failed(let error) = end, error.fields["signal"] != nil {
            // Slurm signals all processes of a job that it ends: the signal for this one may still be on its way.
            try? await Task.sleep(for: .milliseconds(500))
        }
        return TaskReport(node: node, seconds: seconds, end: end, output: output.take())
    }

    private func perform(in engine: ScriptEngine) async -> TaskEnd {
        let timer = message.timeLimit.map { limit in
            Task { [self] in
                try await Task.sleep(for: .seconds(min(limit, 315_360_000)))
                state.withLock { $0.isTimedOut = true }
                stop()
            }
        }
        defer { timer?.cancel() }
        if state.withLock({ $0.isCancelled }) { return .cancelled }
        guard let arguments = ValueBytes.decode(message.arguments) else {
            return .failed(ScriptError(.host, "the arguments of '\(message.name)' have arrived damaged"))
        }
        do {
            let (message, context) = (message, context)
            let task = Task { try await engine.perform(message.work, message.code, arguments, context) }
            let isCancelled = state.withLock { state in
                state.cancel = { task.cancel() }
                return state.isCancelled
            }
            if isCancelled { task.cancel() }
            let values = try await task.value
            // The limit decides, even if the body has not taken notice of it.
            return state.withLock({ $0.isTimedOut }) ? timedOut : .succeeded(values)
        } catch {
            return end(error)
        }
    }

    private var timedOut: TaskEnd {
        .failed(.timedOut(message.name, after: message.timeLimit ?? 0))
    }

    private func end(_ error: any Error) -> TaskEnd {
        if state.withLock({ $0.isTimedOut }) { return timedOut }
        if error is CancellationError { return .cancelled }
        return .failed(error as? ScriptError ?? ScriptError(.failed, String(describing: error)))
    }

    /// The job of the body ends. Slurm's list says why: the body reports no failure of its own.
    func terminate() {
        state.withLock { $0.isTerminated = true }
        stop()
    }

    /// Whether an end says nothing, because the job was ended under the body.
    func isMeaningless(_ end: TaskEnd) -> Bool {
        if case .succeeded = end { return false }
        return state.withLock { $0.isTerminated }
    }

    /// Asks the body to end.
    func stop() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.cancel
        }
        context.cancel()
        cancel?()
    }
}
