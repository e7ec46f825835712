internal import Synchronization

/// A request to run a script, with the handler that receives the report.
final class RunRequest: Sendable {
    let source: [UInt8]
    let name: String
    /// The script's file, if there is one.
    let script: String?
    /// Whether the words of the command line name the script; otherwise all of them belong to the interpreter.
    let namesScript: Bool
    let interpreter: [String]
    let arguments: [String]
    /// Whether the name, the script and the words were made by ``RawText``.
    let hasRawWords: Bool
    /// The text of the script as its author wrote it, in one or several pieces; nil if that is the source.
    let texts: [[UInt8]]?
    /// Starts `async` closures as the caller of the run would.
    let tasks: TaskSpawner?
    /// The backends that receive the events of operations; nil if the host has none.
    let backends: TelemetryBackends?
    /// Runs the script instead of the engine.
    let driver: ScriptDriver?
    /// The library of a run without a script, which stays open for the lines of a person.
    let prompt: PromptLibrary?
    private let completion: Mutex<(@Sendable (ScriptReport) -> Void)?>
    private let cancelFlag = Atomic<Bool>(false)
    private let signalNumber = Atomic<Int32>(2)

    init(
        source: [UInt8],
        name: String,
        script: String?,
        namesScript: Bool = true,
        interpreter: [String],
        arguments: [String],
        hasRawWords: Bool = false,
        texts: [[UInt8]]? = nil,
        tasks: TaskSpawner? = nil,
        backends: TelemetryBackends? = nil,
        driver: ScriptDriver? = nil,
        prompt: PromptLibrary? = nil
    ) {
        self.source = source
        self.name = name
        self.script = script
        self.namesScript = namesScript
        self.interpreter = interpreter
        self.arguments = arguments
        self.hasRawWords = hasRawWords
        self.texts = texts
        self.tasks = tasks
        self.backends = backends
        self.driver = driver
        self.prompt = prompt
        completion = Mutex(nil)
    }

    /// Sets the handler that receives the report. Call this once, before the request is submitted.
    func onCompletion(_ body: @escaping @Sendable (ScriptReport) -> Void) {
        completion.withLock { $0 = body }
    }

    /// The bytes of the name, the script or a word.
    func bytes(_ text: String) -> [UInt8] { hasRawWords ? RawText.bytes(of: text) : Array(text.utf8) }

    var isCancelled: Bool { cancelFlag.load(ordering: .acquiring) }

    func markCancelled(_ signal: Int32) {
        signalNumber.store(signal, ordering: .relaxed)
        cancelFlag.store(true, ordering: .releasing)
    }

    /// The signal for which it was cancelled.
    var signal: Int32 { signalNumber.load(ordering: .relaxed) }

    /// Passes the report to the handler, once.
    func complete(_ report: ScriptReport) {
        completion.withLock { $0.take() }?(report)
    }

    /// Completes a run that did not finish: the engine ended first, or could not begin it.
    func refuse(_ error: ScriptError) {
        var report = ScriptReport()
        report.error = error
        complete(report)
    }

    /// Completes a run that was cancelled before it began.
    func refuseCancelled() {
        var report = ScriptReport()
        report.wasCancelled = true
        report.signal = signal
        report.error = .cancelledByHost
        complete(report)
    }
}

extension ScriptError {
    /// The script has called `os.exit`, and the host has not polled since.
    static var runIsOver: ScriptError {
        ScriptError(.cancelled, "the script has called os.exit: no code runs before the next poll")
    }

    /// A request was made to an engine that only ends what it has begun.
    static var engineIsDraining: ScriptError {
        ScriptError(.host, "the engine is draining: it ends what it has begun, and takes no new requests")
    }

    /// A request was made to an engine that was shut down or no longer exists.
    static var engineIsGone: ScriptError {
        ScriptError(.host, "the engine was shut down or no longer exists: it takes no requests")
    }
}
