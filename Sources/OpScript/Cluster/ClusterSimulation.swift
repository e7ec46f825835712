/// A cluster in memory, for a run on virtual time.
///
/// It decides where and when bodies begin, and which of their ends count; the engine plays the bodies. A seed decides
/// everything that is left to chance. Called on the script thread. Times are virtual seconds.
package protocol ClusterSimulation: AnyObject {
    /// Takes a body over. An event ends it, once.
    func start(_ body: SimulatedBody, at now: Double)

    /// Nothing needs the end of a body any more.
    func cancel(_ number: UInt64, at now: Double)

    /// A body that has begun has come to its end on its node.
    ///
    /// - Returns: Whether it still ran there: its job may have been ended before.
    @discardableResult
    func bodyEnded(_ number: UInt64, at now: Double) -> Bool

    /// Lets happen what is due, and returns the events since the last call.
    func takeEvents(until now: Double) -> [ClusterEvent]

    /// When something happens next by itself; nil if nothing does.
    var nextMoment: Double? { get }
}

/// A body for a cluster in memory: one attempt of one operation.
package struct SimulatedBody: Sendable {
    /// Different for each attempt.
    package let number: UInt64
    /// The operation's name, for errors.
    package var name: String
    package var options: ClusterOptions
    /// From -8 (very low) to 8 (very high).
    package var priority: Int
    /// How long it may execute, in seconds; nil for no limit.
    package var timeLimit: Double?
    /// Whether the body may run again if it is not known what became of it.
    package var mayRepeat: Bool

    package init(
        _ number: UInt64,
        name: String,
        options: ClusterOptions,
        priority: Int,
        timeLimit: Double?,
        mayRepeat: Bool
    ) {
        (self.number, self.name, self.options, self.priority) = (number, name, options, priority)
        (self.timeLimit, self.mayRepeat) = (timeLimit, mayRepeat)
    }
}

/// An event on a cluster in memory.
package enum ClusterEvent: Sendable {
    /// A body begins, perhaps not for the first time.
    case begins(UInt64, node: String)
    /// The time of the body is over: it stops, and its end will be known later.
    case stops(UInt64)
    /// The end of the body has become known: its operation ends as the body did.
    case counts(UInt64)
    /// The operation fails, whatever the body does.
    case fails(UInt64, any Error)
    /// Where the body is now.
    case reports(UInt64, place: ClusterPlace)
}

/// How a cluster in memory behaves.
package struct ClusterModel: Sendable, Equatable {
    /// How many bodies run at once.
    package var nodes = 10_000
    /// How likely each fault is, each time that it could happen: from 0 to 1.
    package var faults = 0.0

    /// A cluster of 10 000 nodes without faults.
    package init() {}
}
