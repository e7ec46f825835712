internal import Glibc
internal import CLinux
internal import OpScript
internal import Synchronization

/// One process from its start to the end of its group.
///
/// ``ProcessLife`` decides the actions; this class performs them, on the thread that reports an event.
final class Launch: ProcessMonitor.Listener {
    /// The result of the process.
    struct Outcome {
        /// nil if the status is lost.
        var end: ProcessEnd?
        /// The captured output; nil if nothing was captured.
        var output: [UInt8]?
        var errorOutput: [UInt8]?
        var transcript = Transcript()
        var isCancelled = false
        /// Set if there was more output than can be kept, which ended the process.
        var excess: LimitedBytes.Excess?
        /// Set if it stopped because of the terminal, which ended it.
        var stop: TerminalStop?
    }

    /// The source of standard input.
    enum Input {
        case nothing
        /// The same as for this process. Then the process is in the foreground of the terminal.
        case inherit
        case file(SharedDescriptor)
    }

    /// The destination of standard output and standard error.
    enum Sink {
        /// Both are kept for the outcome.
        case capture
        /// The same as for this process.
        case inherit
        /// Standard output goes to a file; standard error is kept.
        case file(SharedDescriptor)
    }

    struct State {
        var life: ProcessLife
        var token: ProcessMonitor.Token?
        /// Set once it has started, until no process of its group will be signalled any more.
        var group: pid_t?
        /// The descriptor that represents the process.
        var process: SharedDescriptor?
        var output: Capture?
        var errorOutput: Capture?
        var transcript = Transcript()
        /// The whole outputs, once it has ended.
        var ended: (output: [UInt8]?, errorOutput: [UInt8]?)?
        var watchers: [Watcher] = []
        /// When it started.
        var begin = ContinuousClock.now
        /// When its end was reported; nil before.
        var end: ContinuousClock.Instant?
        /// The time and the memory that it took, once it has ended.
        var usage: ProgramUsage?
        /// Output that was read just now, and is to be shown.
        var news: [(bytes: ArraySlice<UInt8>, isError: Bool)] = []
        /// Other processes of the group whose ends are awaited, and how many of them have not ended yet.
        var members: [SharedDescriptor] = []
        var livingMembers = 0
        /// Descendants of the process that had left its group when its end was requested.
        var strays: [SharedDescriptor] = []
        var excess: LimitedBytes.Excess?
        var stop: TerminalStop?
        /// Whether it inherits standard input, and whether it has had the foreground of the terminal.
        var usesTerminal = false
        var hadTerminal = false
        var waiter: CheckedContinuation<Outcome, Never>?
        /// Set if it ended before the wait began.
        var outcome: Outcome?
        /// Its end and its outputs, if it was ended by a cancellation or a time limit.
        var stopped: ProcessFailure?
    }

    /// A caller that waits for the next line of an output.
    struct Watcher {
        var place: OutputPlace
        let handler: @Sendable () -> Void
    }

    let command: Command
    let registry: ProcessRegistry
    let monitor: ProcessMonitor
    /// Shows what the process writes; called on the monitor's thread.
    let view: (any ProgramView)?
    let state: Mutex<State>
    private let grace: Duration

    init(
        _ command: Command,
        registry: ProcessRegistry,
        monitor: ProcessMonitor,
        lingering: Duration = ProcessLife.lingering,
        view: (any ProgramView)? = nil
    ) {
        self.command = command
        grace = .seconds(command.options.grace)
        self.registry = registry
        self.monitor = monitor
        self.view = view
        state = Mutex(State(life: ProcessLife(grace: grace, lingering: lingering)))
    }

    // MARK: From any thread

    /// Starts the process, once.
    ///
    /// - Throws: If the process cannot be started, or its end cannot be watched; then nothing of it is left.
    func start(_ start: ProcessStart, input: Input, _ sink: Sink) throws(SystemCallError) {
        let token = monitor.add(self)
        do throws(SystemCallError) {
            let process = try spawn(start, input, sink, token)
            try began(process, token)
        } catch {
            monitor.remove(token)
            state.withLock { state in
                if state.hadTerminal { Foreground.shared.takeBack(restoresModes: true) }
                state.output = nil
                state.errorOutput = nil
            }
            throw error
        }
    }

    /// Waits for its end. Call it once, after the start.
    func ended() async -> Outcome {
        await withCheckedContinuation { waiter in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.waiter = waiter }
                return state.outcome
            }
            if let outcome { waiter.resume(returning: outcome) }
        }
    }

    /// Requests the end of the group, and kills it when the grace is over; a second call does nothing.
    ///
    /// Usable also before the start.
    func cancel() {
        let outcome = state.withLock { state in
            let actions = state.life.cancelled(at: .now)
            return perform(actions, &state)
        }
        if let outcome { publish(outcome) }
    }

    // MARK: Starting

    /// Starts it with pipes that are watched; the process's ends of them are closed here.
    private func spawn(
        _ start: ProcessStart,
        _ input: Input,
        _ sink: Sink,
        _ token: ProcessMonitor.Token
    ) throws(SystemCallError) -> pid_t {
        var start = start
        switch input {
        case .nothing: start.descriptors = [monitor.nothing]
        case .inherit:
            start.descriptors = [nil]
            start.terminal = Foreground.shared.lend()
            state.withLock { state in
                state.usesTerminal = true
                state.hadTerminal = start.terminal != nil
            }
        case .file(let file): start.descriptors = [try file.aboveStandard()]
        }
        switch sink {
        case .inherit:
            if case .inherit = input {
                start.descriptors += try Foreground.shared.outputs()
            } else {
                start.descriptors += [nil, nil]
            }
        case .file(let file):
            start.descriptors.append(try file.aboveStandard())
            start.descriptors.append(try capture(.errorOutput, \.errorOutput, token))
        case .capture:
            start.descriptors.append(try capture(.output, \.output, token))
            start.descriptors.append(try capture(.errorOutput, \.errorOutput, token))
        }
        // The descriptor that represents the process is opened after the process has begun to run, when it is
        // too late to refuse.
        try requireSpareDescriptor()
        return try start()
    }

    /// Creates a pipe that is read here, and returns the process's end.
    private func capture(
        _ event: ProcessMonitor.Event,
        _ place: WritableKeyPath<State, Capture?>,
        _ token: ProcessMonitor.Token
    ) throws(SystemCallError) -> SharedDescriptor {
        let pipe = try Pipe()
        let capture = try Capture(pipe.reading, limit: command.options.limit)
        state.withLock { $0[keyPath: place] = capture }
        try monitor.watch(pipe.reading.number, event, for: token)
        return pipe.writing
    }

    /// Requests a report of its end, from now on.
    private func began(_ process: pid_t, _ token: ProcessMonitor.Token) throws(SystemCallError) {
        let number = linux_open_process(process)
        guard number >= 0 else {
            let error = SystemCallError(code: errno)
            Self.discard(process)
            throw error
        }
        let outcome = state.withLock { state in
            state.token = token
            state.begin = .now
            state.group = process
            state.process = SharedDescriptor(owning: number)
            registry.add(process, grace: grace)
            let actions = state.life.started(at: .now)
            return perform(actions, &state)
        }
        if let outcome { return publish(outcome) }
        do throws(SystemCallError) {
            try monitor.watch(number, .ended, for: token)
        } catch {
            registry.remove(process)
            Self.discard(process)
            state.withLock { state in
                state.group = nil
                state.process = nil
            }
            throw error
        }
    }

    /// Ends a process whose end would not be reported.
    private static func discard(_ process: pid_t) {
        kill(-process, SIGKILL)
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
