internal import Scheduling
internal import Synchronization

/// What other threads share with the script thread.
final class ScriptLink: Sendable {
    let adoptedQueues = AdoptedQueueTable()
    private let state = Mutex(State())
    private let postFlag = Atomic<Bool>(false)
    private let cancelFlag = Atomic<Bool>(false)

    /// Guarded by `state`.
    private struct State {
        var posts: [Post] = []
        var scheduler: Scheduler?
        var status = StatusSnapshot()
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

    /// Has the run cancelled: in its turn, or at the script's next wait, even one that has nothing to wait for.
    func cancel() {
        cancelFlag.store(true, ordering: .releasing)
        post { $0.cancelFromOutside() }
    }

    /// Whether somebody outside wants the run cancelled; a look without the lock.
    var wantsCancel: Bool { cancelFlag.load(ordering: .acquiring) }

    func cancelIsTakenIn() { cancelFlag.store(false, ordering: .releasing) }

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

    func publish(_ status: StatusSnapshot) { state.withLock { $0.status = status } }

    var status: ScriptStatus {
        let snapshot = state.withLock { $0.status }
        let now = SchedulerClock.systemNow
        return ScriptStatus(
            finished: snapshot.finished,
            total: snapshot.total,
            failed: snapshot.failed,
            runningCount: snapshot.runningCount,
            running: snapshot.running.map { ($0.name, Double(max(0, now - $0.since)) / 1e9) }
        )
    }
}

/// How far a run had come when the script thread last looked.
struct StatusSnapshot {
    var finished = 0
    var total = 0
    var failed = 0
    var runningCount = 0
    /// Those that execute longest, with the moment of their start.
    var running: [(name: String, since: Int64)] = []
}
