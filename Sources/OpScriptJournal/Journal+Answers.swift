#if Journal
internal import OpScript
internal import Synchronization

/// The user's answers about effects that are not known, apart from those that operations ask for.
extension Journal {
    /// Records the user's answers, before the script runs: they hold even if the run is killed before an operation asks
    /// for the effect.
    ///
    /// - Precondition: `store` is held, and a transaction is open.
    /// - Parameter next: The number of the next new entry.
    /// - Returns: Why the answers do not fit the journal; nil if they do. An answer without an effect would let the
    ///   script run, and perhaps have the effect once more.
    func settleAnswers(_ next: inout Int64) throws(Database.Failure) -> String? {
        guard !options.resolutions.isEmpty, let database else { return nil }
        let columns = Entry.columnCount
        let text = """
            SELECT \(Entry.columns), coalesce(name, work), work FROM entries WHERE recording='once' AND state<>2
            """
        let effects = try database.rows(text) { row in
            (entry: Entry(row), shown: row.text(columns) ?? "", work: row.text(columns + 1) ?? "")
        }
        for name in options.resolutions.keys.sorted() {
            let own = effects.filter {
                "#\($0.entry?.id ?? 0)" == name || $0.shown == name || $0.work == name
            }
            let open = own.compactMap(\.entry).filter {
                isUnknown($0) || $0.run == run && hasLostStoredResult($0)
            }
            guard let effect = open.first else {
                let subject =
                    name.hasPrefix("#") ? "there is no entry '\(name)' with" : "no operation '\(name)' has"
                return "--resolve: \(subject) an effect that is not known; the script has not run"
            }
            if open.count > 1 {
                let numbers = open.map { "'#\($0.id)'" }.joined(separator: ", ")
                return
                    "--resolve: '\(name)' has \(open.count) effects that are not known: name one by \(numbers); the "
                    + "script has not run"
            }
            try settle(effect, by: name, &next, in: database)
        }
        return nil
    }

    /// Records an answer about the effect of an entry.
    private func settle(_ effect: Entry, by name: String, _ next: inout Int64, in database: Database)
        throws(Database.Failure)
    {
        let rows = try database.rows("SELECT * FROM entries WHERE id=?", [.number(effect.id)]) {
            EntryRow($0)
        }
        guard var row = rows.first, let answer = options.resolutions[name] else { return }
        switch answer {
        case .done(let value):
            // An entry of this run, so that it counts there, and for --again.
            row.id = next
            row.run = run
            row.replaced = [effect.id]
            row.settle(value)
            answered.insert(next)
            next += 1
        case .again: row.reopen()
        }
        try row.write(with: try database.statement(EntryRow.insertion), to: database)
    }

    /// Whether an operation of this run would find the effect unknown. One that has succeeded without a result belongs
    /// to its run alone.
    private func isUnknown(_ entry: Entry) -> Bool {
        entry.isUnknown && (entry.state != .withoutResult || entry.run == run)
    }

    /// Notes the effects that are not known at the end of a run, and that no operation has met: the run has not ended
    /// well. No operation has asked for them, or they are still under way, after `os.exit`.
    ///
    /// - Precondition: `store` is held.
    func noteOtherUnknownEffects() {
        for entry in lock.withLock({ _ in entries.unaskedEffects }) {
            let text = "SELECT coalesce(name, work) FROM entries WHERE id=?"
            let shown = try? database?.rows(text, [.number(entry.id)]) { $0.text(0) ?? "" }.first
            guard let shown else { continue }
            let effect = UnknownEffect(
                entry: entry.id,
                name: shown,
                begun: entry.begun,
                run: entry.run,
                state: "whether it ended is not recorded",
                isAsked: false
            )
            let identity =
                entry.key.bytes + entry.kind.bytes + withUnsafeBytes(of: entry.number) { Array($0) }
            lock.withLock { _ in unknownEffects[identity] = effect }
        }
        lock.withLock { _ in
            for (id, body) in begun {
                guard let operation = body.effect else { continue }
                unknownEffects[operation.identity] = UnknownEffect(
                    entry: id,
                    name: shown(operation),
                    begun: body.at,
                    run: run,
                    state: "it was under way when the run ended",
                    isOfThisPart: true
                )
            }
        }
    }
}
#endif
