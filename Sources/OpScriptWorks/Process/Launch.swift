internal import Glibc
internal import CLinux
internal import OpScript
internal import Synchronization

/// One process from its start to the end of its group.
///
/// What is to be done ``ProcessLife`` decides; here it is done, on whatever thread has the news.
final class Launch: ProcessMonitor.Listener {
    /// How it went.
    struct Outcome {
        /// nil where nobody can tell any more.
        var end: ProcessEnd?
        /// What was captured; nil where nothing was to be.
        var output: [UInt8]?
        var errorOutput: [UInt8]?
        var isCancelled = false
    }

    /// Where standard output and standard error go.
    enum Sink {
        /// Both are kept for the outcome.
        case capture
        /// To where those of this process go.
        case inherit
        /// Standard output goes to a file; standard error is kept.
        case file(SharedDescriptor)
    }

    private struct State {
        var life: ProcessLife
        var token: ProcessMonitor.Token?
        /// Set once it has started, until nothing of it is to be signalled any more.
        var group: pid_t?
        /// Stands for the process.
        var process: SharedDescriptor?
        var output: Capture?
        var errorOutput: Capture?
        /// Others of the group whose ends are waited for, and how many of them have not ended yet.
        var members: [SharedDescriptor] = []
        var livingMembers = 0
        var waiter: CheckedContinuation<Outcome, Never>?
        /// Set where it has ended before somebody waited.
        var outcome: Outcome?
    }

    private typealias Telling = (waiter: CheckedContinuation<Outcome, Never>, outcome: Outcome)

    private let registry: ProcessRegistry
    private let monitor: ProcessMonitor
    private let state: Mutex<State>

    init(registry: ProcessRegistry, monitor: ProcessMonitor, grace: Duration) {
        self.registry = registry
        self.monitor = monitor
        state = Mutex(State(life: ProcessLife(grace: grace)))
    }

    // MARK: From any thread

    /// Starts the process, once.
    ///
    /// - Parameter input: A file to read from; nil for none.
    /// - Throws: Where it cannot be started, or not be waited for; nothing of it is left then.
    func start(_ start: ProcessStart, input: SharedDescriptor?, _ sink: Sink) throws(SystemCallError) {
        let token = monitor.add(self)
        do throws(SystemCallError) {
            let process = try spawn(start, input, sink, token)
            try began(process, token)
        } catch {
            monitor.remove(token)
            state.withLock { state in
                state.output = nil
                state.errorOutput = nil
            }
            throw error
        }
    }

