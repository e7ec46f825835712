#if Journal
public import OpScript
internal import Synchronization

/// The decision whether a body runs.
extension Journal {
    /// Decides whether a body runs.
    public func decide(_ operation: JournaledOperation) throws(ScriptError) -> JournalDecision {
        if operation.recording == .never {
            try operation.files?.check(of: shown(operation))
            return pass(operation)
        }
        // The host evaluates something without a run.
        if run == 0 {
            guard operation.recording == .once else { return .run(0) }
            throw ScriptError(
                .misuse,
                "'\(shown(operation))' is recorded as \"once\", and there is no run that its journal could record"
            )
        }
        if let obstacle = operation.obstacle {
            try operation.files?.check(of: shown(operation))
            if operation.recording == .once {
                throw ScriptError(
                    .argument,
                    "'\(shown(operation))' cannot be recorded as \"once\": \(obstacle)"
                )
            }
            return options.onlyExplains ? .explain("it cannot be recorded: \(obstacle)", nil) : .run(0)
        }
        // An earlier attempt has found it so, or made it so.
        if operation.recording == .once,
            let effect = lock.withLock({ _ in unknownEffects[operation.identity] })
        {
            throw error(effect)
        }
        if operation.recording == .once,
            let ended = lock.withLock({ _ in endedEffects[operation.identity] })
        {
            guard let results = ended else {
                let text =
                    "the effect of '\(shown(operation))' has happened in this run, and its result is not recorded: "
                throw ScriptError(.unknown, text + "it is not repeated")
            }
            return .reuse(results, "it has happened in this run")
        }
        let claimed = lock.withLock { _ in entries.claim(operation) ?? entries.effect(like: operation) }
        let isForced = operation.firstEntry > claimed?.id ?? 0
        let files = presentFiles(operation, claimed)
        // An effect that is known does not happen again, whatever its files are now.
        let isEffectAlone = operation.recording == .once && claimed != nil && !isForced
        if !isEffectAlone, files.inputs.contains(where: { $0.content == .missing }) {
            try operation.files?.check(of: shown(operation))
        }
        var reason: String?
        if let entry = claimed {
            // An effect that is not known comes first: not even --again repeats it.
            if entry.isUnknown, operation.isHeld, !options.onlyExplains {
                return .run(resume(entry, operation, files.inputs))
            } else if entry.isUnknown || !isForced && hasLostResult(entry) {
                let effect = unknown(entry, operation)
                lock.withLock { _ in unknownEffects[operation.identity] = effect }
                throw error(effect)
            } else if isForced {
                reason = Explanations.again
            } else if !isEffectAlone, let difference = difference(entry, operation, files) {
                reason = difference
            } else if let results = results(entry) {
                noteOutputs(files.recorded ?? [])
                return reuse(entry, operation, results)
            } else {
                reason = "its recorded result is missing or damaged"
            }
        } else if isForced {
            reason = Explanations.again
        }
        if options.onlyExplains { return .explain(reason ?? difference(operation), standIn(for: operation)) }
        let id = try begin(operation, files.inputs, reason)
        // A killed run must not leave the earlier success as the newest entry: its files may be half written.
        if claimed != nil, operation.canBeUpToDate { flush() }
        return .run(id)
    }

    /// An operation that is not recorded.
    private func pass(_ operation: JournaledOperation) -> JournalDecision {
        if options.onlyExplains, !operation.onlyReads {
            return .explain("it is not recorded, and runs each time", nil)
        }
        return .run(0)
    }

    func shown(_ operation: JournaledOperation) -> String { operation.name ?? operation.work }

    private func reuse(_ entry: Entry, _ operation: JournaledOperation, _ results: [ScriptValue])
        -> JournalDecision
    {
        // A further attempt of a block operation asks once more.
        if operation.recording == .once {
            lock.withLock { _ in endedEffects[operation.identity] = .some(results) }
        }
        let isUpToDate = operation.canBeUpToDate
        if isUpToDate {
            upToDateCount.add(1, ordering: .relaxed)
        } else {
            recordedCount.add(1, ordering: .relaxed)
        }
        if answered.contains(entry.id) { return .reuse(results, "--resolve says that it has ended") }
        return .reuse(
            results,
            isUpToDate
                ? "it is up to date since run \(entry.run)" : "its result is recorded in run \(entry.run)"
        )
    }

    /// The results of an entry; nil if they cannot be read, or are not what was written.
    private func results(_ entry: Entry) -> [ScriptValue]? {
        // Usually without the lock, at which all bodies meet.
        if let result = entry.result { return Self.results(result, entry.resultSum) }
        return results(of: entry, store.withLock { _ in storedResult(of: entry) })
    }

    /// The bytes of a result, or the name of their file.
    private typealias StoredResult = (bytes: [UInt8]?, file: String?)

    /// - Precondition: `store` is held.
    private func storedResult(of entry: Entry) -> StoredResult {
        if let result = entry.result { return (result, nil) }
        let text = "SELECT result, resultfile FROM entries WHERE id=?"
        let found = try? database?.rows(text, [.number(entry.id)]) { ($0.bytes(0), $0.text(1)) }
        return found?.first ?? (nil, nil)
    }

