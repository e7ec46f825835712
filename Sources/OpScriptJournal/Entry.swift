#if Journal
internal import OpScript

/// One operation in a journal, as far as a run keeps it in memory.
struct Entry {
    /// How its body ended.
    enum State: Int64 {
        case begun, succeeded, failed, interrupted
        /// It succeeded, but its result is not written.
        case withoutResult

        var text: String {
            switch self {
            case .begun: "under way"
            case .succeeded: "succeeded"
            case .failed: "failed"
            case .interrupted: "interrupted"
            case .withoutResult: "succeeded, without its result"
            }
        }
    }

    let id: Int64
    let key: Digest256
    let kind: Digest256
    /// Its number among the operations of its kind.
    let number: Int64
    let run: Int64
    let state: State
    let isOnce: Bool
    /// Whether it can be up to date in any run.
    let isComplete: Bool
    let begun: Int64
    /// Its result, if that is short.
    let result: [UInt8]?
    /// The checksum of its result, if that is not in a file.
    let resultSum: Int64?
    /// Its files, if it is complete.
    let files: [UInt8]?
    /// Whether the user has said that the effect has ended.
    let isAnswered: Bool
    /// Whether an operation of this run has got it.
    var isClaimed = false
    /// The next older entry with the same key; -1 for none.
    var olderWithKey = -1

    private static let once = Array(RecordingMode.once.rawValue.utf8)

    /// The columns of a row from which ``init(_:)`` reads.
    static let columns =
        EntryFacts.columns
        + ", CASE WHEN length(result) <= 512 THEN result END, coalesce(reason='\(reasonOfAnswer)', 0)"
    static let columnCount = EntryFacts.columnCount + 2

    /// Reads a row; nil if it is damaged.
    init?(_ row: Statement) {
        guard EntryFacts.areWhole(row), let key = row.digest(1), let kind = row.digest(2),
            let state = State(rawValue: row.number(6))
        else { return nil }
        id = row.number(0)
        self.key = key
        self.kind = kind
        number = row.number(3)
        run = row.number(4)
        self.state = state
        isOnce = row.withBytes(5) { $0.elementsEqual(Self.once) }
        begun = row.number(7)
        resultSum = row.isNull(8) ? nil : row.number(8)
        files = row.bytes(10)
        isComplete = row.number(11) == 1
        result = row.bytes(EntryFacts.columnCount)
        isAnswered = row.number(EntryFacts.columnCount + 1) == 1
    }

    /// The reason of an entry that the user has answered with `done`.
    static let reasonOfAnswer = "--resolve"
    /// The error of an effect that the user has answered with `again`.
    static let answerAgain = "--resolve says that it runs again"

    /// Whether it is an effect that has begun, and is not known to have ended.
    var isUnknown: Bool { isOnce && (state == .begun || state == .interrupted || state == .withoutResult) }

    /// Whether an operation of a run may get it.
    func mayServe(run: Int64) -> Bool {
        if isComplete, !isOnce { return state != .failed }
        return isUnknown || (self.run == run && state == .succeeded)
    }
}

/// A row that is to be written.
struct EntryRow: Sendable {
    var id: Int64
    var key: [UInt8]
    var kind: [UInt8]
    var number: Int64
    var run: Int64
    var work: String
    var name: String?
    var parts: [UInt8]
    var recording: String
    var state: Int64
    var begun: Int64
    var ended: Int64?
    var result: [UInt8]?
    var resultFile: String?
    var error: String?
    var files: [UInt8]?
    var isComplete: Bool
    var reason: String?
    /// The entries that it replaces.
    var replaced: [Int64] = []

    init(_ operation: JournaledOperation, id: Int64, run: Int64, begun: Int64, reason: String?) {
        self.id = id
        self.run = run
        self.begun = begun
        self.reason = reason
        key = operation.key
        kind = operation.kind
        number = operation.number
        work = operation.work
        name = operation.name
        parts = PartTexts.encode(operation.parts)
        recording = operation.recording.rawValue
        state = Entry.State.begun.rawValue
        isComplete = operation.canBeUpToDate
    }

    /// The user says that the effect has ended, with this result.
    mutating func settle(_ result: ScriptValue) {
        state = Entry.State.succeeded.rawValue
        ended = FileReading.now
        self.result = ValueBytes.encode([result])
        error = nil
        reason = Entry.reasonOfAnswer
    }

    /// The user says that the effect runs again, as after a failure.
    mutating func reopen() {
        state = Entry.State.failed.rawValue
        (result, resultFile) = (nil, nil)
        error = Entry.answerAgain
    }

