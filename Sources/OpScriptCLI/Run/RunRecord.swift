internal import Synchronization

/// The trace of a run, kept to be compared with that of another one. From any thread.
final class RunRecord: Sendable {
    private let lines = Mutex<[String]>([])

    func append(_ line: String) { lines.withLock { $0.append(line) } }

    /// How the second run of a script differs from the first one; nil where it does not.
    static func difference(_ first: RunRecord, _ second: RunRecord) -> String? {
        let before = first.lines.withLock { $0 }
        let after = second.lines.withLock { $0 }
        for place in 0..<max(before.count, after.count) {
            let old = place < before.count ? before[place] : nil
            let new = place < after.count ? after[place] : nil
            guard old != new else { continue }
            let what = "the second run differs from the first, from line \(place + 1) of the trace on:"
            return what + "\n    first:  \(old ?? "(its end)")\n    second: \(new ?? "(its end)")"
        }
        return nil
    }

    /// How many lines there are.
    var count: Int { lines.withLock { $0.count } }
}
