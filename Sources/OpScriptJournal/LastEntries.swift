#if Journal
internal import OpScript

/// The newest entry with each key, tag and name: an operation without an entry of its own is explained by one of them.
struct LastEntries {
    private var byKey: [[UInt8]: Int64] = [:]
    private var successes: [[UInt8]: Int64] = [:]
    private var byTag: [[UInt8]: Int64] = [:]
    private var byName: [Name: Int64] = [:]

    private struct Name: Hashable {
        let name: String
        let work: String
    }

    init() {}

    /// Loads all entries.
    init(in database: Database) throws(Database.Failure) {
        let found = try database.rows("SELECT id, key, tag, name, work, state FROM entries ORDER BY id") {
            row in
            (
                id: row.number(0), key: row.bytes(1) ?? [], tag: row.bytes(2) ?? [], name: row.text(3),
                work: row.text(4) ?? "", state: row.number(5)
            )
        }
        for entry in found {
            add(entry.id, key: entry.key, tag: entry.tag, name: entry.name, work: entry.work)
            if entry.state == Entry.State.succeeded.rawValue { successes[entry.key] = entry.id }
        }
    }

    mutating func add(_ id: Int64, key: [UInt8], tag: [UInt8], name: String?, work: String) {
        byKey[key] = id
        byTag[tag] = id
        if let name { byName[Name(name: name, work: work)] = id }
    }

    /// The entry that is most like an operation.
    func nearest(key: [UInt8], tag: [UInt8], name: String?, work: String) -> Int64? {
        byKey[key] ?? byTag[tag] ?? name.flatMap { byName[Name(name: $0, work: work)] }
    }

    /// The newest success with a key.
    func success(_ key: [UInt8]) -> Int64? { successes[key] }
}

/// An earlier entry, with which an operation is compared.
struct EarlierEntry {
    let parts: [JournaledOperation.Part]
    let state: Entry.State?
    let run: Int64
    let error: String?

    static let columns = "parts, state, run, error"

    /// - Parameter first: The place of the first one of the columns.
    init(_ row: Statement, first: Int32) {
        parts = PartTexts.decode(row.bytes(first) ?? [])
        state = Entry.State(rawValue: row.number(first + 1))
        run = row.number(first + 2)
        error = row.text(first + 3)
    }

    /// Why an operation with such a key does not get the entry: the part of the key that differs, or how it ended.
    func difference(from now: [JournaledOperation.Part], inRun run: Int64) -> String {
        for part in now {
            let before = parts.first { $0.name == part.name }?.text
            guard before != part.text else { continue }
            guard let before else { return "its \(part.name) is new: \(part.text)" }
            return "its \(part.name) differ\(part.name == "arguments" ? "" : "s"): \(before) -> \(part.text)"
        }
        if let gone = parts.first(where: { part in !now.contains { $0.name == part.name } }) {
            return "it had the \(gone.name) \(gone.text)"
        }
        switch state {
        case .failed: return "it failed in run \(self.run): \(error ?? "")"
        case .begun, .interrupted: return "it was under way when run \(self.run) ended"
        case .withoutResult: return error ?? "its result is not recorded"
        case .succeeded, nil:
            return self.run == run
                ? "the recorded one has served another operation with the same key"
                : "it is recorded in run \(self.run), which has ended"
        }
    }
}
#endif