    /// Waits for its end; to be called once, after the start.
    func ended() async -> Outcome {
        await withCheckedContinuation { waiter in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.waiter = waiter }
                return state.outcome
            }
            if let outcome { waiter.resume(returning: outcome) }
        }
    }

    /// Asks the group to end, and has it killed when the grace is over; a second call does nothing.
    ///
    /// Usable also before the start.
    func cancel() {
        state.withLock { state in
            let actions = state.life.cancelled(at: .now)
            _ = perform(actions, &state)
        }
    }

    // MARK: Starting

    /// Starts it with pipes that are watched; the process's ends of them are closed here.
    private func spawn(
        _ start: ProcessStart,
        _ input: SharedDescriptor?,
        _ sink: Sink,
        _ token: ProcessMonitor.Token
    ) throws(SystemCallError) -> pid_t {
        var start = start
        start.descriptors = [try input?.aboveStandard() ?? monitor.nothing]
        switch sink {
        case .inherit: start.descriptors += [nil, nil]
        case .file(let file):
            start.descriptors.append(try file.aboveStandard())
            start.descriptors.append(try capture(.errorOutput, \.errorOutput, token))
        case .capture:
            start.descriptors.append(try capture(.output, \.output, token))
            start.descriptors.append(try capture(.errorOutput, \.errorOutput, token))
        }
        // Its own descriptor comes after it has begun to run, when it is too late to refuse.
        try requireSpareDescriptor()
        return try start()
    }

    /// Makes a pipe that is read here, and gives the process's end.
    private func capture(
        _ event: ProcessMonitor.Event,
        _ place: WritableKeyPath<State, Capture?>,
        _ token: ProcessMonitor.Token
    ) throws(SystemCallError) -> SharedDescriptor {
        let pipe = try Pipe()
        let capture = try Capture(pipe.reading)
        state.withLock { $0[keyPath: place] = capture }
        try monitor.watch(pipe.reading.number, event, for: token)
        return pipe.writing
    }

    /// Has its end told, from now on.
    private func began(_ process: pid_t, _ token: ProcessMonitor.Token) throws(SystemCallError) {
        let number = linux_open_process(process)
        guard number >= 0 else {
            let error = SystemCallError(code: errno)
            Self.discard(process)
            throw error
        }
        state.withLock { state in
            state.token = token
            state.group = process
            state.process = SharedDescriptor(owning: number)
            registry.add(process)
            let actions = state.life.started(at: .now)
            _ = perform(actions, &state)
        }
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

    /// Ends one whose end nobody would be told of.
    private static func discard(_ process: pid_t) {
        kill(-process, SIGKILL)
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    // MARK: On the monitor's thread

    func happened(_ event: ProcessMonitor.Event, _ scratch: UnsafeMutableRawBufferPointer) {
        let telling: Telling? = state.withLock { state in
            switch event {
            case .output: return readSome(&state.output, scratch)
            case .errorOutput: return readSome(&state.errorOutput, scratch)
            case .ended:
                readRest(&state.output, scratch)
                readRest(&state.errorOutput, scratch)
                return perform(state.life.processEnded(), &state)
            case .memberEnded:
                state.livingMembers -= 1
                return state.livingMembers == 0 ? lookAtGroup(&state) : nil
            }
        }
        if let telling { telling.waiter.resume(returning: telling.outcome) }
    }

    func timeReached(_ now: ContinuousClock.Instant) {
        let telling: Telling? = state.withLock { perform($0.life.timeReached(now), &$0) }
        if let telling { telling.waiter.resume(returning: telling.outcome) }
    }

    private func readSome(_ capture: inout Capture?, _ scratch: UnsafeMutableRawBufferPointer) -> Telling? {
        if capture?.readSome(scratch) == false { close(&capture) }
        return nil
    }

    private func readRest(_ capture: inout Capture?, _ scratch: UnsafeMutableRawBufferPointer) {
        capture?.readRest(scratch)
        close(&capture)
    }

    private func close(_ capture: inout Capture?) {
        guard let descriptor = capture?.descriptor else { return }
        monitor.unwatch(descriptor)
        capture?.close()
    }

    // MARK: Doing it, in the lock

    /// Who is to be told the outcome, where there is one now.
    private func perform(_ actions: [ProcessLife.Action], _ state: inout State) -> Telling? {
        guard let group = state.group, let token = state.token else { return nil }
        var telling: Telling?
        for action in actions {
            switch action {
            case .ask: kill(-group, SIGTERM)
            case .kill: kill(-group, SIGKILL)
            case .alarm(let deadline): monitor.setAlarm(deadline, for: token)
            case .lookAtGroup: telling = lookAtGroup(&state)
            case .finish: telling = finish(group, token, &state)
            }
        }
        return telling
    }

    /// Waits for the others of the group, unless there are none.
    ///
    /// The process itself is not taken away before, so that nobody else gets its number, which is that of the group.
    private func lookAtGroup(_ state: inout State) -> Telling? {
        guard let group = state.group, let token = state.token else { return nil }
        // Those that end while one looks may have started others.
        for _ in 0..<16 {
            state.members = []
            // Who cannot look waits for the end of the grace.
            guard let others = ProcessGroup.members(of: group) else { return nil }
            if others.isEmpty { return perform(state.life.groupIsEmpty(), &state) }
            for other in others {
                let number = linux_open_process(other)
                if number < 0, errno == ESRCH { continue }
                // One that cannot be watched counts as living until the grace is over.
                state.livingMembers += 1
                guard number >= 0 else { continue }
                state.members.append(SharedDescriptor(owning: number))
                // The same.
                try? monitor.watch(number, .memberEnded, for: token)
            }
            if state.livingMembers > 0 { return nil }
        }
        return nil
    }

    private func finish(_ group: pid_t, _ token: ProcessMonitor.Token, _ state: inout State) -> Telling? {
        monitor.remove(token)
        // Before it is taken away, since its number may be another's then.
        registry.remove(group)
        state.group = nil
        state.members = []
        var end: ProcessEnd?
        if let process = state.process.take() { end = .reap(process.number) }
        let outcome = Outcome(
            end: end,
            output: state.output.take()?.bytes,
            errorOutput: state.errorOutput.take()?.bytes,
            isCancelled: state.life.isCancelled
        )
        if let waiter = state.waiter.take() { return (waiter, outcome) }
        state.outcome = outcome
        return nil
    }
}
