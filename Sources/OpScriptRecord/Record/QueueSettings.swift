/// How a queue is set at a moment of the run.
public struct QueueSettings: Sendable, Hashable {
    /// The queue, as an index into ``RunRecord/queues``.
    public let queue: Int
    /// Its name.
    public let name: String
    /// How many of its operations may execute at once; nil for no limit.
    public let width: Int?
    /// Whether it starts no operations.
    public let isSuspended: Bool
    /// Whether it can be suspended: the main queue, the queue inside a group, and a queue that the host has adopted for
    /// submitting only cannot.
    public let canBeSuspended: Bool

    package init(queue: Int, name: String, width: Int?, isSuspended: Bool, canBeSuspended: Bool) {
        self.queue = queue
        self.name = name
        self.width = width
        self.isSuspended = isSuspended
        self.canBeSuspended = canBeSuspended
    }
}
