internal import Synchronization

/// Where a worker stands in the part of a stretch that it was given.
///
/// The worker takes one after the other with one exchange of a word; whoever holds the scheduler's lock may take back those that it has not
/// come to.
struct StretchCursor: ~Copyable {
    /// The next place in the upper half, the end in the lower.
    private let word = Atomic<UInt64>(0)

    /// Begins with the first of a range, which is not empty. Only by the worker, under the lock.
    func begin(_ range: Range<Int>) {
        word.store(Self.packed(range.lowerBound + 1, range.upperBound), ordering: .releasing)
    }

    /// Where the worker goes next; a look from any thread.
    var next: Int { Int(word.load(ordering: .relaxed) >> 32) }

    /// Where the worker is, in one order with its steps and with what it looks at after each. Under the lock.
    func current() -> Int {
        Int(word.bitwiseOr(0, ordering: .sequentiallyConsistent).oldValue >> 32) - 1
    }

    /// Whether there is a next place.
    var hasMore: Bool {
        let (next, end) = Self.unpacked(word.load(ordering: .relaxed))
        return next < end
    }

    /// Goes to the next place; nil where there is none. Only by the worker.
    ///
    /// From then on nobody asks for the one before.
    @inline(__always)
    func advance() -> Int? {
        var found = word.load(ordering: .relaxed)
        while true {
            let (next, end) = Self.unpacked(found)
            guard next < end else { return nil }
            let (isDone, now) = word.compareExchange(
                expected: found,
                desired: found + 1 << 32,
                ordering: .sequentiallyConsistent
            )
            if isDone { return next }
            found = now
        }
    }

    /// Takes back those that the worker has not come to, from a place on that is chosen by how many there are. Under the lock.
    ///
    /// - Parameter keeping: How many of so many stay with the worker.
    /// - Returns: The places taken, which may be none; they begin behind the one where the worker is, if it keeps none.
    func takeBack(keeping: (Int) -> Int) -> Range<Int> {
        var found = word.load(ordering: .relaxed)
        while true {
            let (next, end) = Self.unpacked(found)
            let newEnd = next + keeping(end - next)
            // Exchanged even if nothing changes, so that what the worker did before its last step is seen.
            let (isDone, now) = word.compareExchange(
                expected: found,
                desired: Self.packed(next, newEnd),
                ordering: .acquiringAndReleasing
            )
            if isDone { return newEnd..<end }
            found = now
        }
    }

    private static func packed(_ next: Int, _ end: Int) -> UInt64 { UInt64(next) << 32 | UInt64(end) }

    @inline(__always)
    private static func unpacked(_ word: UInt64) -> (next: Int, end: Int) {
        (Int(word >> 32), Int(word & 0xffff_ffff))
    }
}
