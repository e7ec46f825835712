/// How a worker that has nothing to run looks for work before it sleeps.
///
/// What others have done under the lock is signalled to it, and it sees that at any time. What was added without the lock it has to look
/// at, which costs the one who adds a line of the cache each time.
struct WorkerSearch {
    /// So long it looks, so that a stream of short bodies needs no wakes.
    private static let length: Int64 = 40_000
    /// So long a restrained one leaves the reader's additions alone.
    private static let restraint: Int64 = 30_000

    /// Whether the reader adds much, and is not to be disturbed: it will see no end before its next rest, which signals what is there.
    var isRestrained = false

    /// Whether it looks at what the reader added.
    ///
    /// - Parameter elapsed: Nanoseconds since the search began.
    @inline(__always)
    func looksAtReader(after elapsed: Int64) -> Bool { !isRestrained || elapsed >= Self.restraint }

    /// Whether it has searched long enough.
    @inline(__always)
    func isOver(after elapsed: Int64) -> Bool { elapsed > Self.length }
}
