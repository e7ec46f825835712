#if Journal
internal import Glibc
public import OpScript

/// Reads a journal for people and programs: its runs, its operations, and whether it is whole.
public struct JournalReader {
    private let path: String
    private let database: Database

    /// Opens a journal that another process may be writing.
    public init(_ path: String) throws(ScriptError) {
        self.path = path
        database = try JournalFile.openToRead(path)
    }

    private struct Operation {
        var id: Int64
        var shown: String
        var work: String
        var run: Int64
        var state: Entry.State
        var begun: Int64
        var ended: Int64?
        var recording: String
        var parts: [JournaledOperation.Part]
        var result: [UInt8]?
        var error: String?
        var files: [RecordedFile]
        var reason: String?
    }

    // MARK: Runs

    /// All parts of runs, and how many operations each has recorded.
    public func list(asJSON: Bool) throws(ScriptError) -> String {
        let runs = try reading { database throws(Database.Failure) in try RunRow.all(in: database) }
        let counts = try counts(of: runs)
        if asJSON {
            let values = zip(runs, counts).map { run, count -> ScriptValue in
                var table: ScriptTable = [
                    "run": .integer(run.number), "script": .text(run.script ?? "?"), "pid": .integer(run.pid),
                    "begun": .number(Double(run.begun) / 1e9), "recorded": .integer(count),
                ]
                if let folder = run.folder { table["folder"] = .text(folder) }
                if let ended = run.ended { table["ended"] = .number(Double(ended) / 1e9) }
                table["outcome"] = .text(run.outcome ?? "killed")
                return .table(table)
            }
            return try json(.array(values))
        }
        let open = try openEffects()
        var lines: [String] = []
        for (place, run) in runs.enumerated() {
            // One process at a time uses a journal, so only the last one can be under way.
            let mayBeUnderWay = place == runs.count - 1 && JournalFile.isAlive(run.pid)
            let end = run.outcome ?? (mayBeUnderWay ? "is under way, or was killed" : "was killed")
            let isContinued = place > 0 && runs[place - 1].number == run.number
            let number = "run \(run.number)\(isContinued ? ", continued" : "")"
            var recorded = "\(counts[place]) recorded"
            let isLastPart = place == runs.count - 1 || runs[place + 1].number != run.number
            if isLastPart, let open = open[run.number], run.outcome != nil || !mayBeUnderWay {
                recorded += ", \(open) not known"
            }
            lines.append(
                "\(number)  \(JournalTime.text(run.begun))  \(run.script ?? "?")  process \(run.pid)  \(end)  "
                    + "(\(recorded))"
            )
        }
        return lines.isEmpty ? "no runs\n" : lines.joined(separator: "\n") + "\n"
    }

    /// By run, how many of its effects have begun and are not known to have ended.
    private func openEffects() throws(ScriptError) -> [Int64: Int64] {
        let text = """
            SELECT run, count(*) FROM entries WHERE recording='once' AND state IN (0, 3) GROUP BY run
            """
        return Dictionary(uniqueKeysWithValues: try rows(text) { ($0.number(0), $0.number(1)) })
    }

    /// How many entries each part of a run has recorded: those of its run that ended before the next part began.
    private func counts(of runs: [RunRow]) throws(ScriptError) -> [Int64] {
        let text = "SELECT count(*) FROM entries WHERE state IN (1, 4) AND run=? AND ended>=? AND ended<?"
        var counts: [Int64] = []
        for (place, run) in runs.enumerated() {
            let isFirst = place == 0 || runs[place - 1].number != run.number
            let isLast = place == runs.count - 1 || runs[place + 1].number != run.number
            let bounds = [isFirst ? 0 : run.begun, isLast ? Int64.max : runs[place + 1].begun]
            counts += try rows(text, [.number(run.number)] + bounds.map { .number($0) }) { $0.number(0) }
        }
        return counts
    }

    // MARK: Operations

    /// The names of operations, or of their works, and how many entries each has.
    public func names(asJSON: Bool) throws(ScriptError) -> String {
        let text = "SELECT coalesce(name, work), count(*), max(run) FROM entries GROUP BY 1 ORDER BY 1"
        let found = try rows(text) { (name: $0.text(0) ?? "?", count: $0.number(1), run: $0.number(2)) }
        if asJSON {
            let values = found.map { each -> ScriptValue in
                .table([
                    "name": .text(each.name), "entries": .integer(each.count), "run": .integer(each.run),
                ])
            }
            return try json(.array(values))
        }
        if found.isEmpty { return "no operations\n" }
        return found.map { each in
            "\(each.name)  \(each.count) \(each.count == 1 ? "entry" : "entries"), the last one of run \(each.run)\n"
        }.joined()
    }

