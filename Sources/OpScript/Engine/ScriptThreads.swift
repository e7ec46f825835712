internal import Scheduling
internal import Synchronization

/// Threads on which any number of engines run their scripts.
///
/// An engine takes a thread while its script has something to do. While the script waits, for an operation, a
/// timer or the host, the engine has none. Therefore a thousand waiting engines need no thread, and the
/// running engines need one thread each, at most ``count``.
///
/// ```swift
/// var configuration = ScriptEngine.Configuration()
/// configuration.scriptExecutor = .threads(ScriptThreads(count: 4))
/// ```
public final class ScriptThreads: Sendable {
    /// The threads that all engines of the process use by default: one for each script that has something to
    /// do.
    public static let shared = ScriptThreads(limit: nil)

    /// How many scripts run at once at most; nil for any number.
    public let count: Int?

    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
        /// The place of the first waiting body; the bodies before it have begun.
        var first = 0
    }

    private let state = Mutex(State())
    private let starter: ScriptThread.Starter
    /// The delay before another request for a thread that the system refused.
    static let refusalPause = Duration.milliseconds(5)

    /// Makes threads for at most `count` scripts at once, at least 1. Further scripts wait for their turn, in
    /// the order of their requests. A script that runs for long gives the others a turn every few
    /// milliseconds, at its next wait.
    ///
    /// A host closure that blocks the script thread blocks one of these threads; see
    /// ``ScriptEngine/registerFunction(_:_:parameters:replacing:_:)``.
    public convenience init(count: Int) {
        precondition(count >= 1, "scripts need at least one thread")
        self.init(limit: count)
    }

    init(limit: Int?, starter: @escaping ScriptThread.Starter = ScriptThread.startSystemThread) {
        count = limit
        self.starter = starter
    }

    /// How many scripts have a thread.
    var runningCount: Int { state.withLock { $0.running } }

    /// Whether others wait for a thread.
    var isCrowded: Bool {
        guard count != nil else { return false }
        return state.withLock { $0.first < $0.waiting.count }
    }

    /// Runs a body on one of the threads, when one is free.
    ///
    /// - Returns: False if the system refuses a thread; the body is not run.
    func run(_ body: @escaping @Sendable () -> Void) -> Bool {
        let begins = state.withLock { state in
            if let count, state.running >= count {
                state.waiting.append(body)
                return false
            }
            state.running += 1
            return true
        }
        guard begins else { return true }
        if startThread(body) { return true }
        // A body that has begun to wait meanwhile cannot be refused any more.
        let othersWait = state.withLock { state in
            state.running -= 1
            return state.running == 0 && state.first < state.waiting.count
        }
        if othersWait { startWaiting() }
        return false
    }

    /// Starts a thread for waiting bodies, as soon as the system allows one.
    private func startWaiting() {
        Task {
            try? await Task.sleep(for: Self.refusalPause)
            let isNeeded = state.withLock { state in
                guard state.running == 0, state.first < state.waiting.count else { return false }
                state.running = 1
                return true
            }
            guard isNeeded, !startThread({}) else { return }
            state.withLock { $0.running -= 1 }
            startWaiting()
        }
    }

    private func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        starter {
            body()
            while let next = self.next() { next() }
        }
    }

    /// The body that has waited longest; nil if none waits; then the thread is free.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.first < state.waiting.count else {
                state.waiting.removeAll(keepingCapacity: true)
                state.first = 0
                state.running -= 1
                return nil
            }
            state.first += 1
            if state.first > 64, state.first * 2 > state.waiting.count {
                state.waiting.removeFirst(state.first - 1)
                state.first = 1
            }
            return state.waiting[state.first - 1]
        }
    }
}

extension ScriptThreads: Hashable {
    /// Each object represents threads of its own.
    public static func == (left: ScriptThreads, right: ScriptThreads) -> Bool { left === right }

    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
