#if Journal
import Glibc

@testable import OpScript
@testable import OpScriptJournal

/// A journal in a folder of its own.
final class JournalGround {
    let folder: String

    init() {
        var template = Array("/tmp/opscript-journal-XXXXXX".utf8CString)
        folder = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
    }

    deinit { _ = system("rm -rf '\(folder)'") }

    var path: String { "\(folder)/journal" }

    func open(_ options: Journal.Options = Journal.Options(resumes: true)) throws -> Journal {
        let journal = try Journal(path, options)
        try journal.begin("job.lua")
        return journal
    }

    func write(_ text: String, to name: String) -> String {
        let path = "\(folder)/\(name)"
        _ = FileReading.write(Array(text.utf8), to: path, isSynced: false)
        return path
    }

    /// Reads the file of the journal, which nothing uses, and puts other bytes in its place.
    var bytes: [UInt8] {
        get { FileReading.bytes(path) ?? [] }
        set {
            unlink("\(path)-wal")
            unlink("\(path)-shm")
            _ = FileReading.write(newValue, to: path, isSynced: false)
        }
    }
}

/// An operation of the work `test`.
///
/// - Parameter kind: Another name for operations whose kind has several keys; nil for the usual ones.
func operation(
    _ name: String,
    _ arguments: [ScriptValue] = [],
    number: Int = 1,
    kind: String? = nil,
    _ recording: RecordingMode = .result,
    files: DeclaredFiles? = nil
) -> JournaledOperation {
    let key = Array(name.utf8) + (ValueBytes.encode(arguments) ?? [])
    func digest(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { Digest256(of: $0) }.bytes }
    return JournaledOperation(
        work: "test",
        name: name,
        key: digest(key),
        kind: digest(kind.map { Array("kind \($0)".utf8) } ?? key),
        number: Int64(number),
        kindHasOneKey: kind == nil,
        parts: [.init("arguments", .text(ScriptValue.array(arguments).summary()))],
        recording: recording,
        files: files,
        firstEntry: 0,
        obstacle: nil,
        onlyReads: false
    )
}

/// Runs an operation as an engine would; the recorded result, or nil if it ran.
func perform(
    _ journal: Journal,
    _ operation: JournaledOperation,
    _ result: ScriptValue = .integer(1)
) throws -> ScriptValue? {
    switch try journal.decide(operation) {
    case .reuse(let values, _): return values.first
    case .run(let entry):
        try journal.ended(operation, entry, .succeeded([result]))
        return nil
    case .explain: return nil
    }
}
#endif