    /// Everything about the operations with a name, or of a work; nil if there are none.
    public func show(_ name: String, asJSON: Bool) throws(ScriptError) -> String? {
        let text = """
            SELECT coalesce(name, work), work, run, state, begun, ended, recording, parts, result, error, files,
            reason, id FROM entries WHERE name=? OR work=? ORDER BY id
            """
        var found = try rows(text, [.text(name), .text(name)]) { row in
            Operation(
                id: row.number(12),
                shown: row.text(0) ?? "?",
                work: row.text(1) ?? "?",
                run: row.number(2),
                state: Entry.State(rawValue: row.number(3)) ?? .begun,
                begun: row.number(4),
                ended: row.isNull(5) ? nil : row.number(5),
                recording: row.text(6) ?? "?",
                parts: PartTexts.decode(row.bytes(7) ?? []),
                result: row.bytes(8),
                error: row.text(9),
                files: RecordedFile.decode(row.bytes(10) ?? []) ?? [],
                reason: row.text(11)
            )
        }
        if found.isEmpty { return nil }
        try addReasons(to: &found, name)
        if asJSON { return try json(.array(found.map { Self.value($0) })) }
        return found.map { Self.text($0) }.joined(separator: "\n")
    }

    /// Says of operations without an earlier entry of their own how they differ from the one that was most like them.
    private func addReasons(to operations: inout [Operation], _ name: String) throws(ScriptError) {
        var last = LastEntries()
        var earlier: [Int64: LastEntries.Nearest] = [:]
        let all = try rows(
            "SELECT \(LastEntries.Row.columns) FROM entries ORDER BY id",
            [],
            LastEntries.Row.init
        )
        // The entries of one process explain only the decisions of later ones.
        var parts = try reading { database throws(Database.Failure) in try RunRow.all(in: database) }[...]
        var current: [LastEntries.Row] = []
        for entry in all {
            while let next = parts.dropFirst().first, next.begun <= entry.begun {
                parts = parts.dropFirst()
                for entry in current { last.add(entry) }
                current = []
            }
            if entry.name == name || entry.work == name {
                earlier[entry.id] = last.nearest(
                    key: entry.key,
                    place: entry.place,
                    name: entry.name,
                    work: entry.work
                )
            }
            current.append(entry)
        }
        for place in operations.indices where operations[place].reason == nil {
            let operation = operations[place]
            guard let nearest = earlier[operation.id] else {
                operations[place].reason = "nothing was recorded for it"
                continue
            }
            let text = "SELECT \(EarlierEntry.columns) FROM entries WHERE id=?"
            let entry = try rows(text, [.number(nearest.id)]) { EarlierEntry($0, first: 0) }.first
            operations[place].reason = entry?.difference(
                from: operation.parts,
                hasKey: nearest.hasKey,
                inRun: operation.run
            )
        }
    }

