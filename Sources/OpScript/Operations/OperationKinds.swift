/// How long operations of each kind take, and how many of them have not ended: what an estimate of the rest needs.
///
/// A kind is a work, or the line of the script that makes the operations. There is room for 256 kinds; what is more
/// shares a kind, and its mean, with another one.
struct OperationKinds {
    private struct Kind {
        var unfinished = 0
        var ended = 0
        /// Nanoseconds that those which have ended took in all.
        var total: Int64 = 0
    }

    private static let count = 256

    /// Empty if the status is not tracked.
    private var kinds: [Kind]

    init(isTracked: Bool) { kinds = Array(repeating: Kind(), count: isTracked ? Self.count : 0) }

    /// An operation was added.
    @inline(__always)
    mutating func noteAddition(_ view: OperationPointer) {
        guard !kinds.isEmpty else { return }
        kinds[Self.place(of: view)].unfinished += 1
    }

    /// An operation that was added has ended.
    ///
    /// - Parameter duration: Nanoseconds that it took; nil if it did not run to its end.
    @inline(__always)
    mutating func noteEnd(_ view: OperationPointer, took duration: @autoclosure () -> Int64?) {
        guard !kinds.isEmpty else { return }
        let place = Self.place(of: view)
        // An operation that was started by hand was never added.
        kinds[place].unfinished = max(0, kinds[place].unfinished - 1)
        guard let duration = duration() else { return }
        kinds[place].ended += 1
        kinds[place].total += max(0, duration)
    }

    /// Nanoseconds that all operations took which have ended.
    var done: Int64 { kinds.reduce(0) { $0 + $1.total } }

    /// Nanoseconds that those which have not ended will take, by the means of their kinds; nil if one of these is not
    /// known.
    var rest: Int64? {
        guard !kinds.isEmpty else { return nil }
        var sum = 0.0
        for kind in kinds where kind.unfinished > 0 {
            guard kind.ended > 0 else { return nil }
            sum += Double(kind.unfinished) * Double(kind.total) / Double(kind.ended)
        }
        return sum < 9e18 ? Int64(sum) : nil
    }

    /// Nanoseconds that an operation takes, by the mean of its kind; nil if that is not known.
    func mean(of view: OperationPointer) -> Int64? {
        guard !kinds.isEmpty else { return nil }
        let kind = kinds[Self.place(of: view)]
        return kind.ended > 0 ? kind.total / Int64(kind.ended) : nil
    }

    @inline(__always)
    private static func place(of view: OperationPointer) -> Int {
        let work = view.pointee.work
        if work >= 0 { return Int(work) & (count - 1) }
        // Neighbouring lines lie apart from each other and from the first works.
        return (Int(view.pointee.line) &* 5 &+ Int(view.pointee.source) &* 83 &+ 128) & (count - 1)
    }
}
