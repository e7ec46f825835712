internal import Glibc
internal import OpScript
internal import OpScriptSlurm
internal import OpScriptWorks
internal import Synchronization

/// Watches a run from the main thread: signals, the time limit, progress, and output that waits to be written.
///
/// It waits for other threads only in ``WakePipe``, so the second Ctrl-C always ends the command.
struct RunMonitor {
    /// A live line is drawn at most this often.
    private static let liveInterval = 0.1
    /// Runs shorter than this show no live line.
    private static let liveDelay = 0.3
    /// The interval between two progress lines of a run that does not show live lines.
    private static let signOfLifeInterval = 30.0
    /// How long the output of `print` may be buffered.
    private static let flushDelay = 0.05
    /// How often to check for buffered output of Lua's own `io.write`, which notifies no thread.
    private static let flushInterval = 0.5

    /// The interval between two lines of JSON.
    private static let jsonInterval = 1.0
    /// A failure is reported when it is this old and the script has not handled it.
    private static let failureDelay = 1.0

    /// The form in which progress is shown.
    enum Progress {
        case none
        case liveLines
        case signsOfLife
        /// Only failures, as they happen.
        case failures
        case json
    }

    /// The name of the command in diagnoses.
    let name: String
    let engine: ScriptEngine
    let console: Console
    let pipe: WakePipe
    let progress: Progress
    /// The lines about operations that have ended; nil if there are none.
    let stepLines: StepLines?
    let isQuiet: Bool
    /// The session at the prompt, if there is one: Ctrl-C is for its line.
    var session: PromptSession?
    /// Set when the script's code does not stop although it was interrupted.
    let refusal: LoopRefusal
    /// An additional line for the case that the command ends at once.
    let noteAtOnce: String
    /// Called before an interruption cancels the run; returns a line for the user.
    let willCancel: () -> String?
    /// Where the bodies on a cluster are; nil for none.
    let cluster: () -> ClusterSummary?
    private let start = Self.now
    /// The failures that were reported, and those that were noticed and are not reported yet.
    private(set) var toldFailures: Set<Int> = []
    private var seenFailures: [(place: Int, at: Double)] = []
    private var seenCount = 0
    private var nextSignOfLife = 0.0
    /// Whether progress of the run was written. Then its end is written, too.
    private(set) var hasTold = false
    private var interruption: Interruption
    private var nextProgress: Double?
    private var nextFlush: Double
    private var hasReportedOutputFailure = false

    /// Creates the monitor of a run that begins now.
    init(
        name: String,
        engine: ScriptEngine,
        console: Console,
        pipe: WakePipe,
        progress: Progress,
        stepLines: StepLines?,
        timeout: Double?,
        isQuiet: Bool,
        refusal: LoopRefusal,
        noteAtOnce: String = "",
        willCancel: @escaping () -> String? = { nil },
        cluster: @escaping () -> ClusterSummary? = { nil }
    ) {
        self.name = name
        self.engine = engine
        self.console = console
        self.pipe = pipe
        self.progress = progress
        self.stepLines = stepLines
        self.isQuiet = isQuiet
        self.refusal = refusal
        self.noteAtOnce = noteAtOnce
        self.willCancel = willCancel
        self.cluster = cluster
        interruption = Interruption(start: start, limit: timeout)
        nextFlush = start + Self.flushInterval
        switch progress {
        case .none: break
        case .liveLines: nextProgress = start + Self.liveDelay
        case .signsOfLife, .failures: nextProgress = start + Self.failureDelay
        case .json: nextProgress = start + Self.jsonInterval
        }
        nextSignOfLife = start + Self.signOfLifeInterval
    }

    /// The exit status of the interruption, if there was one.
    var interruptionStatus: Int32? { interruption.status }

    /// Returns as soon as `result` returns a value. The code that sets the value must call
    /// ``WakePipe/call()``.
    mutating func wait<Result>(for result: () -> Result?) -> Result {
        while true {
            if let result = result() { return result }
            let deadline = [interruption.deadline, nextProgress].compactMap { $0 }.reduce(nextFlush, min)
            let messages = pipe.wait(seconds: deadline - Self.now)
            for message in messages {
                switch message {
                case .signal(SIGINT) where session != nil: session?.interrupt()
                case .signal(SIGTSTP): console.suspend(withGroup: false)
                case .signal(let number): perform(interruption.signalReceived(number, at: Self.now))
                case .call: lookAtOutput()
                }
            }
            let now = Self.now
            perform(interruption.deadlineReached(at: now))
            if refusal.isThere { perform(interruption.interruptionRefused()) }
            if now >= nextFlush {
                nextFlush = now + Self.flushInterval
                console.flushWithoutWaiting()
                lookAtOutputFailure()
            }
            if let due = nextProgress, now >= due { showProgress(now) }
        }
    }

