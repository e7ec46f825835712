#if Journal
/// The checksum of what a row says, by which damage of the file is noticed where SQLite has no means to notice it.
struct RowSum {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(512) }

    mutating func add(_ number: Int64?) {
        bytes.append(number == nil ? 0 : 1)
        withUnsafeBytes(of: (number ?? 0).littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func add(_ content: UnsafeRawBufferPointer) {
        add(Int64(content.count))
        bytes.append(contentsOf: content)
    }

    mutating func add(_ content: [UInt8]?) { (content ?? []).withUnsafeBytes { add($0) } }

    mutating func add(_ text: String?) {
        var text = text ?? ""
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    var value: Int64 { Self.of(bytes) }

    /// The checksum of bytes alone.
    static func of(_ bytes: [UInt8]) -> Int64 {
        bytes.withUnsafeBytes { Digest256(of: $0) }.firstWord
    }
}

/// The columns of an entry on which a run that continues, or an operation that is up to date, relies.
enum EntryFacts {
    static let columns =
        "id, key, kind, number, run, recording, state, begun, resultsum, resultfile, files, complete, checksum"
    static let columnCount: Int32 = 13

    /// Whether a row fits its checksum.
    ///
    /// - Parameter first: The place of the first one of the columns.
    static func areWhole(_ row: Statement, first: Int32 = 0) -> Bool {
        var sum = RowSum()
        for place in first..<first + columnCount - 1 {
            switch place - first {
            case 1, 2, 5, 9, 10: row.withBytes(place) { sum.add($0) }
            default: sum.add(row.isNull(place) ? nil : row.number(place))
            }
        }
        return sum.value == row.number(first + columnCount - 1)
    }

    /// The checksum of a row that is to be written.
    static func sum(of row: EntryRow, resultSum: Int64?) -> Int64 {
        var sum = RowSum()
        sum.add(row.id)
        sum.add(row.key)
        sum.add(row.kind)
        sum.add(row.number)
        sum.add(row.run)
        sum.add(row.recording)
        sum.add(row.state)
        sum.add(row.begun)
        sum.add(resultSum)
        sum.add(row.resultFile)
        sum.add(row.files)
        sum.add(row.isComplete ? 1 : 0)
        return sum.value
    }
}
#endif
