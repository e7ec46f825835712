/// Output that waits for the editor of a line, which writes it above that line, row by row.
///
/// Pure but for the clock: a row without an end is held back for a moment, since the rest of it mostly follows.
struct OutputAboveLine {
    /// How long that is.
    private static let patience = Duration.milliseconds(100)

    private var bytes: [UInt8] = []
    private var since: ContinuousClock.Instant?

    /// Adds what was written.
    mutating func add(_ more: [UInt8]) {
        bytes += more
        if since == nil { since = .now }
    }

    /// The rows that are due by now; the last one gets an end if it has none.
    mutating func take(at now: ContinuousClock.Instant = .now) -> [UInt8] {
        guard let since else { return [] }
        if bytes.last == 10 || now - since >= Self.patience {
            let all = takeAll()
            return all.last == 10 ? all : all + [10]
        }
        guard let end = bytes.lastIndex(of: 10) else { return [] }
        defer {
            bytes.removeFirst(end + 1)
            self.since = now
        }
        return Array(bytes[...end])
    }

    /// Everything, as it was written.
    mutating func takeAll() -> [UInt8] {
        defer { (bytes, since) = ([], nil) }
        return bytes
    }
}
