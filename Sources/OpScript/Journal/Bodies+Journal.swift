internal import LuaVM
internal import Scheduling

/// Bodies in Lua whose results are recorded, or that declare files.
extension Bodies {
    /// Asks the journal whether a body in Lua runs; false if the caller has to run it.
    func isServedByJournal(_ id: OperationID, _ view: OperationPointer) -> Bool {
        let journaling = runtime.journaling
        guard let ticket = journaling.ticket(view) else { return journaling.onlyExplains(view, nil, self) }
        let mode = ticket.recording ?? .never
        var body = JournaledBody(ticket, mode == .never ? nil : journaling.journal, link.secrets)
        do {
            if mode == .never, journaling.onlyExplains(view, ticket, self) { return true }
            if mode != .never { try readCode(of: view, for: ticket, mode) }
            if let results = try body.begin([]) {
                show(results, id, view)
                return true
            }
            ticket.pending = body.operation.map { JournalTicket.Pending(operation: $0, entry: body.entry) }
            return false
        } catch {
            let isExplained = (error as? ScriptError)?.code == .wouldRun
            if let journal = journaling.journal, body.operation == nil, !isExplained {
                let text = (error as? ScriptError)?.message ?? String(describing: error)
                ticket.verdict = .wouldFail
                Explanations.add("would fail: \(text)", named: ticket.name, work: ticket.work, to: journal)
            }
            scheduler.feed { $0.bodyEnded(id, error) }
            return true
        }
    }

    /// Gives an operation its recorded results.
    private func show(_ results: [ScriptValue], _ id: OperationID, _ view: OperationPointer) {
        let state = vm.main
        let base = state.top
        if !results.isEmpty, state.ensureSpace(Int32(clamping: results.count) + 8) {
            for result in results { runtime.push(result, state) }
            storeResults(id, state, first: base + 1, count: results.count)
        }
        state.setTop(base)
        view.pointee.reuse = runtime.journaling.reuse(runtime.journaling.ticket(view))
        scheduler.feed { $0.bodyEnded(id, nil) }
    }

    /// The code is a part of the key of a body whose result is recorded, but not of an effect: an edited function must
    /// not repeat it.
    private func readCode(of view: OperationPointer, for ticket: JournalTicket, _ mode: RecordingMode)
        throws(ScriptError)
    {
        guard ticket.name != nil else {
            throw ScriptError(
                .argument,
                "a function whose result is recorded needs a name: set 'name', by which a later run finds it"
            )
        }
        guard mode == .result else {
            try checkIsOnlyOne(ticket)
            return
        }
        let state = vm.main
        let top = state.top
        defer { state.setTop(top) }
        guard operations.pushOperation(view.pointee.id, state) else { return }
        guard state.getValue(.body, of: view, at: top + 1) == .function, state.isLuaFunction(-1) else {
            throw ScriptError(
                .argument,
                "'\(ticket.shownName)' cannot be recorded: its body is a native function"
            )
        }
        let capture: LuaCapture
        do throws(LuaCaptureError) {
            capture = try state.capture(-1, RecordedCapture(threads: runtime.threads))
        } catch {
            throw ScriptError(
                .argument,
                "'\(ticket.shownName)' cannot be recorded: \(error.place) is of the kind '\(error.kind)', which no key "
                    + "can hold; pass it in a global, or make it a work's argument"
            )
        }
        let code = capture.canonicalBytes { ($0 as? ScriptValue).flatMap { ValueBytes.encode([$0]) } }
        let obstacle = "it has captured an object of the host, or an operation that has not succeeded"
        ticket.setCode(code, obstacle: code == nil ? obstacle : nil)
    }

    /// The name alone says which effect of a function it is: the code and the captured variables may differ in a run
    /// that continues this one.
    private func checkIsOnlyOne(_ ticket: JournalTicket) throws(ScriptError) {
        guard ticket.place.number > 1 else { return }
        throw ScriptError(
            .argument,
            "'\(ticket.shownName)' is the name of another function, too, and a function with the recording \"once\" "
                + "needs one of its own, by which a later run finds its effect: add its recipient to the name"
        )
    }

    // MARK: Ends

    /// A body in Lua with a ticket has returned, with its results on its stack; false if that fails it.
    func journalReturned(_ id: OperationID, _ state: LuaState, _ count: Int) -> Bool {
        guard let view = operations.liveView(id), let ticket = runtime.journaling.ticket(view) else {
            return true
        }
        do {
            var body = JournaledBody(ticket, runtime.journaling.journal, link.secrets)
            guard let pending = ticket.pending else {
                if !isStopped(id, view) { try body.succeeded([]) }
                return true
            }
            ticket.pending = nil
            body.resume(pending)
            // It has perhaps returned because it had to stop, with a part of its result.
            if isStopped(id, view) {
                body.failed(CancellationError(), stop: JournaledBody.stopped)
                return true
            }
            if let property = ticket.reading {
                runtime.journaling.noteUnrecorded(ticket, property)
                body.succeededWithout("its body has read op.\(property), which is not in its key")
                try ticket.checkOutputs()
                return true
            }
            let values: [ScriptValue]
            do throws(ScriptError) {
                values = try results(state, count, ticket)
            } catch {
                body.failedWithout(error.message)
                throw error
            }
            try body.succeeded(values)
            // The script may see this end without an event.
            runtime.journaling.flush()
            return true
        } catch {
            operations.pushOperation(id, vm.main)
            operations.setError(runtime.makeErrorValue(error), view, vm.main)
            vm.main.pop()
            scheduler.feed { $0.bodyEnded(id, nil, failed: true) }
            return false
        }
    }

