internal import LuaVM
internal import Scheduling

extension Operations {
    /// Applies one event to the script's picture. The callbacks that it leads to become turns.
    ///
    /// - Returns: An operation whose end leads to nothing; the caller settles it. Nil for any other event.
    func apply(_ event: SchedulerEvent) -> OperationPointer? {
        if case .readerTicket = event.kind {
            agenda.turns.append(.startOperation(event.queue))
            return nil
        }
        guard let id = entries.identity(of: event), let view = liveView(id) else { return nil }
        switch event.kind {
        case .ready:
            if event.isShown { confirmReady(view, true) } else { setReady(view, true) }
            // The turns that serve the end which released it exist only now, even if the script ended that operation
            // itself and has seen the readiness since.
            view.pointee.startsAfterTurns = agenda.turns.end
            agenda.lastRelease = agenda.turns.end
        case .notReady:
            if event.isShown { confirmReady(view, false) } else { setReady(view, false) }
        case .started: markStarted(view, at: agenda.momentOfEvents)
        case .attemptFailed: attemptFailed(view)
        case .retrying: markRetrying(view)
        case .cancelled:
            if event.isShown { break }
            markCancelled(view)
            if event.wasExecuting { runtime.bodies.interrupt(id) }
        case .timedOut:
            if !view.pointee.flags.contains(.isCancelled) { view.pointee.flags.insert(.isTimedOut) }
            markCancelled(view)
            keepProgramAtTimeLimit(of: view)
            runtime.bodies.interrupt(id)
        case .finished:
            if !view.pointee.isFinished { showEnd(view, event.outcome, at: agenda.momentOfEvents) }
            if endLeadsToNothing(view) { return view }
            agenda.turns.append(.ended(id))
        case .externalTicket: agenda.turns.append(.nativeTicket(id))
        case .readerTicket: break
        }
        return nil
    }

    /// Makes visible whether the operation is ready. If the script caused it, the event that reports it is
    /// still to come: then the body does not start before that.
    func setReady(_ view: OperationPointer, _ isReady: Bool) {
        guard view.pointee.flags.contains(.isReady) != isReady, !view.pointee.isFinished else { return }
        if isReady {
            view.pointee.flags.insert(.isReady)
            view.pointee.startsAfterTurns = .max
        } else {
            view.pointee.flags.remove(.isReady)
        }
        if view.pointee.flags.contains(.isSubmitted), view.pointee.state != .executing {
            view.pointee.state = isReady ? .ready : .pending
        }
        if isReady, view.pointee.flags.contains(.isSubmitted) {
            reporting.tell(.ready, view, at: agenda.momentOfEvents)
        }
        runtime.observers.observe(view, "isReady", .boolean(!isReady), .boolean(isReady))
    }

    /// Whether the end that released an operation was served before a turn.
    ///
    /// - Parameter turn: How many turns were taken before it; `.max`: the operation may start in any case.
    func mayStart(_ id: OperationID, inTurn turn: Int) -> Bool {
        guard turn != .max, let view = liveView(id) else { return true }
        return view.pointee.flags.contains(.isReady) && view.pointee.startsAfterTurns <= turn
    }

    /// The operation executes from now on.
    func markStarted(_ view: OperationPointer, at moment: Int64) {
        guard view.pointee.state != .executing, !view.pointee.isFinished else { return }
        view.pointee.state = .executing
        // More attempts than that are not told apart; 0 would mean that none has started.
        if view.pointee.attempt < .max { view.pointee.attempt += 1 }
        // That of the attempt before.
        if view.pointee.attempt > 1 { view.pointee.flags.remove(.hasError) }
        // The operation had started before it was cancelled, but the script had not seen the start yet.
        if view.pointee.flags.contains(.isCancelled) { expectEnd(of: view) }
        view.pointee.startedAt = moment
        reporting.tell(.started, view, at: moment)
        if let entry = entry(view.pointee.id) {
            if configuration.tracksStatus { entries.noteStart(entry) }
            if entry.pointee.attachment != nil {
                runtime.observers.observe(view, "isExecuting", .boolean(false), .boolean(true))
            }
        }
    }

