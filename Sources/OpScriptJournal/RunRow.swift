#if Journal
internal import Glibc
internal import OpScript

/// One process's part of a run: a run that is continued has several.
struct RunRow {
    private(set) var id: Int64 = 0
    let number: Int64
    /// All entries of the run have this number or a later one, and no entry of an earlier run has.
    let firstEntry: Int64
    /// The new entries of this part have this number or later ones.
    let nextEntry: Int64
    let script: String?
    /// The folder in which the script began.
    let folder: String?
    /// The names that were given with --again.
    let again: [String]
    let pid: Int64
    let begun: Int64
    private(set) var ended: Int64?
    private(set) var outcome: String?
    private(set) var isGood = false

    init(
        number: Int64,
        firstEntry: Int64,
        nextEntry: Int64,
        script: String?,
        folder: String?,
        again: [String],
        begun: Int64
    ) {
        self.number = number
        self.firstEntry = firstEntry
        self.nextEntry = nextEntry
        self.again = again
        self.script = script
        self.folder = folder
        self.begun = begun
        pid = Int64(getpid())
    }

    /// Whether its script has another name, or is in another folder than one with the same name.
    ///
    /// - Parameter folder: The present folder; a script in a former one is not compared.
    func isOfOther(_ script: String, in folder: String?) -> Bool {
        guard let own = self.script else { return false }
        if own.split(separator: "/").last != script.split(separator: "/").last { return true }
        guard let folder, folder == self.folder else { return false }
        return Self.steps(own, folder) != Self.steps(script, folder)
    }

    /// The names on the way to a file; of its true path, if it still exists.
    private static func steps(_ path: String, _ folder: String) -> [Substring] {
        let path = path.first == "/" ? path : "\(folder)/\(path)"
        guard let found = realpath(path, nil) else { return path.split(separator: "/").filter { $0 != "." } }
        defer { free(found) }
        return String(cString: found).split(separator: "/")
    }

    /// The columns from which ``init(_:)`` reads.
    static let columns = """
        id, number, script, folder, pid, begun, ended, outcome, good, checksum, firstentry, nextentry, again
        """

    /// - Returns: nil if the row does not fit its checksum.
    init?(_ row: Statement) {
        id = row.number(0)
        number = row.number(1)
        script = row.text(2)
        folder = row.text(3)
        pid = row.number(4)
        begun = row.number(5)
        ended = row.isNull(6) ? nil : row.number(6)
        outcome = row.text(7)
        isGood = row.number(8) == 1
        firstEntry = row.number(10)
        nextEntry = row.number(11)
        again = (ValueBytes.decode(row.bytes(12) ?? []) ?? []).compactMap { $0.string }
        guard sum == row.number(9) else { return nil }
    }

    /// All of them, in the order in which they began.
    static func all(in database: Database) throws(Database.Failure) -> [RunRow] {
        try whole(try database.rows("SELECT \(columns) FROM runs ORDER BY id") { RunRow($0) })
    }

    /// The last one.
    static func last(in database: Database) throws(Database.Failure) -> RunRow? {
        let text = "SELECT \(columns) FROM runs ORDER BY id DESC LIMIT 1"
        return try whole(try database.rows(text) { RunRow($0) }).first
    }

    /// The names that were given with --again since a run ended well, each with the first entry that counts for it: the
    /// operations run again until then, but each of them once.
    static func standingNames(in database: Database) throws(Database.Failure) -> [String: Int64] {
        let text = """
            SELECT \(columns) FROM runs WHERE id > (SELECT coalesce(max(id), 0) FROM runs WHERE good=1) ORDER BY id
            """
        let parts = try whole(try database.rows(text) { RunRow($0) })
        return parts.reduce(into: [:]) { names, part in
            for name in part.again { names[name] = part.nextEntry }
        }
    }

    private static func whole(_ rows: [RunRow?]) throws(Database.Failure) -> [RunRow] {
        let result = rows.compactMap { $0 }
        guard result.count == rows.count else {
            throw Database.Failure(code: Database.Failure.damage, message: "a run does not fit its checksum")
        }
        return result
    }

    private var sum: Int64 {
        var sum = RowSum()
        sum.add(number)
        sum.add(firstEntry)
        sum.add(nextEntry)
        for name in again { sum.add(name) }
        sum.add(script)
        sum.add(folder)
        sum.add(pid)
        sum.add(begun)
        sum.add(ended)
        sum.add(outcome)
        sum.add(isGood ? 1 : 0)
        return sum.value
    }

    /// Writes it as a new row.
    mutating func insert(into database: Database) throws(Database.Failure) {
        try database.run(
            """
            INSERT INTO runs(number, firstentry, nextentry, script, folder, again, pid, begun, checksum)
            VALUES(?,?,?,?,?,?,?,?,?)
            """,
            [
                .number(number), .number(firstEntry), .number(nextEntry), .init(script), .init(folder),
                .init(again.isEmpty ? nil : ValueBytes.encode(again.map { .text($0) })), .number(pid),
                .number(begun),
                .number(sum),
            ]
        )
        id = database.lastRow
    }

    /// Writes its end.
    mutating func end(_ outcome: String, isGood: Bool, at moment: Int64, in database: Database)
        throws(Database.Failure)
    {
        self.outcome = outcome
        self.isGood = isGood
        ended = moment
        try database.run(
            "UPDATE runs SET ended=?, outcome=?, good=?, checksum=? WHERE id=?",
            [.number(moment), .text(outcome), .number(isGood ? 1 : 0), .number(sum), .number(id)]
        )
    }
}
#endif
