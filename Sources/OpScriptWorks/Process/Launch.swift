internal import Glibc
internal import Subprocess
internal import Synchronization

/// One process from its start to the end of its group.
final class Launch: Sendable {
    private let configuration: Configuration
    private let registry: ProcessRegistry
    private let grace: Duration

    private struct State {
        /// Set once it has started, until nothing of it is to be signalled any more.
        var group: pid_t?
        var cancelledAt: ContinuousClock.Instant?
        /// Kills what has not ended when the grace is over.
        var killer: Task<Void, Never>?
    }

    private let state = Mutex(State())

    init(configuration: Configuration, registry: ProcessRegistry, grace: Duration) {
        self.configuration = configuration
        self.registry = registry
        self.grace = grace
    }

    /// Runs the process to its end.
    func run<Input: InputProtocol, Output: OutputProtocol, ErrorOutput: ErrorOutputProtocol>(
        _ input: Input,
        _ output: Output,
        _ errorOutput: ErrorOutput
    ) async throws -> ExecutionResult<Void, Output, ErrorOutput> {
        try await Subprocess.run(configuration, input: input, output: output, error: errorOutput) {
            execution in
            self.started(execution.processIdentifier.value)
        }
    }

    private func started(_ group: pid_t) {
        registry.add(group)
        state.withLock { state in
            state.group = group
            if state.cancelledAt != nil { terminate(&state) }
        }
    }

    /// Asks the group to end, and has it killed when the grace is over; a second call does nothing.
    ///
    /// Usable from any thread, also before the start.
    func cancel() {
        state.withLock { state in
            guard state.cancelledAt == nil else { return }
            state.cancelledAt = .now
            terminate(&state)
        }
    }

    private func terminate(_ state: inout State) {
        guard let group = state.group else { return }
        kill(-group, SIGTERM)
        state.killer = Task { [self] in
            do {
                try await Task.sleep(for: grace)
                self.state.withLock { state in
                    if let group = state.group { _ = kill(-group, SIGKILL) }
                }
            } catch {
                // It has ended before.
            }
        }
    }

    /// Lets go of the group once the process has ended; true where it was cancelled.
    ///
    /// After a cancellation it waits until the rest of the group has ended, too, or was killed: those that the process
    /// had started may have stayed.
    func endGroup() async -> Bool {
        let (group, cancelledAt) = state.withLock { ($0.group, $0.cancelledAt) }
        if let group, let cancelledAt {
            let deadline = cancelledAt + grace
            while kill(-group, 0) == 0 {
                if ContinuousClock.now >= deadline {
                    kill(-group, SIGKILL)
                    break
                }
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
        if let group { registry.remove(group) }
        return state.withLock { state in
            state.group = nil
            state.killer?.cancel()
            state.killer = nil
            return state.cancelledAt != nil
        }
    }
}
