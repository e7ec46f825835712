#if Journal
public import OpScript
internal import Synchronization

/// The decision whether a body runs.
extension Journal {
    /// A recorded operation that could stand in for one that is about to begin.
    private struct Candidate {
        let place: Int
        let entry: Entry
    }

    /// Decides whether a body runs.
    public func decide(_ operation: JournaledOperation) throws(ScriptError) -> JournalDecision {
        if operation.recording == .never { return pass(operation) }
        if let obstacle = operation.obstacle {
            if operation.recording == .once {
                throw ScriptError(
                    .argument,
                    "'\(shown(operation))' cannot be recorded as \"once\": \(obstacle)"
                )
            }
            return options.onlyExplains ? .explain("it cannot be recorded: \(obstacle)", nil) : .run(0)
        }
        let contents = inputContents(operation)
        var reason: String?
        if let candidate = claim(operation) {
            if operation.isForced {
                reason = "--again names it, or an operation on which it depends"
            } else if candidate.entry.isUnknown {
                switch try resolve(candidate, operation) {
                case .done(let results): return .reuse(results, "--resolve says that it has ended")
                case .again: reason = "--resolve says that it runs again"
                }
            } else if let difference = difference(candidate.entry, operation, contents) {
                reason = difference
            } else if let results = results(candidate.entry) {
                return reuse(candidate.entry, operation, results)
            } else {
                reason = "its recorded result cannot be read"
            }
        } else if operation.isForced {
            reason = "--again names it, or an operation on which it depends"
        }
        if options.onlyExplains { return .explain(reason ?? difference(operation), standIn(for: operation)) }
        return .run(try begin(operation, contents, reason))
    }

    /// An operation that is not recorded.
    private func pass(_ operation: JournaledOperation) -> JournalDecision {
        if options.onlyExplains, !operation.onlyReads {
            return .explain("it is not recorded, and runs each time", nil)
        }
        return .run(0)
    }

    private func shown(_ operation: JournaledOperation) -> String { operation.name ?? operation.work }

    /// Finds the entry of an operation, which no other operation of this run gets then: the one with the same tag, or
    /// else any that has the same key.
    private func claim(_ operation: JournaledOperation) -> Candidate? {
        guard let key = Digest256(bytes: operation.key) else { return nil }
        return lock.withLock { _ -> Candidate? in
            var other: Int?
            var place = first[key] ?? -1
            while place >= 0 {
                let entry = entries[place]
                if !entry.isClaimed, isEligible(entry, operation) {
                    if entry.tag == operation.tag {
                        other = place
                        break
                    }
                    other = other ?? place
                }
                place = entry.next
            }
            guard let other else { return nil }
            entries[other].isClaimed = true
            return Candidate(place: other, entry: entries[other])
        }
    }

    private func isEligible(_ entry: Entry, _ operation: JournaledOperation) -> Bool {
        if entry.isOnce { return operation.recording == .once && (entry.isUnknown || isDone(entry)) }
        if operation.recording == .once { return false }
        if entry.isComplete { return operation.files?.areComplete == true && entry.state != .failed }
        return operation.recording == .result && operation.files?.areComplete != true && isDone(entry)
    }

    /// Whether an entry is a success of this run.
    private func isDone(_ entry: Entry) -> Bool { entry.run == run && entry.state == .succeeded }

    private func reuse(_ entry: Entry, _ operation: JournaledOperation, _ results: [ScriptValue])
        -> JournalDecision
    {
        let isUpToDate = operation.files?.areComplete == true
        lock.withLock { _ in
            if isUpToDate { report.upToDate += 1 } else { report.recorded += 1 }
        }
        return .reuse(
            results,
            isUpToDate
                ? "it is up to date since run \(entry.run)" : "its result is recorded in run \(entry.run)"
        )
    }

    /// The results of an entry; nil if they cannot be read.
    private func results(_ entry: Entry) -> [ScriptValue]? {
        if let result = entry.result { return ValueBytes.decode(result) }
        let (bytes, file) = lock.withLock { _ -> ([UInt8]?, String?) in
            let found = try? database?.rows(
                "SELECT result, resultfile FROM entries WHERE id=?",
                [.number(entry.id)]
            ) { ($0.bytes(0), $0.text(1)) }
            return found?.first ?? (nil, nil)
        }
        if let bytes { return ValueBytes.decode(bytes) }
        guard let file, let bytes = FileReading.bytes(resultPath(file)),
            bytes.withUnsafeBytes({ Digest256(of: $0) }).text == file
        else { return nil }
        return ValueBytes.decode(bytes)
    }

    /// The last results of an operation with the same key, in any run.
    private func standIn(for operation: JournaledOperation) -> [ScriptValue]? {
        let result = lock.withLock { _ -> [UInt8]? in
            let found = try? database?.rows(
                "SELECT result FROM entries WHERE key=? AND state=1 ORDER BY id DESC LIMIT 1",
                [.bytes(operation.key)]
            ) { $0.bytes(0) }
            return found?.first ?? nil
        }
        return result.flatMap { ValueBytes.decode($0) }
    }

    // MARK: Effects that are not known

    private enum Answer {
        case done([ScriptValue])
        case again
    }

    private func resolve(_ candidate: Candidate, _ operation: JournaledOperation) throws(ScriptError)
        -> Answer
    {
        let name = shown(operation)
        let key = options.resolutions[name] != nil ? name : operation.work
        guard let resolution = options.resolutions[key] else { throw unknown(candidate.entry, name) }
        lock.withLock { _ in _ = usedResolutions.insert(key) }
        guard case .done(let value) = resolution else { return .again }
        var row = EntryRow(
            operation,
            id: candidate.entry.id,
            run: run,
            begun: candidate.entry.begun,
            reason: "--resolve"
        )
        row.state = Entry.State.succeeded.rawValue
        row.ended = FileReading.now
        row.result = ValueBytes.encode([value])
        if !options.onlyExplains { try writeAtOnce(row) }
        lock.withLock { _ in report.recorded += 1 }
        return .done([value])
    }

    private func unknown(_ entry: Entry, _ name: String) -> ScriptError {
        let begun = "it began at \(JournalTime.text(entry.begun)) in run \(entry.run)"
        let state =
            entry.state == .withoutResult
            ? "\(begun) and succeeded, but its result is not recorded"
            : "\(begun), and whether it ended is not recorded"
        return ScriptError(
            .unknown,
            "the effect of '\(name)' is not known: \(state). It is not repeated; --resolve '\(name)=done' or "
                + "--resolve '\(name)=again' says what holds"
        )
    }

    // MARK: A body begins

    /// Notes that a body begins.
    ///
    /// - Returns: The number of its entry.
    private func begin(
        _ operation: JournaledOperation,
        _ contents: [RecordedFile],
        _ reason: String?
    ) throws(ScriptError) -> Int64 {
        let now = FileReading.now
        let row = lock.withLock { _ -> EntryRow in
            let row = EntryRow(operation, id: nextID, run: run, begun: now, reason: reason)
            nextID += 1
            begun[row.id] = BegunBody(at: now, inputs: contents, reason: reason)
            return row
        }
        if operation.recording == .once {
            try writeAtOnce(row)
        } else if row.isComplete {
            add(row)
        }
        return row.id
    }
}

/// A body that runs.
struct BegunBody: Sendable {
    let at: Int64
    /// The inputs as they were when it began.
    let inputs: [RecordedFile]
    let reason: String?
}
#endif
