internal import Scheduling
internal import Synchronization

/// What other threads share with the script thread.
final class ScriptLink: Sendable {
    private let state = Mutex(State())
    private let postFlag = Atomic<Bool>(false)

    /// Guarded by `state`.
    private struct State {
        var posts: [Post] = []
        var scheduler: Scheduler?
        var finished = 0
        var total = 0
        var failed = 0
        var running: [OperationID: (name: String, since: Int64)] = [:]
    }

    /// Something that the script thread is to do. Handed over, and called there alone.
    // @unchecked because the closure is made by the sender and called once, on the script thread.
    struct Post: @unchecked Sendable {
        let body: (ScriptRuntime) -> Void
    }

    func attach(_ scheduler: Scheduler) { state.withLock { $0.scheduler = scheduler } }

    /// Has `body` called on the script thread, in its turn.
    func post(_ body: @escaping @Sendable (ScriptRuntime) -> Void) {
        let scheduler = state.withLock { state in
            state.posts.append(Post(body: body))
            return state.scheduler
        }
        postFlag.store(true, ordering: .releasing)
        scheduler?.wakeReader()
    }

    var hasPosts: Bool { postFlag.load(ordering: .acquiring) }

    func takePosts() -> [Post] {
        postFlag.store(false, ordering: .releasing)
        return state.withLock { state in
            let posts = state.posts
            state.posts = []
            return posts
        }
    }

    // MARK: Status

    func added() { state.withLock { $0.total += 1 } }

    func started(_ id: OperationID, name: String) {
        state.withLock { $0.running[id] = (name, SchedulerClock.systemNow) }
    }

    func finished(_ id: OperationID, failed: Bool) {
        state.withLock { state in
            state.finished += 1
            if failed { state.failed += 1 }
            state.running[id] = nil
        }
    }

    var status: ScriptStatus {
        let now = SchedulerClock.systemNow
        return state.withLock { state in
            var status = ScriptStatus()
            status.finished = state.finished
            status.total = state.total
            status.failed = state.failed
            status.running = state.running.values.sorted { $0.since < $1.since }.prefix(16).map {
                ($0.name, Double(now - $0.since) / 1e9)
            }
            status.runningCount = state.running.count
            return status
        }
    }
}
