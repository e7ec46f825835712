#if Journal
internal import OpScript
internal import Synchronization

/// The user's answers about effects that are not known, apart from those that operations ask for.
extension Journal {
    /// The name under which there is an answer about an entry; nil if there is none.
    func answerName(_ id: Int64, _ shown: String, _ work: String) -> String? {
        ["#\(id)", shown, work].first { options.resolutions[$0] != nil }
    }

    /// Why the answers do not fit the journal; nil if they do. An answer without an effect would let the script run,
    /// and perhaps have the effect once more.
    ///
    /// - Precondition: `store` is held.
    func problemOfResolutions() throws(Database.Failure) -> String? {
        guard !options.resolutions.isEmpty, let database else { return nil }
        let columns = EntryFacts.columnCount + 1
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
            if open.isEmpty {
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
        }
        return nil
    }

    /// Whether an operation of this run would find the effect unknown. One that has succeeded without a result belongs
    /// to its run alone.
    private func isUnknown(_ entry: Entry) -> Bool {
        entry.isUnknown && (entry.state != .withoutResult || entry.run == run)
    }

    /// Effects that are not known and that no operation has asked for: an answer settles them, too; otherwise the run
    /// has not ended well.
    ///
    /// - Precondition: `store` is held.
    func settleUnaskedEffects() {
        guard let database else { return }
        for entry in lock.withLock({ _ in entries.unaskedEffects }) {
            let rows = try? database.rows("SELECT * FROM entries WHERE id=?", [.number(entry.id)]) {
                EntryRow($0)
            }
            guard var row = rows?.first else { continue }
            let shown = row.name ?? row.work
            do throws(Database.Failure) {
                guard let key = answerName(entry.id, shown, row.work), let answer = options.resolutions[key]
                else {
                    note(entry, shown)
                    continue
                }
                lock.withLock { _ in _ = usedResolutions.insert(key) }
                switch answer {
                case .done(let value):
                    row.id = newID()
                    row.run = run
                    row.replaced = [entry.id]
                    row.settle(value)
                    try row.write(with: try database.statement(EntryRow.insertion), to: database)
                case .again: try database.run(EntryRow.removal, [.number(entry.id)])
                }
            } catch {
                noteProblem(error)
            }
        }
    }

    private func note(_ entry: Entry, _ shown: String) {
        let effect = UnknownEffect(
            entry: entry.id,
            name: shown,
            begun: entry.begun,
            run: entry.run,
            state: "whether it ended is not recorded",
            isAsked: false
        )
        let identity = entry.key.bytes + entry.kind.bytes + withUnsafeBytes(of: entry.number) { Array($0) }
        lock.withLock { _ in unknownEffects[identity] = effect }
    }
}
#endif
