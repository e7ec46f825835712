/// Operations that have ended, for a live timeline: of each interval the longest, and of the past fewer and fewer.
///
/// A short operation among thousands is narrower than a pixel; the longest are what a timeline shows.
struct LiveSpans {
    /// An operation that has run.
    struct Span {
        var number: UInt32
        var runner: UInt16
        var outcome: RecordedOutcome
        var queue: UInt32
        /// Nanoseconds since the beginning of the run.
        var start: Int64
        var length: Int64
        var name: String
        /// The name of its work, if it has one.
        var work: String?
        fileprivate(set) var sequence = 0
    }

    /// The most of one interval, and the most in all.
    static let mostOfInterval = 200
    static let most = 16_384

    private var current: [Span] = []
    /// An operation of this interval must be longer than this; -1 as long as there is room.
    private var threshold: Int64 = -1
    private var kept: [Span] = []
    /// The number of the newest one that was kept.
    private(set) var newest = 0

    /// Whether an operation of a length is among the longest of the interval so far.
    @inline(__always)
    func takes(_ length: Int64) -> Bool { length > threshold }

    mutating func add(_ span: Span) {
        current.append(span)
        if current.count == 2 * Self.mostOfInterval { select() }
    }

    private mutating func select() {
        current.sort { ($1.length, $0.number) < ($0.length, $1.number) }
        current.removeLast(current.count - Self.mostOfInterval)
        threshold = current.last?.length ?? -1
    }

    /// The interval is over: keeps its longest operations.
    mutating func close() {
        guard !current.isEmpty else { return }
        if current.count > Self.mostOfInterval { select() }
        current.sort { ($0.start, $0.number) < ($1.start, $1.number) }
        for var span in current {
            newest += 1
            span.sequence = newest
            kept.append(span)
        }
        current.removeAll(keepingCapacity: true)
        threshold = -1
        if kept.count > Self.most { thin() }
    }

    /// Keeps the longer half of the older half.
    private mutating func thin() {
        let older = kept[..<(kept.count / 2)].sorted { ($1.length, $0.sequence) < ($0.length, $1.sequence) }
        let longer = older.prefix(older.count / 2).sorted { $0.sequence < $1.sequence }
        kept.replaceSubrange(..<(kept.count / 2), with: longer)
    }

    /// Those that were kept after a number, in the order of their numbers.
    func since(_ sequence: Int) -> ArraySlice<Span> {
        if sequence >= newest { return [] }
        var (low, high) = (0, kept.count)
        while low < high {
            let middle = (low + high) / 2
            if kept[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
        }
        return kept[low...]
    }
}