    private static func text(_ operation: Operation) -> String {
        var lines = ["'\(operation.shown)' in run \(operation.run): \(operation.state.text)"]
        lines.append("  work       \(operation.work), recording \"\(operation.recording)\"")
        lines.append("  began      \(JournalTime.text(operation.begun))")
        // An answer of the user has no duration.
        if let ended = operation.ended, operation.reason != Entry.reasonOfAnswer {
            let milliseconds = max(0, ended - operation.begun) / 1_000_000
            lines.append("  took       \(milliseconds) ms")
        }
        for part in operation.parts where part.name != "name" {
            lines.append(
                "  \(part.name) \(String(repeating: " ", count: max(0, 10 - part.name.count)))\(part.text)"
            )
        }
        if let reason = operation.reason {
            let isAnswer = reason == Entry.reasonOfAnswer
            lines.append(
                isAnswer ? "  it did not run: --resolve says that it has ended" : "  it ran: \(reason)"
            )
        }
        if let error = operation.error { lines.append("  error      \(error)") }
        if let result = operation.result.flatMap({ ValueBytes.decode($0) }) {
            lines.append("  result     \(result.map { $0.summary(limit: 400) }.joined(separator: ", "))")
        }
        for file in operation.files {
            let text =
                file.role == .doubt ? file.path : "\(file.role.text) \(file.path)  \(file.content.text)"
            lines.append("  \(text)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func value(_ operation: Operation) -> ScriptValue {
        var table: ScriptTable = [
            "name": .text(operation.shown), "work": .text(operation.work), "run": .integer(operation.run),
            "state": .text(operation.state.text), "recording": .text(operation.recording),
            "begun": .number(Double(operation.begun) / 1e9),
        ]
        if let ended = operation.ended { table["ended"] = .number(Double(ended) / 1e9) }
        if let error = operation.error { table["error"] = .text(error) }
        if let reason = operation.reason { table["reason"] = .text(reason) }
        if let result = operation.result.flatMap({ ValueBytes.decode($0) }), result.count == 1,
            (try? result[0].json()) != nil
        {
            table["result"] = result[0]
        }
        for part in operation.parts where part.name != "name" { table[part.name] = .text(part.text) }
        let files = operation.files.map { file -> ScriptValue in
            .table([
                "role": .text(file.role.text), "path": .text(file.path), "digest": .text(file.content.text),
            ])
        }
        if !files.isEmpty { table["files"] = .array(files) }
        return .table(table)
    }

    private func json(_ value: ScriptValue) throws(ScriptError) -> String {
        String(decoding: try value.json(pretty: true), as: UTF8.self) + "\n"
    }

    private func rows<Row>(
        _ text: String,
        _ values: [Database.Value] = [],
        _ read: (Statement) -> Row
    ) throws(ScriptError) -> [Row] {
        try reading { database throws(Database.Failure) in try database.rows(text, values, read) }
    }

    private func reading<Result>(_ body: (Database) throws(Database.Failure) -> Result) throws(ScriptError)
        -> Result
    {
        do throws(Database.Failure) {
            return try body(database)
        } catch {
            throw JournalFile.refusal(error, path)
        }
    }

    // MARK: Checks

    /// Why the journal is not whole; empty if it is.
    public func problems() throws(ScriptError) -> [String] {
        let answers = try rows("PRAGMA integrity_check") { $0.text(0) ?? "" }
        var problems = answers.filter { $0 != "ok" }
        if !problems.isEmpty { return problems }
        _ = try reading { database throws(Database.Failure) in try RunRow.all(in: database) }
        let text = """
            SELECT coalesce(name, work), run, result, resultsum, resultfile, \(EntryFacts.columns) FROM entries
            ORDER BY id
            """
        for case let problem? in try rows(text, [], problem(ofEntry:)) { problems.append(problem) }
        return problems
    }

    /// Why an entry is not whole; nil if it is.
    private func problem(ofEntry row: Statement) -> String? {
        let shown = "'\(row.text(0) ?? "?")'"
        guard EntryFacts.areWhole(row, first: 5) else { return "an entry of \(shown) is damaged" }
        let place = "run \(row.number(1))"
        if row.bytes(2).map({ RowSum.of($0) }) != (row.isNull(3) ? nil : row.number(3)) {
            return "the result of \(shown) in \(place) is damaged"
        }
        guard let name = row.text(4) else { return nil }
        let file = "\(JournalFile.resultFolder(of: path))/\(name)"
        guard let digest = FileReading.content(file, isFolder: false) else {
            return "the result '\(file)' of \(shown) in \(place) is missing"
        }
        return digest.text == name ? nil : "the result '\(file)' of \(shown) in \(place) was altered"
    }
}

extension Journal {
    /// Removes everything that no later run needs: the entries of runs before the last, unless they say what is up to
    /// date or that an effect is not known, and results that no entry names.
    ///
    /// - Returns: How many entries and files were removed.
    public static func clean(_ path: String) throws(ScriptError) -> (entries: Int, files: Int) {
        // A journal that does not exist is not made.
        _ = try JournalReader(path)
        let opened = try JournalFile.open(path, goesAnyway: false)
        defer { JournalFile.unlock(opened.lock) }
        let database = opened.database
        let old = """
            run < (SELECT max(number) FROM runs) AND complete=0 AND NOT (recording='once' AND state IN (0, 3, 4))
            """
        do throws(Database.Failure) {
            let count =
                try database.rows("SELECT count(*) FROM entries WHERE \(old)") { $0.number(0) }.first ?? 0
            try database.execute("DELETE FROM entries WHERE \(old)")
            try database.execute(
                "DELETE FROM runs WHERE number < (SELECT max(number) FROM runs) "
                    + "AND number NOT IN (SELECT run FROM entries) "
                    // The names of --again hold until a run has ended well.
                    + "AND id < (SELECT coalesce(max(id), 0) FROM runs WHERE good=1)"
            )
            let used = try database.rows("SELECT resultfile FROM entries WHERE resultfile IS NOT NULL") {
                $0.text(0) ?? ""
            }
            try database.execute("VACUUM")
            return (Int(count), removeResults(path, except: Set(used)))
        } catch {
            throw JournalFile.refusal(error, path)
        }
    }

    private static func removeResults(_ path: String, except used: Set<String>) -> Int {
        let folder = JournalFile.resultFolder(of: path)
        guard let stream = opendir(folder) else { return 0 }
        defer { closedir(stream) }
        var count = 0
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !name.hasPrefix("."), !used.contains(name) else { continue }
            if unlink("\(folder)/\(name)") == 0 { count += 1 }
        }
        return count
    }
}
#endif
