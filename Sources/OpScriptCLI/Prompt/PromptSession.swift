internal import Glibc
internal import OpScript
internal import Scheduling
internal import Synchronization

/// A line at the prompt that runs.
struct RunningLine {
    /// When it began.
    let began: Double
    /// The status of the run at that moment: the line did not cause what had ended before.
    let before: ScriptStatus
}

/// A session at the prompt: reads lines on a thread of its own, and lets the engine run them.
///
/// Timers and operations continue meanwhile. Ctrl-C cancels the line that runs, and nothing else.
final class PromptSession: Sendable {
    private struct State {
        /// The request that the engine serves at the moment.
        var request: Task<Void, Never>?
        /// The line that runs; nil while one is typed.
        var line: RunningLine?
        /// Whether Ctrl-C was pressed during the request.
        var isInterrupted = false
        /// Whether the run has ended.
        var isOver = false
    }

    /// How long Lua code that does not wait may continue after Ctrl-C, in milliseconds.
    private static let patience: Int32 = 200
    /// How long a completion may take.
    private static let completionLimit = 1.0

    private let name: String
    private let engine: ScriptEngine
    private let console: Console
    /// Whether lines are edited on the terminal; otherwise they are read as they come.
    private let edits: Bool
    private let isQuiet: Bool
    private let state = Mutex(State())
    /// Called when the engine has answered.
    private let answered: Doorbell
    /// Called when there is something to do while a line is edited.
    private let attention: Doorbell
    /// Called when the thread has ended.
    private let ended: Doorbell

    /// nil if there are no descriptors left.
    init?(name: String, engine: ScriptEngine, console: Console, edits: Bool, isQuiet: Bool) {
        guard let answered = Doorbell(), let attention = Doorbell(), let ended = Doorbell() else {
            return nil
        }
        self.name = name
        self.engine = engine
        self.console = console
        self.edits = edits
        self.isQuiet = isQuiet
        (self.answered, self.attention, self.ended) = (answered, attention, ended)
    }

    // MARK: From the main thread

    /// Begins to read lines; false if the system refuses a thread.
    func start() -> Bool {
        SystemThread.start(name: "prompt", stackSize: 1 << 20) { [self] in
            serve()
            ended.ring()
        }
    }

    /// The line that runs now; nil while none runs.
    var line: RunningLine? { state.withLock { $0.line } }

    /// Cancels the line that runs.
    func interrupt() {
        let isRunning = state.withLock { state in
            guard let request = state.request else { return false }
            state.isInterrupted = true
            request.cancel()
            return true
        }
        if isRunning {
            answered.ring()
        } else if !edits, Terminal.isAttached(to: STDIN_FILENO) {
            // The terminal has dropped what was typed.
            console.writeError(Array("\n\(PlainLines.prompt)".utf8))
        }
    }

    /// The run has ended: gives the terminal back.
    func end() {
        state.withLock { $0.isOver = true }
        answered.ring()
        attention.ring()
        _ = ended.wait(milliseconds: 1000)
    }

    // MARK: The thread

    private func serve() {
        var history = LineHistory(path: edits ? LineHistory.defaultPath() : nil)
        var lines: any LineSource = PlainLines()
        if edits, let edited = EditedLines(name, console, attention, history.lines, editorOwner) {
            lines = edited
        }
        defer { lines.close() }
        if edits, !isQuiet {
            console.writeError(
                "\(name) \(OpScriptCommand.version). help, exit; Tab completes, Ctrl-R searches."
            )
        }
        while !isOver {
            switch readPiece(lines) {
            case .line(let text):
                if text.allSatisfy(\.isWhitespace) { continue }
                if history.add(text) { lines.add(text) }
                run(text)
            case .interrupted: continue
            case .end:
                if !isOver { _ = ask([.text("leave")]) }
                return
            }
        }
    }

    private var isOver: Bool { state.withLock { $0.isOver } }

    /// Reads lines until they are a whole piece of Lua.
    private func readPiece(_ lines: any LineSource) -> LineEditor.Reading {
        var text = ""
        while true {
            let reading = lines.read(isContinued: !text.isEmpty)
            guard case .line(let line) = reading else {
                // The end of the input within a piece: its error is shown.
                if case .end = reading, !text.isEmpty { return .line(text) }
                return reading
            }
            text += text.isEmpty ? line : "\n" + line
            guard case .success(.string(let bytes)) = ask([.text("check"), .text(text)]) else {
                return .interrupted
            }
            if bytes != Array("unfinished".utf8) { return .line(text) }
        }
    }

