/// What a worker was given of a stretch. Guarded by the scheduler's lock.
struct StretchPart {
    /// Whether it has something of a stretch of which the machine knows none by itself.
    var isHeld = false
    var members: StretchMembers?
    /// The place where it began.
    var first = 0
    /// Whether each depends on the one before it.
    var isSerial = false
    /// Whether the reader was told that the first one has started.
    var isFirstTold = false
    /// What the machine knows the one by that the worker runs, once the stretch is dissolved.
    var knownID = OperationID.none
    /// How many it is given at once; so many that they take about ``goal`` nanoseconds.
    private(set) var size = 1

    /// How far the end of an operation has come, when its worker reports it.
    enum End {
        /// It was told, and is well.
        case told
        /// It is well, and nobody was told: nobody has a handle.
        case well
        /// It failed, or the machine knows it.
        case open
    }

    private static let goal: Int64 = 10_000
    private static let largest = 512

    /// They took so long.
    mutating func took(_ nanoseconds: Int64) {
        if nanoseconds < Self.goal {
            size = min(Self.largest, size * 2)
        } else if nanoseconds > 2 * Self.goal {
            size = max(1, size / 2)
        }
    }
}
