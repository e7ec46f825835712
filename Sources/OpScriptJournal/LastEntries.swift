#if Journal
internal import OpScript

/// The newest entry of each operation, kind and name. One of them explains an operation that does not get an entry.
struct LastEntries {
    private var successes: [[UInt8]: Int64] = [:]
    private var byIdentity: [Identity: Int64] = [:]
    private var byPlace: [Place: Int64] = [:]
    private var byName: [Name: (id: Int64, key: [UInt8])] = [:]

    private struct Name: Hashable {
        let name: String
        let work: String
    }

    /// The kind of an operation, and its number in that.
    struct Place: Hashable {
        let kind: [UInt8]
        let number: Int64
    }

    private struct Identity: Hashable {
        let key: [UInt8]
        let place: Place
    }

    init() {}

    /// Loads all entries.
    init(in database: Database) throws(Database.Failure) {
        for row in try database.rows("SELECT \(Row.columns) FROM entries ORDER BY id", [], Row.init) {
            add(row)
            if row.state == Entry.State.succeeded.rawValue { successes[row.key] = row.id }
        }
    }

    /// The columns that it reads of an entry.
    struct Row {
        let id: Int64
        let key: [UInt8]
        let place: Place
        let name: String?
        let work: String
        let state: Int64
        let begun: Int64

        static let columns = "id, key, kind, number, name, work, state, begun"

        init(_ row: Statement) {
            id = row.number(0)
            key = row.bytes(1) ?? []
            place = Place(kind: row.bytes(2) ?? [], number: row.number(3))
            name = row.text(4)
            work = row.text(5) ?? ""
            state = row.number(6)
            begun = row.number(7)
        }
    }

    mutating func add(_ row: Row) {
        byIdentity[Identity(key: row.key, place: row.place)] = row.id
        byPlace[row.place] = row.id
        if let name = row.name { byName[Name(name: name, work: row.work)] = (row.id, row.key) }
    }

    /// The entry of the same operation, or of one in its place with another key; nil if there is none.
    func nearest(key: [UInt8], place: Place, name: String?, work: String) -> Nearest? {
        if let own = byIdentity[Identity(key: key, place: place)] { return Nearest(id: own, hasKey: true) }
        if let other = byPlace[place] { return Nearest(id: other, hasKey: false) }
        // One with the same key is another operation that is equal to it, and explains nothing.
        guard let name, let other = byName[Name(name: name, work: work)], other.key != key else { return nil }
        return Nearest(id: other.id, hasKey: false)
    }

    /// The entry with which an operation is compared.
    struct Nearest {
        let id: Int64
        /// Whether it has the key of the operation.
        let hasKey: Bool
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
    ///
    /// - Parameter hasKey: Whether it has the same key.
    func difference(from now: [JournaledOperation.Part], hasKey: Bool, inRun run: Int64) -> String {
        for part in now {
            let before = parts.first { $0.name == part.name }?.text
            guard before != part.text else { continue }
            guard let before else { return "its \(part.name) is new: \(part.text)" }
            if part.name == "code" {
                return "its code, or a variable that it has captured, differs: \(before) -> \(part.text)"
            }
            return "its \(part.name) differ\(part.name == "arguments" ? "" : "s"): \(before) -> \(part.text)"
        }
        if let gone = parts.first(where: { part in !now.contains { $0.name == part.name } }) {
            return "it had the \(gone.name) \(gone.text)"
        }
        if !hasKey {
            return "a secret in its key differs, or a part of an argument that is too long to be shown"
        }
        switch state {
        case .failed where error == Entry.answerAgain: return Entry.answerAgain
        case .failed: return "it failed in run \(self.run): \(error ?? "")"
        case .begun: return "it was under way when run \(self.run) ended"
        case .interrupted: return "it did not end in run \(self.run): \(error ?? "it was interrupted")"
        case .withoutResult: return error ?? "its result is not recorded"
        case .succeeded, nil:
            return self.run == run
                ? "its recorded result was used in this run before"
                : "it is recorded in run \(self.run), which has ended"
        }
    }
}
#endif
