internal import OpScript
internal import Synchronization

/// An engine that runs an output handler, and receives one event after the other.
///
/// Threads: the thread that runs the scenarios sends the events, and waits until the handler has taken each of them.
/// The engine's own threads run the handler.
final class HandlerSession: Sendable {
    private struct State {
        /// The event that the handler has not fetched yet.
        var event: ScriptValue?
        /// Whether nothing receives events any more: the handler failed, or has returned.
        var isOver = false
        var engine: ScriptEngine?
    }

    private let state = Mutex(State())
    private let arrival = Waiter()
    private let answer = Waiter()
    private let handler: String
    private let timeLimit: Double
    private let complain: @Sendable (String) -> Void

    /// Starts the handler, and waits until it is loaded.
    ///
    /// - Parameters:
    ///   - runner: How its engine is set up, and how many seconds the handler may take for an event.
    ///   - write: Receives the handler's output, on a thread of the engine.
    ///   - complain: Receives a sentence if the handler cannot be used.
    init(
        _ handler: String,
        _ arguments: [String],
        _ runner: ScenarioRunner,
        write: @escaping @Sendable ([UInt8]) -> Void,
        complain: @escaping @Sendable (String) -> Void
    ) {
        self.handler = handler
        self.complain = complain
        timeLimit = runner.timeLimit
        let file = ScenarioFile(path: handler, source: [])
        var order = runner.order("tell", file, ScenarioSelection())
        order["handler"] = .text(handler)
        order["arguments"] = .array(arguments.map { .text($0) })
        order["helper"] = nil
        var runner = runner
        runner.register = { [weak self, register = runner.register] engine in
            register(engine)
            engine.register("output.next", "The next event for an output handler.") { [weak self] in
                self?.next() ?? .nil
            }
        }
        let drive = ScenarioDrive(runner, file, order: order, clock: .system, chunks: Library.handlerChunks) {
            [weak self] told in
            write(told.output)
            for line in told.diagnoses { complain(line) }
            switch told.event.text("event") {
            case "taken": self?.answer.signal()
            case "problem": self?.failed(told.event.text("message") ?? "")
            default: break
            }
        }
        let engine = drive.start { [self] report in
            if let error = report.error { failed(error.message) }
            state.withLock { $0.isOver = true }
            answer.signal()
        }
        state.withLock { $0.engine = engine }
        waitForAnswer()
    }

    private func failed(_ message: String) {
        complain("the output handler '\(handler)' failed: \(message)")
    }

    /// Called on a worker thread of the engine: the next event, or nil after the last one.
    private func next() -> ScriptValue {
        while !arrival.wait(.infinity) {}
        return state.withLock { $0.event.take() } ?? .nil
    }

    /// Sends an event, and waits until the handler has taken it.
    func send(_ event: ScriptTable) {
        guard !state.withLock({ $0.isOver }) else { return }
        state.withLock { $0.event = .table(event) }
        arrival.signal()
        waitForAnswer()
    }

    private func waitForAnswer() {
        guard !answer.wait(timeLimit) else { return }
        failed("it did not return within \(seconds(timeLimit))")
        state.withLock { $0.isOver = true }
    }

    /// Says that there are no more events, waits for the handler's end, and closes the engine.
    func finish() {
        let isOver = state.withLock { $0.isOver }
        arrival.signal()
        if !isOver { waitForAnswer() }
        state.withLock { $0.engine }?.shutdown()
    }
}
