internal import LuaVM
internal import Scheduling

extension EventSources {
    func source(_ state: LuaState, _ index: Int32) -> EventSource? {
        state.box(index, metatables.source, as: EventSource.self)
    }

    func requireSource(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> EventSource {
        if let source = source(state, index) { return source }
        throw LuaRaise(argument: index, "source expected, got \(operations.kindName(state, index))")
    }

    /// Pushes a source: always the same userdata while that is alive. [-0, +1, -]
    func pushSource(_ source: EventSource, _ state: LuaState) {
        globals.sharedObjects.push(source, state) {
            state.pushBox(source, metatables.source, userValues: SourceValue.count)
        }
    }

    // MARK: Inputs

    /// Makes a source watch for events from now on.
    ///
    /// - Throws: If the system refuses.
    func activate(_ source: EventSource) throws(LuaRaise) {
        guard source.machine.isInactive else { return }
        try runtime.checkLimit(table.count, configuration.sourceLimit, of: "active sources")
        try beginWaiting(source)
        table.add(source)
        takeInSuspension(of: source)
        follow(source.machine.activated(), source)
        if runState.isCancelled { cancelSource(source) }
    }

    func cancelSource(_ source: EventSource) {
        source.data = 0
        follow(source.machine.cancelled(), source)
    }

    /// Called if queues were suspended or resumed, or have another target.
    ///
    /// - Complexity: O(active sources).
    func suspensionsChanged() {
        guard !table.isEmpty else { return }
        for source in table.all { takeInSuspension(of: source) }
    }

    private func takeInSuspension(of source: EventSource) {
        let queue = source.queue.id
        let isSuspended = scheduler.feed { $0.suspension(of: queue) != nil }
        guard source.machine.isQueueSuspended != isSuspended else { return }
        follow(source.machine.queueSuspensionChanged(to: isSuspended), source)
    }

    /// Releases the sources whose handlers nothing can call any more, since the run is over.
    func abandonHeld() {
        for source in table.all where source.machine.isQueueSuspended { abandon(source) }
    }

    /// Called if an event has come, or a number was merged.
    func happened(_ source: EventSource, _ number: Int) {
        follow(source.machine.happened(number), source)
    }

    /// Releases a source without calling a handler, since the run is over.
    func abandon(_ source: EventSource) {
        source.kind.disarm(self)
        source.stopWaiting()
        source.machine.abandoned()
        source.anchor = nil
        table.forget(source.number)
    }

    /// Called if no more events will come.
    func exhausted(_ source: EventSource) { follow(source.machine.exhausted(), source) }

    // MARK: Orders

    /// Executes the orders of the source's state machine.
    func follow(_ orders: SourceMachine.Orders, _ source: EventSource) {
        if orders.contains(.disarm) { disarmSource(source) }
        if orders.contains(.call) { askForCall(source) }
        if orders.contains(.retire) { retire(source) }
        if source.machine.isHeld {
            if source.anchor == nil {
                pushSource(source, vm.main)
                source.anchor = vm.makeReference(vm.main)
            }
        } else {
            source.anchor = nil
        }
        if !source.machine.isInactive, !source.machine.isRetired { table.update(source) }
        if orders.contains(.arm) { source.kind.arm(source, self) }
    }

    /// Makes the system wait for the events of a source.
    private func beginWaiting(_ source: EventSource) throws(LuaRaise) {
        do throws(SystemFailure) {
            source.token = try source.kind.beginWaiting(
                { () throws(SystemFailure) in try monitor(of: source) },
                handler(of: source)
            )
        } catch {
            throw LuaRaise(.host, "cannot activate the \(source.description): \(error)")
        }
    }

    private func monitor(of source: EventSource) throws(SystemFailure) -> EventMonitor {
        let monitor = try scheduler.eventMonitor()
        source.monitor = monitor
        return monitor
    }

    /// Makes the function that passes events on to the script thread.
    private func handler(of source: EventSource) -> EventMonitor.Handler {
        let number = source.number
        let link = link
        return { event in
            link.post { runtime in
                guard let source = runtime.sources.table[number] else { return }
                source.kind.happened(event, source, runtime.sources)
            }
        }
    }

    /// Makes the monitor report the next event.
    func armToken(of source: EventSource) {
        guard let token = source.token else { return }
        do throws(SystemFailure) {
            try source.monitor?.arm(token)
        } catch {
            runtime.diagnose("the \(source.description) is cancelled: \(error)")
            cancelSource(source)
        }
    }

    private func disarmSource(_ source: EventSource) {
        source.kind.disarm(self)
        if source.machine.isActive, !source.machine.isExhausted {
            // The source is suspended, or its handler is being called: it will be armed again.
            if let token = source.token { source.monitor?.disarm(token) }
        } else {
            source.stopWaiting()
        }
    }

    /// How many bytes the script's library has read ahead that the script has not consumed.
    func buffered(_ source: EventSource) -> Int {
        let state = vm.main
        _ = state.ensureSpace(6)
        pushSource(source, state)
        defer { state.pop(2) }
        guard state.getUserValue(-1, SourceValue.file) == .userdata,
            case .open(_, let buffered)? = state.file(-1)
        else { return 0 }
        return buffered
    }

    /// Called if a descriptor was closed while its source was active.
    func descriptorWasClosed(_ source: EventSource) {
        guard !source.machine.isCancelled else { return }
        runtime.diagnose(
            "the \(source.description) is cancelled: the descriptor was closed under it; cancel a source before "
                + "you close its file"
        )
        cancelSource(source)
    }

    /// Ends a source: releases its handlers.
    private func retire(_ source: EventSource) {
        let state = vm.main
        pushSource(source, state)
        for value in SourceValue.eventHandler...SourceValue.file {
            state.pushNil()
            _ = state.setUserValue(-2, value)
        }
        state.pop()
        source.stopWaiting()
        table.forget(source.number)
    }

    // MARK: Calls

    private func askForCall(_ source: EventSource) {
        // Once the run is cancelled, a queue would only cancel the call.
        if source.queue === queues.mainQueue || runState.isCancelled {
            agenda.turns.append(.source(source))
        } else {
            submitCall(of: source)
        }
    }

    /// Makes, in a turn, the call that a source has requested.
    func callHandler(of source: EventSource) {
        guard source.table != nil || source.machine.isBusy else { return }
        let task = bodies.makeTask()
        guard pushHandler(of: source, task.root.state) else {
            task.root.clear()
            bodies.giveBack(task)
            return
        }
        task.end = .source(source)
        task.queue = source.queue
        // The cancel handler is cleanup.
        task.isCleanup = source.machine.isCancelled
        bodies.start(task)
    }

    /// Pushes the handler that is to be called and its argument; false, with nothing pushed, if there is none.
    func pushHandler(of source: EventSource, _ state: LuaState) -> Bool {
        while let call = source.machine.nextCall() {
            let value =
                switch call {
                case .registration: SourceValue.registrationHandler
                case .event: SourceValue.eventHandler
                case .cancel: SourceValue.cancelHandler
                }
            if case .event(let number) = call, !source.kind.takeData(number, source, self) {
                handlerEnded(source)
                continue
            }
            pushSource(source, state)
            if state.getUserValue(-1, value) != .nil {
                state.insert(-2)
                return true
            }
            state.pop(2)
            handlerEnded(source)
        }
        // The source was suspended in the meantime: no call is pending any more.
        follow([], source)
        return false
    }

    /// Called if a handler has returned or failed.
    func handlerEnded(_ source: EventSource) {
        if source.machine.isCancelled { source.data = 0 }
        follow(source.machine.callEnded(), source)
    }
}
