public import OpScriptRecord

/// How long operations took in an earlier run: what ``ScriptEngine/Configuration/durations`` needs.
///
/// An operation is recognised by its name together with its work; one without a work, by its name together with the
/// place that made it. Where several operations agree in both, the mean of those that succeeded counts. An operation
/// whose name is new takes the mean of its work.
public struct OperationDurations: Sendable {
    private struct Key: Hashable {
        var name: String
        /// A work, or a place.
        var origin: String
    }

    private struct Mean {
        private var count = 0.0
        private var total = 0.0

        mutating func add(_ nanoseconds: Int64) {
            count += 1
            total += Double(nanoseconds)
        }

        var nanoseconds: Int64 { Int64(total / count) }
    }

    private var operations: [Key: Mean] = [:]
    private var works: [String: Mean] = [:]

    /// Makes an empty collection: no duration is known.
    public init() {}

    /// Takes the durations of the operations of a record that succeeded; of several attempts, the last one counts.
    ///
    /// The complexity is O(*n*) in the number of operations.
    public init(_ record: RunRecord) {
        for operation in record.operations where operation.outcome == .succeeded {
            guard let started = operation.started, let ended = operation.ended else { continue }
            add(operation.name, operation.work, operation.place, ended - started)
        }
    }

    /// Reads the record of a run from JSON lines, the format of `--report FILE.jsonl`.
    ///
    /// Keys and types of lines that are not known are skipped.
    ///
    /// - Throws: ``ScriptError`` with code `failed`, which names the line that is not JSON, or says that no line
    ///   describes a run.
    public init(jsonLines text: [UInt8]) throws(ScriptError) {
        var isRecord = false
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() where !line.isEmpty {
            guard let value = try? ScriptValue(json: Array(line)), case .table(let fields) = value else {
                throw ScriptError(.failed, "line \(number + 1) of the record is not an object of JSON")
            }
            if fields["type"] == .text("run") { isRecord = true }
            if fields["type"] == .text("operation") { add(fields) }
        }
        guard isRecord else {
            throw ScriptError(
                .failed,
                "no line of the record describes a run; --report FILE.jsonl writes one"
            )
        }
    }

    /// Whether no duration is known.
    public var isEmpty: Bool { operations.isEmpty }

    private mutating func add(_ fields: ScriptTable) {
        guard fields["outcome"] == .text("succeeded"), let name = fields["name"]?.text,
            case .integer(let started) = fields["started"], case .integer(let ended) = fields["ended"]
        else { return }
        let (duration, isWrong) = ended.subtractingReportingOverflow(started)
        if !isWrong { add(name, fields["work"]?.text, fields["place"]?.text ?? "", duration) }
    }

    private mutating func add(_ name: String, _ work: String?, _ place: String, _ nanoseconds: Int64) {
        guard nanoseconds >= 0 else { return }
        operations[Key(name: name, origin: work ?? place), default: Mean()].add(nanoseconds)
        if let work { works[work, default: Mean()].add(nanoseconds) }
    }

    /// Nanoseconds that an operation is expected to take; nil if nothing is known about it.
    func nanoseconds(name: String, work: String?, place: @autoclosure () -> String) -> Int64? {
        if let mean = operations[Key(name: name, origin: work ?? place())] { return mean.nanoseconds }
        return work.flatMap { works[$0]?.nanoseconds }
    }
}

extension ScriptValue {
    fileprivate var text: String? {
        if case .string(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
}