    private func markRetrying(_ view: OperationPointer) {
        guard view.pointee.state == .executing else { return }
        if let entry = entry(view.pointee.id) { entries.noteRetry(entry) }
        keepAttemptError(of: view, isFollowed: true)
        noteAttempt(
            of: view,
            .failed,
            at: scheduler.clock.isVirtual ? scheduler.clock.now : agenda.momentOfEvents
        )
        reporting.tell(.retrying, view, at: agenda.momentOfEvents)
        view.pointee.state = .pending
        view.pointee.flags.remove(.wasToldToStop)
        if hasStopping { stopping[view.pointee.id] = nil }
        // A cancellation by the script lasts, although the attempt ended before it.
        if view.pointee.flags.contains(.isTimedOut) {
            view.pointee.flags.subtract([.isTimedOut, .isCancelled])
            runtime.observers.observe(view, "isCancelled", .boolean(true), .boolean(false))
        }
        runtime.observers.observe(view, "isExecuting", .boolean(true), .boolean(false))
        guard runState.startsNothing else { return }
        let id = view.pointee.id
        agenda.turns.append(.host { [unowned self] in if let view = liveView(id) { cancel(view) } })
    }

    /// The operation is cancelled, or its time ran out.
    func markCancelled(_ view: OperationPointer) {
        guard !view.pointee.flags.contains(.isCancelled), !view.pointee.isFinished else { return }
        view.pointee.flags.insert(.isCancelled)
        reporting.tell(.cancelled, view, at: scheduler.clock.now)
        runtime.observers.observe(view, "isCancelled", .boolean(false), .boolean(true))
        if view.pointee.flags.contains(.isForeign) {
            entry(view.pointee.id)?.pointee.attachment?.foreign?.cancelForeign()
        }
        if view.pointee.state == .executing { expectEnd(of: view) }
    }

    /// An operation that executes has to stop.
    private func expectEnd(of view: OperationPointer) {
        guard view.pointee.kind != .group else { return }
        stopping[view.pointee.id] = scheduler.clock.now
        if stopping.count == 1, !scheduler.clock.isVirtual {
            stubbornDue = agenda.dueTimes.schedule(at: scheduler.clock.now + 5_000_000_000, .stubborn)
        }
    }

    /// Reports operations that had to stop 5 s ago and still execute.
    func reportStubborn(_ now: Int64) {
        stubbornDue = nil
        var next: Int64?
        var count = 0
        for (id, since) in stopping.sorted(by: { $0.key.slot < $1.key.slot }) {
            guard let view = liveView(id), view.pointee.state == .executing else {
                stopping[id] = nil
                continue
            }
            if now - since >= 5_000_000_000 {
                stopping[id] = nil
                count += 1
                if count > Self.mostStubborn { continue }
                runtime.diagnose(
                    "'\(name(view))' (\(createdAt(view))) was asked to stop 5 s ago and still executes"
                )
            } else {
                next = min(next ?? .max, since + 5_000_000_000)
            }
        }
        if count > Self.mostStubborn {
            let more = count - Self.mostStubborn
            runtime.diagnose(
                more == 1
                    ? "one more operation was asked to stop and still executes"
                    : "\(more) more operations were asked to stop and still execute"
            )
        }
        if let next { stubbornDue = agenda.dueTimes.schedule(at: next, .stubborn) }
    }

    /// How many operations that do not stop are named at once.
    private static var mostStubborn: Int { 5 }

    // MARK: The end

    /// Whether the end of an operation needs no turn: it leads to no callback and resumes no wait, and the
    /// operation is not the last one of its queue. Always false in a simulation, which counts turns.
    private func endLeadsToNothing(_ view: OperationPointer) -> Bool {
        guard virtualTime.simulation == nil, !view.pointee.flags.contains(.hasCompletion),
            let entry = entry(view.pointee.id), entry.pointee.isUnattended
        else { return false }
        return withQueue(of: view) { $0.unfinishedOrUnsettled > 1 } ?? false
    }

