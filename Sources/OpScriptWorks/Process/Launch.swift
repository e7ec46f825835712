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

    private struct State {
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
        /// Output that was read just now, and is to be shown.
        var news: [(bytes: ArraySlice<UInt8>, isError: Bool)] = []
        /// Other processes of the group whose ends are awaited, and how many of them have not ended yet.
        var members: [SharedDescriptor] = []
        var livingMembers = 0
        var waiter: CheckedContinuation<Outcome, Never>?
        /// Set if it ended before the wait began.
        var outcome: Outcome?
    }

    /// A caller that waits for the next line of an output.
    private struct Watcher {
        var place: OutputPlace
        let handler: @Sendable () -> Void
    }

    private let registry: ProcessRegistry
    private let monitor: ProcessMonitor
    /// Shows what the process writes; called on the monitor's thread.
    private let view: (any ProgramView)?
    private let state: Mutex<State>

    init(
        registry: ProcessRegistry,
        monitor: ProcessMonitor,
        grace: Duration,
        view: (any ProgramView)? = nil
    ) {
        self.registry = registry
        self.monitor = monitor
        self.view = view
        state = Mutex(State(life: ProcessLife(grace: grace)))
    }

    // MARK: From any thread

    /// Starts the process, once.
    ///
    /// - Parameter input: A file to read from; nil for none.
    /// - Throws: If the process cannot be started, or its end cannot be watched; then nothing of it is left.
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
        let capture = try Capture(pipe.reading)
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
            state.group = process
            state.process = SharedDescriptor(owning: number)
            registry.add(process)
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

    // MARK: On the monitor's thread

    func happened(_ event: ProcessMonitor.Event, _ scratch: UnsafeMutableRawBufferPointer) {
        let (outcome, news) = state.withLock {
            state -> (Outcome?, [(bytes: ArraySlice<UInt8>, isError: Bool)]) in
            let outcome = take(event, scratch, &state)
            defer { state.news = [] }
            return (outcome, state.news)
        }
        for piece in news { view?.wrote(piece.bytes, isError: piece.isError) }
        callWatchers()
        if let outcome { publish(outcome) }
    }

    func timeReached(_ now: ContinuousClock.Instant) {
        let outcome = state.withLock { perform($0.life.timeReached(now), &$0) }
        callWatchers()
        if let outcome { publish(outcome) }
    }

    /// Lets the waiter continue, after all output has been shown.
    private func publish(_ outcome: Outcome) {
        view?.ended()
        let waiter = state.withLock { state in
            if state.waiter == nil { state.outcome = outcome }
            return state.waiter.take()
        }
        waiter?.resume(returning: outcome)
    }

    private func take(
        _ event: ProcessMonitor.Event,
        _ scratch: UnsafeMutableRawBufferPointer,
        _ state: inout State
    ) -> Outcome? {
        switch event {
        case .output: readSome(\.output, scratch, &state)
        case .errorOutput: readSome(\.errorOutput, scratch, &state)
        case .ended:
            readRest(\.output, scratch, &state)
            readRest(\.errorOutput, scratch, &state)
            return perform(state.life.processEnded(), &state)
        case .memberEnded:
            state.livingMembers -= 1
            return state.livingMembers == 0 ? lookAtGroup(&state) : nil
        }
        return nil
    }

    private func readSome(
        _ place: WritableKeyPath<State, Capture?>,
        _ scratch: UnsafeMutableRawBufferPointer,
        _ state: inout State
    ) {
        let before = state[keyPath: place]?.bytes.count ?? 0
        if state[keyPath: place]?.readSome(scratch) == false { close(&state[keyPath: place]) }
        noteReading(place, since: before, &state)
    }

    private func readRest(
        _ place: WritableKeyPath<State, Capture?>,
        _ scratch: UnsafeMutableRawBufferPointer,
        _ state: inout State
    ) {
        let before = state[keyPath: place]?.bytes.count ?? 0
        state[keyPath: place]?.readRest(scratch)
        noteReading(place, since: before, &state)
        close(&state[keyPath: place])
    }

    private func noteReading(
        _ place: WritableKeyPath<State, Capture?>,
        since before: Int,
        _ state: inout State
    ) {
        let count = (state[keyPath: place]?.bytes.count ?? before) - before
        let isError = place == \State.errorOutput
        state.transcript.read(count, isError: isError)
        guard view != nil, count > 0, let bytes = state[keyPath: place]?.bytes else { return }
        state.news.append((bytes[before...], isError))
    }

    private func close(_ capture: inout Capture?) {
        guard let descriptor = capture?.descriptor else { return }
        monitor.unwatch(descriptor)
        capture?.close()
    }

    // MARK: Doing it, in the lock

    /// The outcome, if there is one now.
    private func perform(_ actions: [ProcessLife.Action], _ state: inout State) -> Outcome? {
        guard let group = state.group, let token = state.token else { return nil }
        var outcome: Outcome?
        for action in actions {
            switch action {
            case .ask: kill(-group, SIGTERM)
            case .kill: kill(-group, SIGKILL)
            case .alarm(let deadline): monitor.setAlarm(deadline, for: token)
            case .lookAtGroup: outcome = lookAtGroup(&state)
            case .finish: outcome = finish(group, token, &state)
            }
        }
        return outcome
    }

    /// Waits for the other processes of the group, if there are any.
    ///
    /// The process itself is not reaped before that, so that no other process gets its number, which is also
    /// that of the group.
    private func lookAtGroup(_ state: inout State) -> Outcome? {
        guard let group = state.group, let token = state.token else { return nil }
        // Processes that end during the check may have started others.
        for _ in 0..<16 {
            state.members = []
            // If the group cannot be listed, wait for the end of the grace.
            guard let others = ProcessGroup.members(of: group) else { return nil }
            if others.isEmpty { return perform(state.life.groupIsEmpty(), &state) }
            for other in others {
                let number = linux_open_process(other)
                if number < 0, errno == ESRCH { continue }
                // A process that cannot be watched counts as running until the grace is over.
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

    private func finish(_ group: pid_t, _ token: ProcessMonitor.Token, _ state: inout State) -> Outcome? {
        monitor.remove(token)
        // Before it is reaped, since its number may then belong to another process.
        registry.remove(group)
        state.group = nil
        state.members = []
        var end: ProcessEnd?
        if let process = state.process.take() { end = .reap(process.number) }
        let ended = (output: state.output.take()?.bytes, errorOutput: state.errorOutput.take()?.bytes)
        state.ended = ended
        return Outcome(
            end: end,
            output: ended.output,
            errorOutput: ended.errorOutput,
            transcript: state.transcript,
            isCancelled: state.life.isCancelled
        )
    }
}

// MARK: - For the script

extension Launch: RunningProgram {
    var processIdentifier: Int32? { state.withLock { $0.group } }

    func send(_ signal: Int32) -> Bool {
        state.withLock { state in
            guard let group = state.group else { return false }
            return kill(-group, signal) == 0
        }
    }

    func settled(isUsed: Bool) { view?.settled(isUsed: isUsed) }

    func nextLine(_ place: inout OutputPlace) -> OutputLine {
        state.withLock { Self.nextLine(&place, in: $0) }
    }

    func notify(_ place: OutputPlace, _ handler: @escaping @Sendable () -> Void) {
        let isThere = state.withLock { state in
            var place = place
            if case .notYet = Self.nextLine(&place, in: state) {
                state.watchers.append(Watcher(place: place, handler: handler))
                return false
            }
            return true
        }
        if isThere { handler() }
    }

    /// Calls those whose line has come, or whose output has ended.
    private func callWatchers() {
        let ready = state.withLock { state -> [Watcher] in
            guard !state.watchers.isEmpty else { return [] }
            var ready: [Watcher] = []
            var waiting: [Watcher] = []
            for var watcher in state.watchers {
                var place = watcher.place
                if case .notYet = Self.nextLine(&place, in: state) {
                    watcher.place = place
                    waiting.append(watcher)
                } else {
                    ready.append(watcher)
                }
            }
            state.watchers = waiting
            return ready
        }
        for watcher in ready { watcher.handler() }
    }

    private static func nextLine(_ place: inout OutputPlace, in state: borrowing State) -> OutputLine {
        if let ended = state.ended {
            guard let bytes = place.isError ? ended.errorOutput : ended.output else { return .notCaptured }
            return place.nextLine(in: bytes, isComplete: true)
        }
        guard let capture = place.isError ? state.errorOutput : state.output else {
            return state.group == nil ? .notYet : .notCaptured
        }
        return place.nextLine(in: capture.bytes, isComplete: capture.descriptor == nil)
    }
}
