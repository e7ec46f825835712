internal import LuaVM
internal import Scheduling

extension Operations {
    /// Takes one event into the script's picture. Callbacks it leads to become turns.
    func apply(_ event: SchedulerEvent) {
        if case .readerTurn = event.kind {
            agenda.turns.append(.startOperation(event.queue))
            return
        }
        guard let block = liveBlock(event.id) else { return }
        switch event.kind {
        case .ready: setReady(block, true)
        case .notReady: setReady(block, false)
        case .started: markStarted(block, at: agenda.momentOfEvents)
        case .retrying: markRetrying(block)
        case .cancelled:
            markCancelled(block)
            if event.wasExecuting { runtime.bodies.interrupt(event.id) }
        case .timedOut:
            markCancelled(block)
            runtime.bodies.interrupt(event.id)
        case .finished: markFinished(block, event)
        case .externalTurn: agenda.turns.append(.nativeTurn(event.id))
        case .readerTurn: break
        }
    }

    private func setReady(_ block: OperationPointer, _ isReady: Bool) {
        guard block.pointee.flags.contains(.isReady) != isReady, !block.pointee.isFinished else { return }
        if isReady { block.pointee.flags.insert(.isReady) } else { block.pointee.flags.remove(.isReady) }
        if block.pointee.flags.contains(.isSubmitted), block.pointee.state != .executing {
            block.pointee.state = isReady ? .ready : .pending
        }
        if isReady, block.pointee.flags.contains(.isSubmitted) {
            reporting.tell(.ready, block, at: agenda.momentOfEvents)
        }
        runtime.observers.observe(block, "isReady", .boolean(!isReady), .boolean(isReady))
    }

    /// The operation executes from now on.
    func markStarted(_ block: OperationPointer, at moment: Int64) {
        guard block.pointee.state != .executing, !block.pointee.isFinished else { return }
        block.pointee.state = .executing
        block.pointee.attempt &+= 1
        // It had started before it was cancelled, and the script did not see that yet.
        if block.pointee.flags.contains(.isCancelled) { expectEnd(of: block) }
        reporting.tell(.started, block, at: moment)
        if let entry = entry(block.pointee.id) {
            block.pointee.startedAt = moment
            if configuration.tracksStatus { entries.noteStart(entry) }
            if let telemetry = reporting.telemetry { telemetry.started(block.pointee.id, now: moment) }
            if entry.pointee.attachment != nil {
                runtime.observers.observe(block, "isExecuting", .boolean(false), .boolean(true))
            }
        }
    }

    private func markRetrying(_ block: OperationPointer) {
        if let entry = entry(block.pointee.id) { entries.noteEnd(entry) }
        if let telemetry = reporting.telemetry { telemetry.retrying(block.pointee.id) }
        block.pointee.state = .pending
        block.pointee.flags.remove(.wasToldToStop)
        if hasStopping { stopping[block.pointee.id] = nil }
        if block.pointee.flags.contains(.isCancelled) {
            block.pointee.flags.remove(.isCancelled)
            runtime.observers.observe(block, "isCancelled", .boolean(true), .boolean(false))
        }
        runtime.observers.observe(block, "isExecuting", .boolean(true), .boolean(false))
    }

    /// The operation is cancelled, or its time ran out.
    func markCancelled(_ block: OperationPointer) {
        guard !block.pointee.flags.contains(.isCancelled), !block.pointee.isFinished else { return }
        block.pointee.flags.insert(.isCancelled)
        reporting.tell(.cancelled, block)
        runtime.observers.observe(block, "isCancelled", .boolean(false), .boolean(true))
        if block.pointee.flags.contains(.isForeign) {
            entry(block.pointee.id)?.pointee.attachment?.foreign?.cancelForeign()
        }
        if block.pointee.state == .executing { expectEnd(of: block) }
    }

    /// An operation that executes was told to stop.
    private func expectEnd(of block: OperationPointer) {
        guard block.pointee.kind != .group else { return }
        stopping[block.pointee.id] = scheduler.clock.now
        if stopping.count == 1, !scheduler.clock.isVirtual {
            agenda.dueTimes.schedule(at: scheduler.clock.now + 5_000_000_000, .stubborn)
        }
    }

