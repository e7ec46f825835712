internal import Scheduling
internal import Synchronization

/// The one thread on which a runtime lives: made, used and closed there.
final class ScriptThread: ScriptRunner {
    /// Runs a body on a thread of its own; false if the system provides none.
    typealias Starter = @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool

    private let parts: RuntimeSettings
    private let starter: Starter
    private let isStarted = Atomic<Bool>(false)

    init(_ parts: RuntimeSettings, starter: @escaping Starter = ScriptThread.startSystemThread) {
        self.parts = parts
        self.starter = starter
    }

    /// The starter of all engines outside tests.
    @Sendable static func startSystemThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        SpareThreads.run(name: "opscript-script", body)
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
        // A thread that never started has nothing to close; a running one learns of the stop from the link.
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
        let isRunning = starter {
            let runtime = parts.makeRuntime()
            runtime.scheduler.readerBegins()
            while true {
                if case .stopped = runtime.pump(patience: .max) { break }
                runtime.scheduler.parkReader(until: nil)
            }
            runtime.scheduler.readerEnds()
            parts.close(runtime)
        }
        guard !isRunning else { return }
        // A request from here on starts the thread anew; earlier requests are refused below.
        isStarted.store(false, ordering: .releasing)
        parts.link.refuseAll(Self.noThread)
    }

    static let noThread = ScriptError(
        .host,
        "the system provides no thread for scripts: too many processes or threads (see 'ulimit -u'), "
            + "or no memory for its stack"
    )
}
