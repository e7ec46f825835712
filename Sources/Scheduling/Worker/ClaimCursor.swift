internal import Synchronization

/// The place of a worker in its claim.
///
/// The worker advances to the next operation with one exchange of a word. The holder of the scheduler's lock
/// may take back the operations that the worker has not reached.
struct ClaimCursor: ~Copyable {
    /// The next place in the upper half, the end in the lower.
    private let word = Atomic<UInt64>(0)

    /// The worker begins with the first of `count` operations. Only by the worker, under the lock.
    func begin(_ count: Int) { word.store(Self.packed(1, count), ordering: .releasing) }

    /// The worker's next place. From any thread.
    var next: Int { Int(word.load(ordering: .relaxed) >> 32) }

    /// The worker's place. Under the lock.
    ///
    /// Sequentially consistent with the worker's steps and with the worker's reads after each step.
    var current: Int { Int(word.bitwiseOr(0, ordering: .sequentiallyConsistent).oldValue >> 32) - 1 }

    /// Advances to the next place; nil if there is none. Only by the worker.
    ///
    /// The operation before has ended, and its writes are visible to any thread that sees the step.
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

    /// Takes back the operations that the worker has not reached; returns their places. Under the lock.
    func takeBack() -> Range<Int> {
        var found = word.load(ordering: .relaxed)
        while true {
            let (next, end) = Self.unpacked(found)
            // The exchange happens even if it changes nothing: it makes everything visible that the worker
            // did before its last step.
            let (isDone, now) = word.compareExchange(
                expected: found,
                desired: Self.packed(next, next),
                ordering: .acquiringAndReleasing
            )
            if isDone { return next..<end }
            found = now
        }
    }

    private static func packed(_ next: Int, _ end: Int) -> UInt64 { UInt64(next) << 32 | UInt64(end) }

    @inline(__always)
    private static func unpacked(_ word: UInt64) -> (next: Int, end: Int) {
        (Int(word >> 32), Int(word & 0xffff_ffff))
    }
}