    /// Names operations that were told to stop 5 s ago and hold on.
    func reportStubborn(_ now: Int64) {
        var next: Int64?
        for (id, since) in stopping {
            guard let block = liveBlock(id), block.pointee.state == .executing else {
                stopping[id] = nil
                continue
            }
            if now - since >= 5_000_000_000 {
                stopping[id] = nil
                runtime.diagnose(
                    "'\(name(block))' (\(createdAt(block))) was told to stop 5 s ago and still executes"
                )
            } else {
                next = min(next ?? .max, since + 5_000_000_000)
            }
        }
        if let next { agenda.dueTimes.schedule(at: next, .stubborn) }
    }

    // MARK: The end

    private func markFinished(_ block: OperationPointer, _ event: SchedulerEvent) {
        if !block.pointee.isFinished { showEnd(block, event, at: agenda.momentOfEvents) }
        if endLeadsToNothing(block) {
            runtime.bodies.settle(block)
        } else {
            agenda.turns.append(.ended(event.id))
        }
    }

    /// Whether nobody is to be called or to go on at the end of an operation, and it is not the last of its queue: then
    /// there is nothing to wait for a turn. A simulation counts turns, and takes them all.
    private func endLeadsToNothing(_ block: OperationPointer) -> Bool {
        guard virtualTime.simulation == nil, !block.pointee.flags.contains(.hasCompletion),
            let entry = entry(block.pointee.id), entry.pointee.attachment == nil
        else { return false }
        return withQueue(of: block) { $0.unfinishedOrUnsettled > 1 } ?? false
    }

    /// State, outcome and result show from now on.
    ///
    /// - Parameter moment: When the script thread learned of it, in nanoseconds.
    func showEnd(_ block: OperationPointer, _ event: SchedulerEvent, at moment: Int64) {
        guard let entry = entry(event.id) else { return }
        let wasExecuting = block.pointee.state == .executing
        entries.noteEnd(entry)
        block.pointee.state = .finished
        block.pointee.outcome = event.outcome
        if hasStopping { stopping[event.id] = nil }
        if block.pointee.flags.contains(.wasStartedByHand) { startedByHand.remove(event.id) }
        if block.pointee.flags.contains(.isAbandoned) { runState.abandonedCount -= 1 }
        block.pointee.flags.insert(.isReady)
        switch event.outcome {
        case .succeeded:
            showResult(block, entry)
            if !block.pointee.flags.contains(.isAbandoned) { counts.succeeded += 1 }
        case .failed, .cancelled, .skipped, .skippedQuietly:
            showTrouble(block, event)
        }
        reporting.tell(EventRecord.Kind(event.outcome), block, at: moment)
        if let telemetry = reporting.telemetry { reporting.tellEnd(telemetry, block) }
        withQueue(of: block) { queue in
            noteEnd(in: queue)
            guard !queue.observations.isEmpty else { return }
            runtime.observers.observeCount(queue, old: queue.count + 1, removed: event.id)
        }
        if entry.pointee.attachment != nil { runtime.observers.observeEnd(block, wasExecuting: wasExecuting) }
    }

    /// Puts the result of a Swift closure where the script finds it.
    private func showResult(_ block: OperationPointer, _ entry: UnsafeMutablePointer<OperationEntry>) {
        guard let value = entries.result(entry) else { return showResults(block, entry) }
        keep(value, in: block)
    }

    /// Puts a result where the script finds it once the operation is seen to have succeeded.
    @inline(__always)
    func keep(_ value: ScriptValue, in block: OperationPointer) {
        block.pointee.resultCount = 1
        switch value {
        case .nil: block.pointee.resultCount = 0
        case .boolean(let flag): block.pointee.plainResult = .boolean(flag)
        case .integer(let number): block.pointee.plainResult = .integer(number)
        case .number(let number): block.pointee.plainResult = .number(number)
        case .null, .string, .array, .table, .data, .object:
            let state = vm.main
            defer { state.pop() }
            guard pushOperation(block.pointee.id, state) else { return }
            runtime.push(value, state)
            state.setValue(.outcome, of: block, at: -2)
        }
    }