    private func results(_ state: LuaState, _ count: Int, _ ticket: JournalTicket) throws(ScriptError)
        -> [ScriptValue]
    {
        var values: [ScriptValue] = []
        var reader = ValueReader(runtime, state)
        reader.refusesMetatables = true
        reader.keepsCounts = true
        for place in 0..<count {
            do throws(ScriptConversionError) {
                values.append(try reader.read(Int32(place) + 1))
            } catch {
                throw ScriptError(
                    .argument,
                    "'\(ticket.shownName)' cannot be recorded: its result is not a plain value (\(error.description))"
                )
            }
        }
        return values
    }

    /// A body in Lua with a ticket has raised an error.
    func journalRaised(_ id: OperationID, _ error: String) {
        guard let view = operations.liveView(id), let ticket = runtime.journaling.ticket(view),
            let pending = ticket.pending
        else { return }
        ticket.pending = nil
        var body = JournaledBody(ticket, runtime.journaling.journal, link.secrets)
        body.resume(pending)
        // `os.exit` unwinds it, too.
        var stop = runState.isOver ? "its run ended within it" : nil
        if isStopped(id, view) { stop = JournaledBody.stopped }
        body.failed(ScriptError(.failed, error), stop: stop)
    }

    /// Whether an operation was cancelled, or its time is over, even if the script does not see that yet.
    private func isStopped(_ id: OperationID, _ view: OperationPointer) -> Bool {
        view.pointee.flags.contains(.isCancelled) || scheduler.feed { $0.isCancelled(id) }
    }
}

extension Journaling {
    /// Whether the run only explains; then the operation ends without its body.
    fileprivate func onlyExplains(_ view: OperationPointer, _ ticket: JournalTicket?, _ bodies: Bodies)
        -> Bool
    {
        guard let journal, journal.onlyExplains else { return false }
        defer { ticket?.verdict = .wouldRun }
        let name = bodies.operations.name(view)
        Explanations.add(
            ticket?.obstacleToExplaining.map { "may run: \($0)" }
                ?? "would run: its body is a function, which runs each time",
            named: name,
            work: "lua",
            to: journal
        )
        scheduler.feed { $0.bodyEnded(view.pointee.id, ScriptError(.wouldRun, "'\(name)' would run")) }
        return true
    }

    /// A block operation of a run that only explains has functions among its blocks.
    func explainBlocks(of name: String) {
        guard let journal else { return }
        let text = "would run: there are functions among its blocks, which run each time"
        Explanations.add(text, named: name, work: "lua", to: journal)
    }

    /// An operation of a run that only explains cannot be judged, because another one has not run.
    ///
    /// - Parameter cause: The name of that one, if it is known.
    func explainSkip(_ view: OperationPointer, _ name: String, because cause: String?) {
        guard let journal, journal.onlyExplains else { return }
        let ticket = ticket(view)
        let failure = ticket?.dependencyThatWouldFail
        if failure != nil { ticket?.verdict = .wouldFail } else { ticket?.verdict = .wouldRun }
        let other = (cause ?? ticket?.dependencyThatWouldRun).map { "'\($0)', which" } ?? "an operation that"
        Explanations.add(
            failure.map { "does not run: it depends on '\($0)', which would fail" }
                ?? "may run: it depends on \(other) would run",
            named: name,
            work: "",
            to: journal
        )
    }

    /// The way in which an operation got recorded results.
    func reuse(_ ticket: JournalTicket?) -> OperationView.Reuse {
        guard let ticket, ticket.verdict == .reused else { return .none }
        return ticket.patterns.areComplete && ticket.recording != .once ? .upToDate : .recorded
    }
}

/// Reads the values that a recorded function has captured.
private struct RecordedCapture: LuaCaptureHost {
    let threads: Threads

    func foreign(_ state: LuaState, _ index: Int32) -> (any Sendable)? {
        if let value = threads.foreign(state, index) { return value }
        let operations = threads.operations
        guard let view = operations.operation(state, index) else { return nil }
        // An operation counts as its result.
        guard view.pointee.isFinished, view.pointee.outcome == .succeeded else { return WithoutResult() }
        let top = state.top
        defer { state.setTop(top) }
        let count = operations.runtime.waits.pushResults(view, state, state.absolute(index))
        var reader = ValueReader(operations.runtime, state)
        var values: [ScriptValue] = []
        for place in stride(from: top + 1, through: top + count, by: 1) {
            guard let value = try? reader.read(place) else { return nil }
            values.append(value)
        }
        return ScriptValue.array(values)
    }

    /// An operation that has no result that a key could hold.
    private struct WithoutResult: Sendable {}

    func libraryName(_ identity: UnsafeRawPointer) -> String? { threads.libraryName(identity) }

    func standsForGlobals(_ identity: UnsafeRawPointer) -> Bool { threads.standsForGlobals(identity) }

    func capturedKind(_ state: LuaState, _ index: Int32) -> String { threads.capturedKind(state, index) }
}