    /// Makes state, outcome and result visible to the script.
    ///
    /// - Parameter moment: When the script thread learned of it, in nanoseconds.
    func showEnd(_ view: OperationPointer, _ machineOutcome: OperationOutcome, at moment: Int64) {
        let id = view.pointee.id
        guard let entry = entry(id) else { return }
        var outcome = machineOutcome
        if view.pointee.flags.contains(.endsAsSucceeded) { outcome = .succeeded }
        if view.pointee.flags.contains(.endsAsCancelled) { outcome = .cancelled }
        let wasExecuting = view.pointee.state == .executing
        entries.noteEnd(entry)
        let isStep = view.pointee.flags.contains(.belongsToWaits)
        if view.pointee.flags.contains(.isSubmitted), !isStep {
            let hasRun = wasExecuting && outcome == .succeeded
            runState.kinds.noteEnd(view, took: hasRun ? moment - view.pointee.startedAt : nil)
        }
        if wasExecuting { reporting.tell(.bodyEnded(outcome), view, at: moment) }
        if wasExecuting, entry.pointee.retry != nil, outcome != .succeeded || view.pointee.attempt > 1 {
            noteLastAttempt(of: view, outcome, at: moment)
        }
        if view.pointee.flags.contains(.isAsync) { keepUsage(of: view, entry) }
        view.pointee.state = .finished
        view.pointee.outcome = outcome
        endCount += 1
        view.pointee.endNumber = endCount
        if hasStopping { stopping[id] = nil }
        if view.pointee.flags.contains(.wasStartedByHand) { startedByHand.remove(id) }
        if view.pointee.flags.contains(.isAbandoned) { runState.abandonedCount -= 1 }
        if !view.pointee.flags.contains(.isReady) {
            view.pointee.flags.insert(.isReady)
            runtime.observers.observe(view, "isReady", .boolean(false), .boolean(true))
        }
        switch outcome {
        case .succeeded:
            showResult(view, entry)
            if let ticket = entry.pointee.body?.ticket {
                view.pointee.reuse = runtime.journaling.reuse(ticket)
            }
            if !view.pointee.flags.contains(.isAbandoned) { runState.counts.end(.succeeded, isStep: isStep) }
        case .failed, .cancelled, .skipped, .skippedQuietly:
            showTrouble(view)
        }
        reporting.tell(.ended, view, at: moment)
        let needsSlowPath = withQueue(of: view) { queue in
            queue.finished()
            return queue.knowsManyFinished || !queue.observations.isEmpty
        }
        if needsSlowPath == true, let queue = queue(of: view) { noteEnd(of: id, in: queue) }
        if entry.pointee.attachment != nil { runtime.observers.observeEnd(view, wasExecuting: wasExecuting) }
        if outcome == .failed, let queue = queue(of: view), queue.failFast,
            !view.pointee.flags.contains(.allowsFailure)
        {
            queue.stopCount += 1
            feed { $0.failureSeen(in: queue.id) }
        }
    }

    /// Makes the result of a Swift closure visible to the script.
    private func showResult(_ view: OperationPointer, _ entry: UnsafeMutablePointer<OperationEntry>) {
        guard let value = entries.result(entry) else { return showResults(view, entry) }
        keep(value, in: view)
    }

    /// Stores a result where the script finds it once it sees that the operation has succeeded.
    @inline(__always)
    func keep(_ value: ScriptValue, in view: OperationPointer) {
        view.pointee.resultCount = 1
        switch value {
        case .nil: view.pointee.resultCount = 0
        case .boolean(let flag): view.pointee.plainResult = .boolean(flag)
        case .integer(let number): view.pointee.plainResult = .integer(number)
        case .number(let number): view.pointee.plainResult = .number(number)
        case .null, .string, .array, .table, .data, .object:
            // A result that exceeds the memory of the script ends the run, and does not stay with the script.
            guard runtime.loop.checkMemory() else { return view.pointee.resultCount = 0 }
            let state = vm.main
            defer { state.pop() }
            guard pushOperation(view.pointee.id, state) else { return }
            runtime.push(value, state)
            state.setValue(.outcome, of: view, at: -2)
        }
    }

    /// The same for several results.
    private func showResults(_ view: OperationPointer, _ entry: UnsafeMutablePointer<OperationEntry>) {
        guard let values = entries.results(entry), runtime.loop.checkMemory() else { return }
        let state = vm.main
        defer { state.pop() }
        guard pushOperation(view.pointee.id, state) else { return }
        runtime.threads.pushValues(values, state)
        view.pointee.resultCount = Int16(clamping: values.count)
        state.setValue(.outcome, of: view, at: -2)
    }

    /// Makes the error visible to the script, and counts the end for the report.
    private func showTrouble(_ view: OperationPointer) {
        let id = view.pointee.id
        let outcome = view.pointee.outcome
        let state = vm.main
        defer { state.pop() }
        guard pushOperation(id, state) else { return }
        // Whether no failure in the report is the reason.
        var namesIt = false
        switch outcome {
        case .failed:
            let timedOut = scheduler.feed { $0.hasTimedOut(id) }
            if timedOut {
                setError(timeLimitError(view, at: -1, state), view, state)
            } else if !view.pointee.flags.contains(.hasError) {
                keepError(scheduler.feed { $0.failures.removeValue(forKey: id.slot) }, view, state)
            }
        case .skipped:
            let cause = scheduler.feed { $0.cause(of: id) }
            namesIt = !noteSkip(view, because: cause, state)
            if hasJournal {
                runtime.journaling.explainSkip(view, name(view), because: liveView(cause).map { name($0) })
            }
        case .cancelled, .skippedQuietly, .succeeded:
            namesIt = true
            if outcome == .cancelled { markCancelledAtEnd(view) }
            view.pointee.flags.remove(.hasError)
            view.pointee.resultCount = 0
            state.removeValue(.outcome, of: view, at: -1)
        }
        count(view, state, namesIt: namesIt)
    }

