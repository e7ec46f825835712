#if Journal
internal import OpScript

/// The checksum of what a row says, by which damage of the file is noticed where SQLite has no means to notice it.
struct RowSum {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(256) }

    mutating func add(_ number: Int64?) {
        bytes.append(number == nil ? 0 : 1)
        withUnsafeBytes(of: (number ?? 0).littleEndian) { bytes += $0 }
    }

    mutating func add(_ content: [UInt8]?) {
        add(content.map { Int64($0.count) })
        if let content { bytes += content }
    }

    mutating func add(_ text: String?) { add(text.map { Array($0.utf8) }) }

    var value: Int64 { Self.of(bytes) }

    /// The checksum of bytes alone.
    static func of(_ bytes: [UInt8]) -> Int64 {
        bytes.withUnsafeBytes { Digest256(of: $0) }.firstWord
    }
}

/// The columns of an entry on which a run that continues, or an operation that is up to date, relies.
struct EntryFacts {
    var id: Int64
    var key: [UInt8]
    var kind: [UInt8]
    var number: Int64
    var run: Int64
    var recording: String
    var state: Int64
    var begun: Int64
    var resultSum: Int64?
    var resultFile: String?
    var files: [UInt8]?
    var isComplete: Bool

    /// The columns from which ``init(_:first:)`` reads.
    static let columns =
        "id, key, kind, number, run, recording, state, begun, resultsum, resultfile, files, complete, checksum"
    static let columnCount: Int32 = 13

    /// - Parameter first: The place of the first one of the columns.
    /// - Returns: nil if the row does not fit its checksum.
    init?(_ row: Statement, first: Int32 = 0) {
        id = row.number(first)
        key = row.bytes(first + 1) ?? []
        kind = row.bytes(first + 2) ?? []
        number = row.number(first + 3)
        run = row.number(first + 4)
        recording = row.text(first + 5) ?? ""
        state = row.number(first + 6)
        begun = row.number(first + 7)
        resultSum = row.isNull(first + 8) ? nil : row.number(first + 8)
        resultFile = row.text(first + 9)
        files = row.bytes(first + 10)
        isComplete = row.number(first + 11) == 1
        guard sum == row.number(first + 12) else { return nil }
    }

    init(_ row: EntryRow) {
        id = row.id
        key = row.key
        kind = row.kind
        number = row.number
        run = row.run
        recording = row.recording
        state = row.state
        begun = row.begun
        resultSum = row.result.map { RowSum.of($0) }
        resultFile = row.resultFile
        files = row.files
        isComplete = row.isComplete
    }

    var sum: Int64 {
        var sum = RowSum()
        sum.add(id)
        sum.add(key)
        sum.add(kind)
        sum.add(number)
        sum.add(run)
        sum.add(recording)
        sum.add(state)
        sum.add(begun)
        sum.add(resultSum)
        sum.add(resultFile)
        sum.add(files)
        sum.add(isComplete ? 1 : 0)
        return sum.value
    }
}
#endif