    private func results(of entry: Entry, _ stored: StoredResult) -> [ScriptValue]? {
        if let bytes = stored.bytes { return Self.results(bytes, entry.resultSum) }
        guard let file = stored.file, let bytes = FileReading.bytes(resultPath(file)),
            bytes.withUnsafeBytes({ Digest256(of: $0) }).text == file
        else { return nil }
        return ValueBytes.decode(bytes)
    }

    private static func results(_ bytes: [UInt8], _ sum: Int64?) -> [ScriptValue]? {
        RowSum.of(bytes) == sum ? ValueBytes.decode(bytes) : nil
    }

    /// The last results of an operation with the same key, in any run.
    private func standIn(for operation: JournaledOperation) -> [ScriptValue]? {
        let result = store.withLock { _ -> [UInt8]? in
            guard let database, let id = lastEntries(database)?.success(operation.key) else { return nil }
            let found = try? database.rows("SELECT result FROM entries WHERE id=?", [.number(id)]) {
                $0.bytes(0)
            }
            return found?.first ?? nil
        }
        return result.flatMap { ValueBytes.decode($0) }
    }

    /// The entries by which operations are explained; loaded once, since a run that explains writes nothing.
    ///
    /// - Precondition: `store` is held.
    func lastEntries(_ database: Database) -> LastEntries? {
        if recall == nil { recall = try? LastEntries(in: database) }
        return recall
    }

    // MARK: Effects that are not known

    /// Whether an effect has succeeded whose result cannot be used.
    private func hasLostResult(_ entry: Entry) -> Bool {
        entry.isOnce && entry.state == .succeeded && results(entry) == nil
    }

    /// The same.
    ///
    /// - Precondition: `store` is held.
    func hasLostStoredResult(_ entry: Entry) -> Bool {
        entry.isOnce && entry.state == .succeeded && results(of: entry, storedResult(of: entry)) == nil
    }

    private func unknown(_ entry: Entry, _ operation: JournaledOperation) -> UnknownEffect {
        let state =
            switch entry.state {
            case .withoutResult: "it succeeded, but its result is not recorded"
            case .succeeded: "it succeeded, but its recorded result is missing or damaged"
            case .interrupted: storedError(of: entry) ?? "it was cancelled, or its time was over"
            case .begun, .failed: "whether it ended is not recorded"
            }
        let isOther = entry.key.bytes != operation.key
        return UnknownEffect(
            entry: entry.id,
            name: shown(operation),
            begun: entry.begun,
            run: entry.run,
            state: isOther ? "\(state) (its arguments, or its code, were others)" : state
        )
    }

    private func storedError(of entry: Entry) -> String? {
        store.withLock { _ in
            let text = "SELECT error FROM entries WHERE id=?"
            return (try? database?.rows(text, [.number(entry.id)]) { $0.text(0) })?.first ?? nil
        }
    }

    /// The error of an operation whose effect is not known.
    private func error(_ effect: UnknownEffect) -> ScriptError {
        let isOnlyOne = store.withLock { _ in isOnlyUnknown(effect.name) }
        return ScriptError(.unknown, effect.text(isOnlyOne: isOnlyOne))
    }

    /// Whether no other effect with the same name may be unknown.
    ///
    /// - Precondition: `store` is held.
    func isOnlyUnknown(_ name: String) -> Bool {
        let text = """
            SELECT \(Entry.columns) FROM entries WHERE recording='once' AND coalesce(name, work)=?
            AND (state IN (0, 3) OR state IN (1, 4) AND run=?)
            """
        let found = try? database?.rows(text, [.text(name), .number(run)]) { Entry($0) }
        let entries = (found ?? []).compactMap { $0 }
        return entries.count { $0.isUnknown || hasLostStoredResult($0) } <= 1
    }

    // MARK: A body begins

    /// A body of an earlier run is awaited: its end belongs to the same entry.
    private func resume(_ entry: Entry, _ operation: JournaledOperation, _ contents: [RecordedFile]) -> Int64
    {
        lock.withLock { _ in
            begun[entry.id] = BegunBody(
                at: entry.begun,
                inputs: contents,
                reason: "its job is known to the cluster",
                effect: operation.recording == .once ? operation : nil
            )
        }
        return entry.id
    }

    /// Notes that a body begins.
    ///
    /// - Returns: The number of its entry.
    private func begin(
        _ operation: JournaledOperation,
        _ contents: [RecordedFile],
        _ reason: String?
    ) throws(ScriptError) -> Int64 {
        let now = FileReading.now
        let isOnce = operation.recording == .once
        let id = lock.withLock { _ -> Int64 in
            defer { nextID += 1 }
            begun[nextID] = BegunBody(
                at: now,
                inputs: contents,
                reason: reason,
                effect: isOnce ? operation : nil
            )
            if !isOnce { unwritten[nextID] = operation }
            return nextID
        }
        if isOnce {
            do throws(ScriptError) {
                try writeAtOnce(EntryRow(operation, id: id, run: run, begun: now, reason: reason))
            } catch {
                // Its body does not begin.
                lock.withLock { _ in begun[id] = nil }
                throw error
            }
        } else {
            startTicking()
        }
        return id
    }
}

/// A body that runs.
struct BegunBody: Sendable {
    let at: Int64
    /// The inputs as they were when it began.
    let inputs: [RecordedFile]
    let reason: String?
    /// The operation, if it has an effect that must not be repeated.
    var effect: JournaledOperation?
}
#endif
