internal import Synchronization

/// The trace of a run, kept to be compared with that of another one. From any thread.
package final class KeptTrace: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    /// An empty trace.
    package init() {}

    /// Appends whole lines, with their newlines.
    package func append(_ lines: [UInt8]) { bytes.withLock { $0 += lines } }

    private var lines: [ArraySlice<UInt8>] {
        bytes.withLock { $0 }.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
    }

    /// The difference between the second run of a script and the first one; nil if there is none.
    package static func difference(_ first: KeptTrace, _ second: KeptTrace) -> String? {
        let (before, after) = (first.lines, second.lines)
        for place in 0..<max(before.count, after.count) {
            let old = place < before.count ? before[place] : nil
            let new = place < after.count ? after[place] : nil
            guard old != new else { continue }
            let what = "the second run differs from the first, from line \(place + 1) of the trace on:"
            return what + "\n    first:  \(text(old))\n    second: \(text(new))"
        }
        return nil
    }

    private static func text(_ line: ArraySlice<UInt8>?) -> String {
        line.map { String(decoding: $0, as: UTF8.self) } ?? "(its end)"
    }

    /// How many lines there are.
    package var count: Int { lines.count }
}
