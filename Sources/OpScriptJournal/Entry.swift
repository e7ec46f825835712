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
    let tag: [UInt8]
    let run: Int64
    let state: State
    let isOnce: Bool
    /// Whether it can be up to date in any run.
    let isComplete: Bool
    let begun: Int64
    /// Its result, if that is short.
    let result: [UInt8]?
    /// Whether an operation of this run has asked for it.
    var isClaimed = false
    /// The next entry with the same key; -1 for none.
    var next: Int = -1

    /// Whether it is an effect that has begun, and is not known to have ended.
    var isUnknown: Bool { isOnce && (state == .begun || state == .interrupted || state == .withoutResult) }
}

/// A row that is to be written.
struct EntryRow: Sendable {
    var id: Int64
    var key: [UInt8]
    var tag: [UInt8]
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

    init(_ operation: JournaledOperation, id: Int64, run: Int64, begun: Int64, reason: String?) {
        self.id = id
        self.run = run
        self.begun = begun
        self.reason = reason
        key = operation.key
        tag = operation.tag
        work = operation.work
        name = operation.name
        parts = PartTexts.encode(operation.parts)
        recording = operation.recording.rawValue
        state = Entry.State.begun.rawValue
        isComplete = operation.files?.areComplete ?? false
    }

    func write(to database: Database) throws(Database.Failure) {
        try database.run(
            "INSERT OR REPLACE INTO entries VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            [
                .number(id), .bytes(key), .bytes(tag), .number(run), .text(work), .init(name), .bytes(parts),
                .text(recording), .number(state), .number(begun), ended.map { .number($0) } ?? .null,
                .init(result),
                .init(resultFile), .init(error), .init(files), .number(isComplete ? 1 : 0), .init(reason),
            ]
        )
        guard isComplete, state == Entry.State.succeeded.rawValue else { return }
        try database.run(
            "DELETE FROM entries WHERE key=? AND tag=? AND id<?",
            [.bytes(key), .bytes(tag), .number(id)]
        )
    }
}

/// The parts of a key as texts, in bytes.
enum PartTexts {
    static func encode(_ parts: [(name: String, text: String)]) -> [UInt8] {
        ValueBytes.encode(parts.map { .array([.text($0.name), .text($0.text)]) }) ?? []
    }

    static func decode(_ bytes: [UInt8]) -> [(name: String, text: String)] {
        (ValueBytes.decode(bytes) ?? []).compactMap { value in
            guard case .array(let pair) = value, pair.count == 2, case .string(let name) = pair[0],
                case .string(let text) = pair[1]
            else { return nil }
            return (String(decoding: name, as: UTF8.self), String(decoding: text, as: UTF8.self))
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

    static func encode(_ files: [RecordedFile]) -> [UInt8] {
        let values = files.map { file -> ScriptValue in
            .array([.integer(file.role.rawValue), .text(file.path), .string(file.content.bytes)])
        }
        return ValueBytes.encode(values) ?? []
    }

    /// nil if the bytes are not such a list.
    static func decode(_ bytes: [UInt8]) -> [RecordedFile]? {
        guard let values = ValueBytes.decode(bytes) else { return nil }
        var files: [RecordedFile] = []
        for value in values {
            guard case .array(let parts) = value, parts.count == 3, case .integer(let number) = parts[0],
                let role = Role(rawValue: number), case .string(let path) = parts[1],
                case .string(let digest) = parts[2]
            else { return nil }
            let content = FileContent(bytes: digest)
            files.append(
                RecordedFile(role: role, path: String(decoding: path, as: UTF8.self), content: content)
            )
        }
        return files
    }
}
#endif