    /// Reads a row with all columns.
    init(_ row: Statement) {
        id = row.number(0)
        key = row.bytes(1) ?? []
        kind = row.bytes(2) ?? []
        number = row.number(3)
        run = row.number(4)
        work = row.text(5) ?? ""
        name = row.text(6)
        parts = row.bytes(7) ?? []
        recording = row.text(8) ?? ""
        state = row.number(9)
        begun = row.number(10)
        ended = row.isNull(11) ? nil : row.number(11)
        result = row.bytes(12)
        resultFile = row.text(14)
        error = row.text(15)
        files = row.bytes(16)
        isComplete = row.number(17) == 1
        reason = row.text(18)
    }

    static let insertion = "INSERT OR REPLACE INTO entries VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
    static let removal = "DELETE FROM entries WHERE id=?"

    /// - Parameter insertion: The statement with that text.
    func write(with insertion: Statement, to database: Database) throws(Database.Failure) {
        let resultSum = result.map { RowSum.of($0) }
        insertion.bind(1, id)
        insertion.bind(2, key)
        insertion.bind(3, kind)
        insertion.bind(4, number)
        insertion.bind(5, run)
        insertion.bind(6, work)
        insertion.bind(7, name)
        insertion.bind(8, parts)
        insertion.bind(9, recording)
        insertion.bind(10, state)
        insertion.bind(11, begun)
        insertion.bind(12, ended)
        insertion.bind(13, result)
        insertion.bind(14, resultSum)
        insertion.bind(15, resultFile)
        insertion.bind(16, error)
        insertion.bind(17, files)
        insertion.bind(18, isComplete ? 1 : 0)
        insertion.bind(19, reason)
        insertion.bind(20, EntryFacts.sum(of: self, resultSum: resultSum))
        try insertion.perform()
        for id in replaced where id != self.id { try database.run(Self.removal, [.number(id)]) }
    }
}

/// The parts of a key that explanations show, in bytes.
enum PartTexts {
    static func encode(_ parts: [JournaledOperation.Part]) -> [UInt8] {
        let values = parts.map { part -> ScriptValue in
            switch part.content {
            case .text(let text): .array([.text(part.name), .text(text)])
            case .values(let bytes): .array([.text(part.name), .data(ScriptData(bytes))])
            }
        }
        return ValueBytes.encode(values) ?? []
    }

    static func decode(_ bytes: [UInt8]) -> [JournaledOperation.Part] {
        (ValueBytes.decode(bytes) ?? []).compactMap { value in
            guard case .array(let pair) = value, pair.count == 2, case .string(let name) = pair[0] else {
                return nil
            }
            let shown = String(decoding: name, as: UTF8.self)
            switch pair[1] {
            case .string(let text): return .init(shown, .text(String(decoding: text, as: UTF8.self)))
            case .data(let data): return .init(shown, .values(data.bytes))
            default: return nil
            }
        }
    }
}

/// A file of a recorded operation, with its content at that time.
struct RecordedFile: Sendable {
    enum Role: Int64 {
        case input, output, dependency, depfile
        /// Not a file: the reason why the operation has to run again.
        case doubt

        var text: String {
            switch self {
            case .input: "input"
            case .output: "output"
            case .dependency: "dependency"
            case .depfile: "dependency file"
            case .doubt: ""
            }
        }
    }

    var role: Role
    var path: String
    var content: FileContent

    /// Each file is its role, 0 or 1 and a digest, the length of its path and the path.
    static func encode(_ files: [RecordedFile]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(files.count * 64)
        for file in files {
            bytes.append(UInt8(file.role.rawValue))
            let digest = file.content.bytes
            bytes.append(digest.isEmpty ? 0 : 1)
            bytes += digest
            let path = file.path.utf8
            withUnsafeBytes(of: UInt32(path.count).littleEndian) { bytes += $0 }
            bytes += path
        }
        return bytes
    }

    /// nil if the bytes are not such a list.
    static func decode(_ bytes: [UInt8]) -> [RecordedFile]? {
        bytes.withUnsafeBytes { buffer in
            var files: [RecordedFile] = []
            var place = 0
            while place < buffer.count {
                guard buffer.count - place >= 2, let role = Role(rawValue: Int64(buffer[place])) else {
                    return nil
                }
                var content = FileContent.missing
                let hasDigest = buffer[place + 1] == 1
                place += 2
                if hasDigest {
                    guard buffer.count - place >= 32 else { return nil }
                    content = .digest(Digest256(UnsafeRawBufferPointer(rebasing: buffer[place..<place + 32])))
                    place += 32
                }
                guard buffer.count - place >= 4 else { return nil }
                let length = buffer.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                let count = Int(UInt32(littleEndian: length))
                place += 4
                guard count <= buffer.count - place else { return nil }
                let path = String(decoding: buffer[place..<place + count], as: UTF8.self)
                files.append(RecordedFile(role: role, path: path, content: content))
                place += count
            }
            return files
        }
    }
}
#endif
