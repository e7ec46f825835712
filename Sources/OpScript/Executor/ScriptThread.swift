internal import Scheduling
internal import Synchronization

/// The one thread on which a runtime lives: made, used and closed there.
final class ScriptThread: ScriptRunner {
    private let parts: RuntimeParts
    private let isStarted = Atomic<Bool>(false)

    init(_ parts: RuntimeParts) {
        self.parts = parts
    }

    func start() {
        let isFirst = isStarted.compareExchange(
            expected: false,
            desired: true,
            ordering: .acquiringAndReleasing
        ).exchanged
        if isFirst { startThread() }
    }

    func stop() {
        // A thread that never was has nothing to close; one that is sees it by the link.
        let isFirst = isStarted.compareExchange(
            expected: false,
            desired: true,
            ordering: .acquiringAndReleasing
        ).exchanged
        if isFirst { parts.link.closed() }
    }

    func poll(budget: Int64) -> ScriptEngine.PollResult? { nil }

    private func startThread() {
        let parts = parts
        // Lua nests up to 200 C calls deep, and Swift closures run on top of that.
        let started = SystemThread.start(name: "opscript-script", stackSize: 16 << 20) {
            let runtime = parts.makeRuntime()
            runtime.scheduler.readerBegins()
            while true {
                if case .stopped = runtime.pump() { break }
                runtime.flushOutput()
                runtime.scheduler.parkReader(until: nil)
            }
            runtime.scheduler.readerEnds()
            runtime.close()
            parts.link.closed()
        }
        precondition(started, "the system has no thread to give for the script")
    }
}
