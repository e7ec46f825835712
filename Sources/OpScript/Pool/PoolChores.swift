internal import Scheduling
internal import Synchronization

/// The background work of a pool: it makes and closes engines, one after the other, on a thread that it takes for the
/// purpose. With a thread for each, a pool whose runs end together would take as many threads as it has engines.
final class PoolChores: Sendable {
    private struct State {
        var list: [@Sendable () -> Void] = []
        var hasThread = false
    }

    private let state = Mutex(State())

    /// Does something soon, on any thread; on this one if the system has no other.
    func add(_ chore: @escaping @Sendable () -> Void) {
        let needsThread = state.withLock { state in
            state.list.append(chore)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if needsThread, !SpareThreads.run(name: "opscript-pool", perform) { perform() }
    }

    private func perform() {
        while let chores = next() {
            for chore in chores { chore() }
        }
    }

    private func next() -> [@Sendable () -> Void]? {
        state.withLock { state in
            guard !state.list.isEmpty else {
                state.hasThread = false
                return nil
            }
            defer { state.list = [] }
            return state.list
        }
    }
}