    private func run(_ text: String) {
        let chunk = PromptChunk(Array(text.utf8))
        let before = engine.status
        state.withLock { $0.line = RunningLine(began: Self.now, before: before) }
        defer { state.withLock { $0.line = nil } }
        let result = ask([
            .text("run"), .text(text), .text(chunk.names.joined(separator: " ")),
            .text(chunk.locals.joined(separator: " ")), .integer(Int64(chunk.end)),
            .integer(Int64(Terminal.columns(of: STDERR_FILENO))),
        ])
        switch result {
        case .success(.string(let message)):
            show(engine.secrets.hidden(in: String(decoding: message, as: UTF8.self)))
        case .success: break
        case .failure(let error):
            let isInterrupted = state.withLock { $0.isInterrupted }
            // The run has ended, by `os.exit` for instance: there is nothing more to read for.
            if error.code == .cancelled, !isInterrupted { return state.withLock { $0.isOver = true } }
            show(error.message)
        }
    }

    private func show(_ error: String) {
        if isOver { return }
        let isInterrupted = state.withLock { $0.isInterrupted }
        let line = error.prefix { $0 != "\n" }
        console.writeError(isInterrupted && line.hasSuffix("was cancelled") ? "interrupted" : error)
    }

    /// Asks the library of the prompt and waits for its answer.
    ///
    /// - Parameter limit: After so many seconds the question is dropped; nil for never.
    private func ask(_ words: [ScriptValue], limit: Double? = nil) -> Result<ScriptValue, ScriptError> {
        let answer = PromptAnswer()
        let request = Task { [engine, answered] in
            do {
                answer.set(.success(try await engine.askPrompt(words)))
            } catch {
                answer.set(.failure(error as? ScriptError ?? ScriptError(.host, "\(error)")))
            }
            answered.ring()
        }
        state.withLock {
            $0.request = request; $0.isInterrupted = false
        }
        defer { state.withLock { $0.request = nil } }
        let deadline = limit.map { Self.now + $0 }
        while true {
            if let result = answer.result { return result }
            let (isInterrupted, isOver) = state.withLock { ($0.isInterrupted, $0.isOver) }
            if isOver { return .failure(ScriptError(.host, "the session has ended")) }
            if let deadline, Self.now >= deadline {
                request.cancel()
                return .failure(ScriptError(.cancelled, "the question took too long"))
            }
            let rang = answered.wait(milliseconds: isInterrupted || limit != nil ? Self.patience : -1)
            if isInterrupted, !rang { engine.interruptCode() }
        }
    }

    // MARK: Completion

    private var editorOwner: LineEditor.Owner {
        LineEditor.Owner(
            complete: { [self] in complete($0) },
            takeOutput: { [console] in console.takeOutputAboveLine() },
            isOver: { [self] in isOver }
        )
    }

    private func complete(_ before: String) -> (taken: Int, choices: [String]) {
        let place = CompletionPlace(Array(before.utf8))
        return Completion(engine.workDescriptions.map(\.name)) { [self] path in
            guard
                case .success(.string(let bytes)) = ask(
                    [.text("names"), .text(path.joined(separator: "\n"))],
                    limit: Self.completionLimit
                )
            else { return nil }
            let parts = String(decoding: bytes, as: UTF8.self).split(
                separator: "\t",
                omittingEmptySubsequences: false
            )
            return (parts[0].split(separator: "\n").map(String.init), parts.count > 1 ? String(parts[1]) : "")
        }
        .choices(at: place)
    }

    /// Seconds on a monotonic clock.
    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The box that receives an answer of the engine.
private final class PromptAnswer: Sendable {
    private let box = Mutex<Result<ScriptValue, ScriptError>?>(nil)

    var result: Result<ScriptValue, ScriptError>? { box.withLock { $0 } }

    func set(_ result: Result<ScriptValue, ScriptError>) { box.withLock { $0 = result } }
}
