internal import Glibc
internal import OpScript
internal import OpScriptWorks
internal import Synchronization

/// Watches a run from the main thread: signals, the time limit, progress, and output that waits to be written.
///
/// It never waits for another thread but in ``WakePipe``, so the second Ctrl-C always ends the command.
struct RunMonitor {
    /// A live line is drawn at most this often.
    private static let liveInterval = 0.1
    /// Runs shorter than this show no live line.
    private static let liveDelay = 0.3
    /// How often a run that no one sees on a terminal says that it is alive.
    private static let signOfLifeInterval = 30.0
    /// How long what `print` wrote may lie before it goes out.
    private static let flushDelay = 0.05
    /// How often to look for what Lua's own `io.write` left lying, which tells nobody.
    private static let flushInterval = 0.5

    /// How progress shows.
    enum Progress {
        case none
        case liveLine
        case signsOfLife
    }

    /// What diagnoses call the command.
    let name: String
    let engine: ScriptEngine
    let console: Console
    let pipe: WakePipe
    let progress: Progress
    let isQuiet: Bool
    private let start = Self.now
    private var interruption: Interruption
    private var nextProgress: Double?
    private var nextFlush: Double
    private var hasReportedOutputFailure = false

    /// Makes the watch over a run that begins now.
    init(
        name: String,
        engine: ScriptEngine,
        console: Console,
        pipe: WakePipe,
        progress: Progress,
        timeout: Double?,
        isQuiet: Bool
    ) {
        self.name = name
        self.engine = engine
        self.console = console
        self.pipe = pipe
        self.progress = progress
        self.isQuiet = isQuiet
        interruption = Interruption(start: start, limit: timeout)
        nextFlush = start + Self.flushInterval
        switch progress {
        case .none: break
        case .liveLine: nextProgress = start + Self.liveDelay
        case .signsOfLife: nextProgress = start + Self.signOfLifeInterval
        }
    }

    /// The exit status of the interruption, if there was one.
    var interruptionStatus: Int32? { interruption.status }

    /// Returns as soon as `result` gives something; it must call ``WakePipe/call()`` then.
    mutating func wait<Result>(for result: () -> Result?) -> Result {
        while true {
            if let result = result() { return result }
            let deadline = [interruption.deadline, nextProgress].compactMap { $0 }.reduce(nextFlush, min)
            let messages = pipe.wait(seconds: deadline - Self.now)
            for message in messages {
                switch message {
                case .signal(let number): perform(interruption.signalReceived(number, at: Self.now))
                case .call: lookAtOutput()
                }
            }
            let now = Self.now
            perform(interruption.deadlineReached(at: now))
            if now >= nextFlush {
                nextFlush = now + Self.flushInterval
                console.flushWithoutWaiting()
                lookAtOutputFailure()
            }
            if let due = nextProgress, now >= due { showProgress(now) }
        }
    }

    private mutating func perform(_ action: Interruption.Action) {
        switch action {
        case .nothing:
            break
        case .cancel(let text):
            if !isQuiet { console.writeErrorWithoutWaiting("\(name): \(text)") }
            engine.cancel()
        case .end(let status, let text):
            if !isQuiet { console.writeErrorWithoutWaiting("\(name): \(text)") }
            OpScriptCommand.leave(status)
        }
    }

    private mutating func lookAtOutput() {
        lookAtOutputFailure()
        nextFlush = min(nextFlush, Self.now + Self.flushDelay)
    }

    /// Complains once when standard output has failed: nobody gets what the script prints, so it does not go on.
    mutating func lookAtOutputFailure() {
        guard !hasReportedOutputFailure, let code = console.outputFailure else { return }
        hasReportedOutputFailure = true
        let text = "\(name): cannot write to standard output: \(SystemReason.describe(code))"
        console.writeErrorWithoutWaiting(text)
        engine.cancel()
    }

    private mutating func showProgress(_ now: Double) {
        let status = engine.status
        switch progress {
        case .none:
            nextProgress = nil
        case .liveLine:
            nextProgress = now + Self.liveInterval
            guard status.total > 0 else { return }
            let columns = Terminal.columns(of: STDERR_FILENO)
            // A line that fills the last column would wrap on some terminals.
            let text = ProgressText.line(status, elapsed: now - start)
            console.showLiveLine(ProgressText.cut(text, toColumns: columns - 1))
        case .signsOfLife:
            nextProgress = now + Self.signOfLifeInterval
            console.writeErrorWithoutWaiting("\(name): \(ProgressText.line(status, elapsed: now - start))")
        }
    }

    /// Seconds on a clock that only goes forward.
    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
