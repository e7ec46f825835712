internal import Synchronization

/// A script that somebody wants run, and who is told what became of it.
final class RunRequest: Sendable {
    let source: [UInt8]
    let name: String
    /// The file, where there is one.
    let script: String?
    let interpreter: [String]
    let arguments: [String]
    /// Starts `async` closures as the caller of the run would.
    let tasks: TaskSpawner?
    /// Whom to tell of operations; nil where the host has nobody.
    let backends: TelemetryBackends?
    /// Runs the script instead of the engine.
    let driver: ScriptDriver?
    private let completion: Mutex<(@Sendable (ScriptReport) -> Void)?>
    private let cancelFlag = Atomic<Bool>(false)

    init(
        source: [UInt8],
        name: String,
        script: String?,
        interpreter: [String],
        arguments: [String],
        tasks: TaskSpawner? = nil,
        backends: TelemetryBackends? = nil,
        driver: ScriptDriver? = nil
    ) {
        self.source = source
        self.name = name
        self.script = script
        self.interpreter = interpreter
        self.arguments = arguments
        self.tasks = tasks
        self.backends = backends
        self.driver = driver
        completion = Mutex(nil)
    }

    /// Says who is told. To be called once, before it is asked for.
    func onCompletion(_ body: @escaping @Sendable (ScriptReport) -> Void) {
        completion.withLock { $0 = body }
    }

    var isCancelled: Bool { cancelFlag.load(ordering: .acquiring) }

    func markCancelled() { cancelFlag.store(true, ordering: .releasing) }

    /// Tells, once.
    func complete(_ report: ScriptReport) {
        completion.withLock { $0.take() }?(report)
    }

    /// It did not come to its end: the engine ended before, or could not begin it.
    func refuse(_ error: ScriptError) {
        var report = ScriptReport()
        report.error = error
        complete(report)
    }

    /// It was cancelled before it began.
    func refuseCancelled() {
        var report = ScriptReport()
        report.wasCancelled = true
        report.error = .cancelledByHost
        complete(report)
    }
}

extension ScriptError {
    /// Something was asked of an engine that was shut down, or does not exist any more.
    static var engineIsGone: ScriptError {
        ScriptError(.host, "the engine was shut down, or is gone: nothing can be asked of it any more")
    }
}