    /// The same, where there are several.
    private func showResults(_ block: OperationPointer, _ entry: UnsafeMutablePointer<OperationEntry>) {
        guard let values = entries.results(entry) else { return }
        let state = vm.main
        defer { state.pop() }
        guard pushOperation(block.pointee.id, state) else { return }
        runtime.threads.pushValues(values, state)
        block.pointee.resultCount = Int16(clamping: values.count)
        state.setValue(.outcome, of: block, at: -2)
    }

    /// Puts the error where the script finds it, and counts the end for the report.
    private func showTrouble(_ block: OperationPointer, _ event: SchedulerEvent) {
        let id = event.id
        let state = vm.main
        defer { state.pop() }
        guard pushOperation(id, state) else { return }
        switch event.outcome {
        case .failed:
            let timedOut = scheduler.feed { $0.hasTimedOut(id) }
            if timedOut {
                let seconds = timeout(of: block, at: -1, state) ?? 0
                let text = "'\(name(block))' timed out after \(format(seconds: seconds)) s"
                setError(ErrorValue(.timeout, text), block, state)
            } else if !block.pointee.flags.contains(.hasError) {
                let failure = swiftFailure(block, event)
                if !runtime.threads.setRaisedTable(failure, block, state) { setError(failure, block, state) }
            }
        case .skipped:
            setError(skipError(block, event.other, state), block, state)
        case .cancelled, .skippedQuietly, .succeeded:
            if event.outcome == .cancelled { block.pointee.flags.insert(.isCancelled) }
            block.pointee.flags.remove(.hasError)
            block.pointee.resultCount = 0
            state.removeValue(.outcome, of: block, at: -1)
        }
        count(block, state)
    }

    /// The error of a Swift closure or of a group.
    private func swiftFailure(_ block: OperationPointer, _ event: SchedulerEvent) -> ErrorValue {
        let id = event.id
        if let inner = entry(id)?.pointee.attachment?.innerFailure {
            if block.pointee.type == .block { return inner.error }
            let value = ErrorValue(
                .failed,
                "'\(inner.name)' failed: \(inner.error.message)",
                underlying: inner.error
            )
            return value
        }
        let failure = scheduler.feed { core in core.failures.removeValue(forKey: id.slot) }
        guard let failure else { return ErrorValue(.failed, "'\(name(block))' failed") }
        if let mismatch = failure as? ArgumentMismatch {
            let text =
                "bad argument #\(mismatch.argument) to '\(defaultName(block))' (\(mismatch.error.argumentText))"
            return ErrorValue(.argument, text, underlying: mismatch.error)
        }
        if let conversion = failure as? ScriptConversionError {
            return ErrorValue(
                .argument,
                "bad argument to '\(defaultName(block))' (\(conversion.argumentText))",
                underlying: conversion
            )
        }
        return runtime.makeErrorValue(failure)
    }

    /// The error of a skipped operation: what stood against it, and why.
    private func skipError(_ block: OperationPointer, _ cause: OperationID, _ state: LuaState) -> ErrorValue {
        let own = name(block)
        var text = "'\(own)' was skipped: a dependency stood against it"
        var underlying: ErrorValue?
        let top = state.top
        if pushDependencyList(state, -1, block) {
            for place in stride(from: 1, through: state.rawLength(-1), by: 1) {
                defer { state.pop() }
                guard state.rawGet(-1, place) == .userdata, let other = operation(state, -1),
                    other.pointee.id == cause
                else { continue }
                let name = name(state, -1, other)
                underlying = error(of: other, at: -1, state)
                switch other.pointee.outcome {
                case .failed:
                    text =
                        "'\(own)' was skipped: '\(name)' failed"
                        + (underlying.map { ": \($0.message)" } ?? "")
                case .cancelled: text = "'\(own)' was skipped: '\(name)' was cancelled"
                case .skipped, .skippedQuietly:
                    text =
                        "'\(own)' was skipped: '\(name)' was skipped"
                        + (underlying.map { " (\($0.message))" } ?? "")
                case .succeeded: text = "'\(own)' was skipped: '\(name)' succeeded"
                }
                break
            }
        }
        state.setTop(top)
        return ErrorValue(.skipped, text, underlying: underlying)
    }

