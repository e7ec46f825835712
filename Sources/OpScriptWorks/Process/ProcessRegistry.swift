internal import Glibc
internal import Synchronization

/// Knows the process groups that works have started and that have not ended yet, so that none outlives this process.
///
/// Code that ends this process calls ``killAll()`` before. A guardian covers the case that this process is
/// killed: a small shell that ends the groups when this process is gone. Not covered: a process that was
/// started in the very moment between its start and its entry here; one that has left its group (a daemon);
/// and the death of the guardian itself.
public final class ProcessRegistry: Sendable {
    /// The registry of all works in this process.
    public static let shared = ProcessRegistry()

    private struct State {
        var groups: Set<pid_t> = []
        /// Once all were killed, a process that starts later is killed at once.
        var isClosed = false
        /// Created with the first process; contains nil if it could not be created.
        var guardian: Guardian??
    }

    private let state = Mutex(State())

    /// Makes a registry with a guardian of its own.
    init() {}

    /// Kills every process group that is running, and from now on each one that starts.
    ///
    /// Returns at once. Not for signal handlers: it takes a lock.
    public func killAll() {
        state.withLock { state in
            state.isClosed = true
            for group in state.groups { kill(-group, SIGKILL) }
        }
    }

    func add(_ group: pid_t) {
        state.withLock { state in
            if state.isClosed { kill(-group, SIGKILL) }
            state.groups.insert(group)
            let guardian = state.guardian ?? Guardian()
            guardian?.watch(group)
            state.guardian = .some(guardian)
        }
    }

    func remove(_ group: pid_t) {
        state.withLock { state in
            state.groups.remove(group)
            state.guardian??.forget(group)
        }
    }
}