    /// Closes the Lua state of the engine, whose run has ended, so that finalizers run.
    mutating func closeEngine() {
        guard interruptionStatus == nil else { return }
        engine.whenClosed { WakePipe.call() }
        engine.shutdown()
        wait { [engine] in engine.isClosed ? () : nil }
    }

    private mutating func perform(_ action: Interruption.Action) {
        switch action {
        case .nothing:
            break
        case .cancel(let text):
            if !isQuiet { console.writeErrorWithoutWaiting("\(name): \(text)") }
            if let line = willCancel(), !isQuiet { console.writeErrorWithoutWaiting("\(name): \(line)") }
            engine.cancel()
        case .end(let status, let text):
            if !isQuiet { console.writeErrorWithoutWaiting("\(name): \(text)\(noteAtOnce)") }
            console.releaseTerminal(within: 0.2)
            OpScriptCommand.leave(status)
        }
    }

    private mutating func lookAtOutput() {
        lookAtOutputFailure()
        nextFlush = min(nextFlush, Self.now + Self.flushDelay)
        writeStepLines()
    }

    /// Writes the lines about operations that have ended.
    ///
    /// - Parameter isEnd: Whether no more will come.
    mutating func writeStepLines(isEnd: Bool = false) {
        guard let stepLines else { return }
        for line in stepLines.take(at: Self.now, isEnd: isEnd) {
            hasTold = true
            console.writeErrorWithoutWaiting(line)
        }
    }

    /// Reports once that standard output has failed. The output of the script is lost, so the run is
    /// cancelled. If only its reader has gone, the command ends at once.
    mutating func lookAtOutputFailure() {
        guard !hasReportedOutputFailure, let code = console.outputFailure else { return }
        hasReportedOutputFailure = true
        console.leaveIfReaderIsGone()
        console.writeErrorWithoutWaiting(SystemReason.lostOutput(code, name: name))
        engine.cancel()
    }

    private mutating func showProgress(_ now: Double) {
        var status = engine.status
        tellFailures(status, now)
        switch progress {
        case .none:
            nextProgress = nil
        case .liveLines:
            nextProgress = now + Self.liveInterval
            var start = start
            if let session {
                // Between two lines, only failures are looked for.
                guard let line = session.line else {
                    nextProgress = now + Self.liveDelay
                    return
                }
                guard now - line.began >= Self.liveDelay, status.runningCount + status.retryingCount > 0
                else { return }
                start = line.began
                status.finished -= line.before.finished
                status.total -= line.before.finished
                status.failed -= line.before.failed
            }
            guard status.total > 0 || status.runningCount + status.retryingCount > 0 else { return }
            let size = console.terminalSize()
            console.showLiveLines(
                ProgressText.lines(
                    status,
                    elapsed: now - start,
                    cluster: cluster(),
                    rows: max(1, size.rows - 1),
                    // A line that fills the last column would wrap on some terminals.
                    columns: size.columns - 1,
                    takesColours: Terminal.takesColours(STDERR_FILENO)
                )
            )
        case .signsOfLife:
            nextProgress = now + Self.failureDelay / 2
            writeStepLines()
            guard now >= nextSignOfLife else { return }
            nextSignOfLife = now + Self.signOfLifeInterval
            hasTold = true
            console.writeErrorWithoutWaiting(
                "\(name): \(ProgressText.line(status, elapsed: now - start, cluster: cluster()))"
            )
        case .failures: nextProgress = now + Self.failureDelay / 2
        case .json:
            nextProgress = now + Self.jsonInterval
            hasTold = true
            console.writeErrorWithoutWaiting(
                ProgressText.json(status, elapsed: now - start, cluster: cluster())
            )
        }
    }

    /// Reports failures that the script has not handled for a while; they scroll past above the live lines.
    private mutating func tellFailures(_ status: ScriptStatus, _ now: Double) {
        if seenCount < status.failures.count {
            for place in seenCount..<status.failures.count { seenFailures.append((place, now)) }
            seenCount = status.failures.count
        }
        while let first = seenFailures.first, now - first.at >= Self.failureDelay {
            seenFailures.removeFirst()
            let failure = status.failures[first.place]
            // One that no wait delivers after all is among those at the end.
            guard !failure.isHandled, !failure.isAwaited else { continue }
            toldFailures.insert(first.place)
            hasTold = true
            let text = progress == .json ? ProgressText.json(failure) : RunSummary.text(failure)
            console.writeErrorWithoutWaiting(text)
        }
    }

    /// Seconds on a monotonic clock.
    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
