/// A closure between its decision and its end.
struct JournaledBody {
    let ticket: JournalTicket
    /// nil if the run has no journal.
    let journal: (any RunJournal)?
    let secrets: Secrets
    private(set) var operation: JournaledOperation?
    /// The cluster that runs the body; nil for this process.
    var executor: (any RemoteExecutor)?
    private(set) var entry: Int64 = 0

    init(_ ticket: JournalTicket, _ journal: (any RunJournal)?, _ secrets: Secrets) {
        self.ticket = ticket
        self.journal = journal
        self.secrets = secrets
    }

    /// Asks the journal whether the closure runs.
    ///
    /// - Returns: The recorded results, if it does not run.
    mutating func begin(
        _ arguments: @autoclosure () throws -> [ScriptValue],
        onlyReads: Bool = false
    ) throws -> [ScriptValue]? {
        guard let journal else {
            try ticket.files()?.check(of: ticket.shownName)
            return nil
        }
        if journal.onlyExplains, let reason = ticket.obstacleToExplaining {
            ticket.verdict = .wouldRun
            let operation = try? ticket.operation(try arguments(), for: journal, onlyReads: onlyReads)
            let decision = try operation.flatMap { try Self.decision(on: $0, by: journal) }
            var text = "may run: \(reason)"
            if case .explain(Explanations.again, _)? = decision { text = "would run: \(Explanations.again)" }
            Explanations.add(text, named: ticket.name, work: ticket.work, to: journal)
            switch decision {
            case .reuse(let results, _)?, .explain(_, let results?)?: return results
            default: throw ScriptError(.wouldRun, "'\(ticket.shownName)' would run")
            }
        }
        var operation = try ticket.operation(try arguments(), for: journal, onlyReads: onlyReads)
        if let executor, operation.mayAwaitEarlierBody {
            operation.isHeld = executor.holds(operation.identity)
        }
        self.operation = operation
        switch try explained(operation, by: journal) {
        case .reuse(let results, let reason):
            ticket.verdict = .reused
            Explanations.add("does not run: \(reason)", of: operation, to: journal)
            return results
        case .run(let entry):
            self.entry = entry
            ticket.verdict = .runs
            return nil
        case .explain(let reason, let results):
            ticket.verdict = .wouldRun
            Explanations.add("would run: \(reason)", of: operation, to: journal)
            if let results { return results }
            throw ScriptError(.wouldRun, "'\(ticket.shownName)' would run")
        }
    }

    /// The decision on an operation; an error is a line of the explanation, too.
    private func explained(_ operation: JournaledOperation, by journal: any RunJournal)
        throws(ScriptError) -> JournalDecision
    {
        do throws(ScriptError) {
            return try journal.decide(operation)
        } catch {
            ticket.verdict = .wouldFail
            Explanations.add("would fail: \(error.message)", of: operation, to: journal)
            throw error
        }
    }

    /// The decision on an operation that comes after one that would run; nil if an input is missing, which that one may
    /// make.
    private static func decision(on operation: JournaledOperation, by journal: any RunJournal)
        throws(ScriptError) -> JournalDecision?
    {
        do throws(ScriptError) {
            return try journal.decide(operation)
        } catch {
            if error.code == .failed { return nil }
            throw error
        }
    }

    /// Takes up a body in Lua that has waited in its ticket.
    mutating func resume(_ pending: JournalTicket.Pending) {
        operation = pending.operation
        entry = pending.entry
    }

    /// Reports a success.
    ///
    /// - Throws: The error with which the operation fails in spite of it: an output is missing, or code `host` if its
    ///   end cannot be written and must be.
    func succeeded(_ results: [ScriptValue]) throws {
        do throws(ScriptError) {
            try ticket.checkOutputs()
        } catch {
            report(.failed(secrets.hidden(in: error.message)))
            throw error
        }
        guard let journal, var operation else { return }
        // Patterns among the outputs may match more files now.
        operation.files = ticket.files()
        try journal.ended(operation, entry, end(results))
    }

    private func end(_ results: [ScriptValue]) -> JournaledEnd {
        if secrets.isEmpty { return .succeeded(results) }
        guard let bytes = ValueBytes.encode(results), !secrets.places(in: bytes).isEmpty else {
            return .succeeded(results)
        }
        return .succeededWithout("its result contains a secret")
    }

    /// Reports that the body has run, and that its results cannot be recorded.
    func succeededWithout(_ reason: String) { report(.succeededWithout(reason)) }

    /// Reports that the body has run, and that the operation fails because its results cannot be recorded.
    func failedWithout(_ reason: String) {
        report(
            operation?.recording == .once ? .interrupted("it has happened, but \(reason)") : .failed(reason)
        )
    }

    static let stopped = "it was cancelled, or its time was over"

    /// Reports a failure.
    ///
    /// - Parameter stop: Why it was stopped, which leaves its effect unknown; nil if it has failed by itself.
    func failed(_ error: any Error, stop: String?) {
        let stop = stop ?? (error is CancellationError ? Self.stopped : nil)
        let text = secrets.hidden(in: String(describing: error))
        // A cluster cannot say what a body has done that it had to end.
        let code = (error as? ScriptError)?.code
        let mayHaveHappened = executor != nil || operation?.recording == .once
        let isUnknown = code == .unknown || mayHaveHappened && code == .timeout
        if let stop { return report(.interrupted(stop)) }
        report(isUnknown ? .interrupted("it did not end: \(text)") : .failed(text))
    }

    private func report(_ end: JournaledEnd) {
        guard let journal, let operation else { return }
        try? journal.ended(operation, entry, end)
    }
}

extension JournaledOperation {
    /// Its key, its kind and its number, by which it is the same in this run and in those that continue it, also on a
    /// cluster.
    package var identity: [UInt8] { key + kind + withUnsafeBytes(of: number.littleEndian) { Array($0) } }

    /// Whether the end of its body in an earlier run counts. Not if it has to run whatever is known, and not with
    /// declared files, which may have changed since then.
    var mayAwaitEarlierBody: Bool {
        firstEntry == 0 && recording != .never && files == nil && obstacle == nil
    }
}

/// The lines of a run that explains.
package enum Explanations {
    /// The reason why an operation runs that the user has named.
    package static let again = "--again names it, or an operation on which it depends"

    /// Adds a line about an operation, if it is to be explained.
    static func add(
        _ text: @autoclosure () -> String,
        of operation: JournaledOperation,
        to journal: any RunJournal
    ) {
        guard journal.onlyExplains else { return }
        add(text(), named: operation.name, work: operation.work, to: journal)
    }

    static func add(_ text: String, named name: String?, work: String, to journal: any RunJournal) {
        guard journal.onlyExplains else { return }
        let shown = name ?? work
        if let only = journal.explainedName, only != shown, only != work { return }
        journal.explain("'\(shown)' \(text)")
    }
}
