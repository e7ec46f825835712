#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
internal import CLinux
internal import Synchronization

/// A thread of the niceness that the process has, which starts threads on behalf of nicer ones.
///
/// On Linux a thread inherits the niceness of the one that starts it, and cannot lower it again. So a thread that runs
/// nice bodies must start no other one: not even one that is to be as nice as itself.
///
/// There is one for the process, from the moment at which the first nice thread is started. Any thread may call it.
final class ThreadSource: Sendable {
    static let shared = ThreadSource()

    private struct State {
        /// The niceness of its thread; nil as long as there is none.
        var niceness: Int32?
        var requests: [Request] = []
    }

    /// A thread that is to be started.
    private final class Request: Sendable {
        let start: @Sendable () -> Bool
        let isStarted = Atomic<Bool>(false)
        let done = Parker()

        init(_ start: @escaping @Sendable () -> Bool) { self.start = start }
    }

    private let state = Mutex(State())
    private let parker = Parker()

    /// To be called before a nice thread is started. If the system refuses the source its thread, threads are started
    /// by the thread that needs them.
    func prepare() {
        let isNew = state.withLock { state in
            guard state.niceness == nil else { return false }
            state.niceness = Self.currentNiceness
            return true
        }
        guard isNew, !SystemThread.startHere(name: "opscript-threads", { self.serve() }) else { return }
        state.withLock { $0.niceness = nil }
    }

    /// Whether the calling thread is nicer than the source's thread.
    var isNeeded: Bool {
        guard let niceness = state.withLock({ $0.niceness }) else { return false }
        return Self.currentNiceness > niceness
    }

    /// Starts a thread from the source's thread, and waits until that has been done. False if the system refuses.
    func start(_ start: @escaping @Sendable () -> Bool) -> Bool {
        let request = Request(start)
        state.withLock { $0.requests.append(request) }
        parker.unpark()
        request.done.park()
        return request.isStarted.load(ordering: .acquiring)
    }

    private func serve() {
        while true {
            parker.park()
            for request in state.withLock({ state in
                defer { state.requests = [] }
                return state.requests
            }) {
                request.isStarted.store(request.start(), ordering: .releasing)
                request.done.unpark()
            }
        }
    }

    private static var currentNiceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
}
