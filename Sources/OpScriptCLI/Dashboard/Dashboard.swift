internal import Glibc
internal import OpScript
internal import OpScriptRecord
internal import Synchronization

/// The live page of a run: its content, its visitors, and the targets of its buttons.
final class Dashboard: Sendable {
    /// Why there is no page.
    struct Failure: Error {
        let message: String
    }

    /// How long, in nanoseconds, the end of a run waits for pages that receive it.
    private static let patience: Int64 = 1_000_000_000

    /// The content of the page; a sink of the engine.
    let run: LiveRun
    let gate: DashboardGate
    /// Whether the page stays after the run.
    let isKept: Bool
    /// The engine whose run is shown; nil before and after the run.
    private let engine = Mutex<ScriptEngine?>(nil)
    /// Whether the end of the run was asked for: a second time would end the command at once.
    private let hasCancelled = Atomic<Bool>(false)

    #if Dashboard
    /// Serves the page; nil before and afterwards.
    private let listening = Mutex<DashboardServer.Listening?>(nil)
    #endif

    init(isKept: Bool, token: DashboardToken = DashboardToken()) {
        self.isKept = isKept
        gate = DashboardGate(token: token)
        run = LiveRun(keepsRecord: isKept, clock: now)
    }

    // MARK: Serving

    /// Begins to serve the page, and gives its whole address.
    func serve(at address: DashboardAddress) throws(Failure) -> String {
        #if Dashboard
        let listening = try DashboardServer.start(self, at: address)
        self.listening.withLock { $0 = listening }
        return address.page(port: listening.port, token: gate.token)
        #else
        throw Failure(message: "the live page needs the package trait 'Dashboard'")
        #endif
    }

    /// After the run: lets open pages learn of its end, or keeps them until a signal comes; then nothing is served.
    func finish(_ pipe: WakePipe) {
        #if Dashboard
        guard let listening = listening.withLock({ $0.take() }) else { return }
        let end = now() + Self.patience
        while isKept || (listening.server.streamCount > 0 && now() < end) {
            let rest = isKept ? 3600 : Double(end - now()) / 1e9
            if pipe.wait(seconds: rest).contains(where: { $0 != .call }) { break }
        }
        listening.close()
        #endif
    }

    // MARK: Orders

    /// The engine's run is shown from now on.
    func attach(_ engine: ScriptEngine) { self.engine.withLock { $0 = engine } }

    /// The run is over; orders are refused.
    func detach() { engine.withLock { $0 = nil } }

    /// Follows an order; the answer comes on any thread.
    func follow(_ order: DashboardOrder, answer: @escaping @Sendable (ScriptEngine.OrderResult) -> Void) {
        guard let engine = engine.withLock({ $0 }) else { return answer(.refused("the run has ended")) }
        switch order {
        case .suspend(let queue): engine.setSuspended(true, queue: queue, answer: answer)
        case .resume(let queue): engine.setSuspended(false, queue: queue, answer: answer)
        case .cancelOperation(let number): engine.cancelOperation(number, answer: answer)
        case .cancelRun:
            if !hasCancelled.exchange(true, ordering: .relaxed) { WakePipe.interrupt() }
            answer(.done)
        }
    }
}

/// Nanoseconds on a clock that only goes forward.
@Sendable private func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