    /// The operation ends as cancelled.
    private func markCancelledAtEnd(_ view: OperationPointer) {
        let id = view.pointee.id
        if view.pointee.flags.contains(.endsAsCancelled) {
            // Its body had ended before it was cancelled.
            scheduler.feed { _ = $0.failures.removeValue(forKey: id.slot) }
        }
        guard !view.pointee.flags.contains(.isCancelled) else { return }
        view.pointee.flags.insert(.isCancelled)
        runtime.observers.observe(view, "isCancelled", .boolean(false), .boolean(true))
    }

    /// Keeps the error that a Swift closure threw, or that of a group, in the operation on top.
    func keepError(_ thrown: (any Error)?, _ view: OperationPointer, _ state: LuaState) {
        let failure = swiftFailure(view, thrown)
        if !runtime.threads.setRaisedTable(failure, view, state) { setError(failure, view, state) }
    }

    private func swiftFailure(_ view: OperationPointer, _ failure: (any Error)?) -> ErrorValue {
        if let inner = entry(view.pointee.id)?.pointee.attachment?.innerFailure {
            if view.pointee.type == .block { return inner.error }
            let value = ErrorValue(
                .failed,
                "'\(inner.name)' failed: \(inner.error.message)",
                underlying: inner.error
            )
            return value
        }
        guard let failure else { return ErrorValue(.failed, "'\(name(view))' failed") }
        if let mismatch = failure as? ArgumentMismatch {
            let text =
                "bad argument #\(mismatch.argument) to '\(defaultName(view))' (\(mismatch.error.description))"
            return ErrorValue(mismatch.error.code, text, underlying: mismatch.error, endsRun: false)
        }
        if let conversion = failure as? ScriptConversionError {
            return ErrorValue(
                conversion.code,
                "bad argument to '\(defaultName(view))' (\(conversion.description))",
                underlying: conversion,
                endsRun: false
            )
        }
        return runtime.makeErrorValue(failure)
    }

    /// Stores an error in the operation on top of the stack.
    func setError(_ error: ErrorValue, _ view: OperationPointer, _ state: LuaState) {
        if error.operationName == nil { error.operationName = name(view) }
        if error.createdAt == nil { error.createdAt = createdAt(view) }
        runtime.push(error, state)
        // An error that came from another operation keeps its reference to that operation.
        if state.getUserValue(-1, 3) == .nil {
            state.pushValue(-3)
            _ = state.setUserValue(-3, 3)
        }
        state.pop()
        state.setValue(.outcome, of: view, at: -2)
        view.pointee.flags.remove(.hasUnreadError)
        view.pointee.flags.insert(.hasError)
        view.pointee.resultCount = 0
    }

    /// The error of the operation at an index, if it is an error value.
    func error(of view: OperationPointer, at index: Int32, _ state: LuaState) -> ErrorValue? {
        guard view.pointee.flags.contains(.hasError) else { return nil }
        defer { state.pop() }
        guard pushError(of: view, at: index, state) == .userdata else { return nil }
        return runtime.errorValue(state, -1)
    }

    /// Counts an end without success for the report. The operation is on top.
    ///
    /// - Parameter namesIt: Whether the report names it, if it has not run.
    private func count(_ view: OperationPointer, _ state: LuaState, namesIt: Bool) {
        if view.pointee.flags.contains(.isAbandoned) { return }
        let isHandled = view.pointee.outcome == .failed && noteFailure(view, state)
        let isStep = view.pointee.flags.contains(.belongsToWaits)
        let hasBegun = view.pointee.attempt > 0
        if namesIt, !isStep, !hasBegun { runState.report.notRunForOtherReasons.note(name(view)) }
        runState.counts.end(
            view.pointee.outcome,
            isStep: isStep,
            hasBegun: hasBegun,
            isHandled: isHandled
        )
        if view.pointee.outcome == .failed, !isHandled { stopAfterFailure(view) }
        if let owner = queue(of: view)?.owner,
            view.pointee.outcome == .failed || view.pointee.outcome == .skipped,
            !view.pointee.flags.contains(.allowsFailure), entry(owner) != nil
        {
            let attachment = attachment(owner)
            if attachment.innerFailure == nil {
                let error = error(of: view, at: -1, state) ?? ErrorValue(.failed, "it failed")
                attachment.innerFailure = (name(view), error)
            }
        }
    }
}

/// Seconds in their shortest form: `0.5`, `2`.
package func format(seconds: Double) -> String {
    if seconds.isNaN { return "NaN" }
    if seconds == seconds.rounded(), abs(seconds) < 1e15 { return String(Int(seconds)) }
    return String((seconds * 1000).rounded() / 1000)
}
