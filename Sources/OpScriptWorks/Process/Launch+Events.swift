internal import Glibc
internal import CLinux
internal import OpScript
internal import Synchronization

/// Events of the process, and the actions that follow.
extension Launch {
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

    func childMayHaveStopped() {
        let outcome = state.withLock { state -> Outcome? in
            guard let process = state.process, let group = state.group,
                let stop = TerminalStop(ofProcess: process.number)
            else { return nil }
            switch stop {
            case .key:
                if state.hadTerminal { Foreground.shared.suspend(group, registry) }
                return nil
            case .reads, .writes:
                if state.usesTerminal, Foreground.shared.handOver(to: group) {
                    state.hadTerminal = true
                    return nil
                }
                if !state.life.isCancelled { state.stop = stop }
                return perform(state.life.cancelled(at: .now), &state)
            }
        }
        if let outcome { publish(outcome) }
    }

    /// Lets the waiter continue, after all output has been shown.
    func publish(_ outcome: Outcome) {
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
        case .output: return readSome(\.output, scratch, &state)
        case .errorOutput: return readSome(\.errorOutput, scratch, &state)
        case .ended:
            state.end = .now
            if state.hadTerminal { Foreground.shared.takeBack(restoresModes: state.life.isCancelled) }
            readRest(\.output, scratch, &state)
            readRest(\.errorOutput, scratch, &state)
            let actions = state.life.processEnded(at: .now, hasOutput: state.hasOpenOutput)
            return perform(actions, &state)
        case .memberEnded:
            state.livingMembers -= 1
            return state.livingMembers == 0 ? lookAtGroup(&state) : nil
        }
    }

    private func readSome(
        _ place: WritableKeyPath<State, Capture?>,
        _ scratch: UnsafeMutableRawBufferPointer,
        _ state: inout State
    ) -> Outcome? {
        let before = state[keyPath: place]?.bytes.count ?? 0
        let isOpen = state[keyPath: place]?.readSome(scratch) != false
        noteReading(place, since: before, &state)
        if !isOpen {
            close(&state[keyPath: place])
            return state.hasOpenOutput ? nil : perform(state.life.outputEnded(), &state)
        }
        guard state.excess == nil, let excess = state[keyPath: place]?.excess else { return nil }
        // Its output from now on is read and dropped.
        state.excess = excess
        return perform(state.life.cancelled(at: .now), &state)
    }

    private func readRest(
        _ place: WritableKeyPath<State, Capture?>,
        _ scratch: UnsafeMutableRawBufferPointer,
        _ state: inout State
    ) {
        let before = state[keyPath: place]?.bytes.count ?? 0
        let isOpen = state[keyPath: place]?.readRest(scratch) != false
        noteReading(place, since: before, &state)
        if !isOpen { close(&state[keyPath: place]) }
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
    func perform(_ actions: [ProcessLife.Action], _ state: inout State) -> Outcome? {
        guard let group = state.group, let token = state.token else { return nil }
        var outcome: Outcome?
        for action in actions {
            switch action {
            case .ask:
                // First those that have left the group: once their parents have ended, nothing shows whose they are.
                askStrays(of: group, &state)
                kill(-group, SIGTERM)
                // Stopped processes get the signal when they continue.
                kill(-group, SIGCONT)
            case .kill:
                kill(-group, SIGKILL)
                for stray in state.strays { linux_signal_process(stray.number, SIGKILL) }
            case .alarm(let deadline): monitor.setAlarm(deadline, for: token)
            case .lookAtGroup: outcome = lookAtGroup(&state)
            case .finish: outcome = finish(group, token, &state)
            }
        }
        return outcome
    }

    /// Requests the end of descendants that have left the group, such as those that lead a session of their own.
    private func askStrays(of group: pid_t, _ state: inout State) {
        guard state.strays.isEmpty else { return }
        for stray in LiveProcess.descendants(of: group) where stray.group != group {
            let number = linux_open_process(stray.number)
            guard number >= 0 else { continue }
            state.strays.append(SharedDescriptor(owning: number))
            linux_signal_process(number, SIGTERM)
        }
    }

    /// Waits for the other processes of the group, and those that had left it, if there are any.
    ///
    /// The process itself is not reaped before that, so that no other process gets its number, which is also
    /// that of the group.
    private func lookAtGroup(_ state: inout State) -> Outcome? {
        guard let group = state.group, let token = state.token else { return nil }
        // Processes that end during the check may have started others.
        for _ in 0..<16 {
            state.members = []
            // If the group cannot be listed, wait for the end of the grace.
            guard let others = LiveProcess.members(of: group) else { return nil }
            let strays = state.strays.filter { !hasEnded($0) }
            if others.isEmpty, strays.isEmpty { return perform(state.life.groupIsEmpty(), &state) }
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
            for stray in strays {
                state.livingMembers += 1
                try? monitor.watch(stray.number, .memberEnded, for: token)
            }
            if state.livingMembers > 0 { return nil }
        }
        return nil
    }

    private func hasEnded(_ process: SharedDescriptor) -> Bool {
        var request = pollfd(fd: process.number, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0
    }

    private func finish(_ group: pid_t, _ token: ProcessMonitor.Token, _ state: inout State) -> Outcome? {
        monitor.remove(token)
        state.group = nil
        state.members = []
        // Some of them may have become children of this process.
        for stray in state.strays { _ = ProcessEnd.reap(stray.number) }
        state.strays = []
        var end: ProcessEnd?
        if let process = state.process.take() {
            var taken = rusage()
            end = .reap(process.number, &taken)
            if end != nil { state.usage = ProgramUsage(taken, wall: (state.end ?? .now) - state.begin) }
        }
        // Ctrl-C reached only the group in the foreground; as in a shell, it counts for the command, too.
        if state.hadTerminal, !state.life.isCancelled, end == .signalled(SIGINT) { kill(getpid(), SIGINT) }
        // Other processes of the group may live on. As long as one does, no other group gets the number.
        let pipes = [takePipe(&state.output), takePipe(&state.errorOutput)]
        LeftGroup.watch(group, pipes: pipes, registry, monitor)
        let excess = state.excess ?? state.output?.excess ?? state.errorOutput?.excess
        let ended = (output: state.output.take()?.bytes, errorOutput: state.errorOutput.take()?.bytes)
        state.ended = ended
        return Outcome(
            end: end,
            output: ended.output,
            errorOutput: ended.errorOutput,
            transcript: state.transcript,
            isCancelled: state.life.isCancelled,
            excess: excess,
            stop: state.stop
        )
    }

    /// Takes the pipe of a capture that is not at its end.
    private func takePipe(_ capture: inout Capture?) -> SharedDescriptor? {
        guard let pipe = capture?.takePipe() else { return nil }
        monitor.unwatch(pipe.number)
        return pipe
    }
}

extension Launch.State {
    /// Whether something may still write to an output that is read here.
    fileprivate var hasOpenOutput: Bool { output?.descriptor != nil || errorOutput?.descriptor != nil }
}
