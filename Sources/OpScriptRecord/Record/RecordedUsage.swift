/// The time and the memory that the program of an operation took, with those of its descendants that it has waited for.
public struct RecordedUsage: Sendable, Hashable {
    /// Nanoseconds from its start to its end.
    public var wall: Int64
    /// Nanoseconds of processors for its own code.
    public var user: Int64
    /// Nanoseconds of processors for the kernel on its behalf.
    public var system: Int64
    /// The most memory that one of these processes had at once, in bytes.
    public var peakMemory: Int64

    /// Makes a usage.
    public init(wall: Int64, user: Int64, system: Int64, peakMemory: Int64) {
        self.wall = wall
        self.user = user
        self.system = system
        self.peakMemory = peakMemory
    }
}

extension RunRecord {
    /// The time and the memory that the programs of operations took, in the last attempt of each, by the numbers of the
    /// operations.
    public var usages: [Int: RecordedUsage] { storage.usages }
}