    /// Stores an error in the operation on top of the stack.
    func setError(_ error: ErrorValue, _ block: OperationPointer, _ state: LuaState) {
        if error.operationName == nil { error.operationName = name(block) }
        if error.createdAt == nil { error.createdAt = createdAt(block) }
        runtime.push(error, state)
        // An error that came from another operation stays that one's.
        if state.getUserValue(-1, 3) == .nil {
            state.pushValue(-3)
            _ = state.setUserValue(-3, 3)
        }
        state.pop()
        state.setValue(.outcome, of: block, at: -2)
        block.pointee.flags.insert(.hasError)
        block.pointee.resultCount = 0
    }

    /// The error of the operation at an index, if it is an error value.
    func error(of block: OperationPointer, at index: Int32, _ state: LuaState) -> ErrorValue? {
        guard block.pointee.flags.contains(.hasError) else { return nil }
        defer { state.pop() }
        guard state.getValue(.outcome, of: block, at: index) == .userdata else { return nil }
        return runtime.errorValue(state, -1)
    }

    /// Counts what did not succeed for the report. The operation lies on top.
    private func count(_ block: OperationPointer, _ state: LuaState) {
        if block.pointee.flags.contains(.isAbandoned) { return }
        switch block.pointee.outcome {
        case .succeeded: break
        case .cancelled: counts.cancelled += 1
        case .skipped, .skippedQuietly: counts.skipped += 1
        case .failed:
            counts.failed += 1
            noteFailure(block, state)
        }
        if let owner = queue(of: block)?.owner,
            block.pointee.outcome == .failed || block.pointee.outcome == .skipped,
            !block.pointee.flags.contains(.allowsFailure), entry(owner) != nil
        {
            let attachment = attachment(owner)
            if attachment.innerFailure == nil {
                let error = error(of: block, at: -1, state) ?? ErrorValue(.failed, "it failed")
                attachment.innerFailure = (name(block), error)
            }
        }
    }

    private func noteFailure(_ block: OperationPointer, _ state: LuaState) {
        let error = error(of: block, at: -1, state)
        var message = error?.message ?? "failed"
        if error == nil, block.pointee.flags.contains(.hasError) {
            state.getValue(.outcome, of: block, at: -1)
            message = runtime.errorText(state, -1)
            state.pop()
        }
        let startedAt = block.pointee.startedAt
        let duration = startedAt == 0 ? 0 : Double(scheduler.clock.now - startedAt) / 1e9
        // A limit is the host's: it ends the run, whoever met it.
        if let error, error.code == .limit { runtime.loop.runFailed(error) }
        runState.failureIndices[block.pointee.id] = runState.report.failures.count
        runState.report.failures.append(
            ScriptReport.Failure(
                name: name(block),
                createdAt: createdAt(block),
                error: error?.scriptError ?? ScriptError(.failed, message),
                message: message,
                traceback: error?.traceback,
                duration: duration,
                isHandled: block.pointee.flags.contains(.allowsFailure) || isInsideBlockOperation(block)
            )
        )
    }

    /// The failure of a block is told by its block operation.
    private func isInsideBlockOperation(_ block: OperationPointer) -> Bool {
        guard let owner = queue(of: block)?.owner else {
            return false
        }
        return liveBlock(owner) != nil
    }

    /// A failure was handed out by the `await` family: it is the script's.
    func handedOut(_ block: OperationPointer) {
        guard !block.pointee.flags.contains(.isHandedOut) else { return }
        block.pointee.flags.insert(.isHandedOut)
        if let index = runState.failureIndices[block.pointee.id] {
            runState.report.failures[index].isHandled = true
        }
    }
}

/// Seconds as people write them: `0.5`, `2`.
func format(seconds: Double) -> String {
    if seconds == seconds.rounded(), abs(seconds) < 1e15 { return String(Int(seconds)) }
    return String((seconds * 1000).rounded() / 1000)
}
