internal import Scheduling

/// A cluster in memory, and the operations that are on it. Confined to the script thread.
final class SimulatedCluster {
    let rules: any ClusterSimulation
    /// The operations by the numbers of their attempts.
    var operations: [UInt64: OperationID] = [:]
    var lastNumber: UInt64 = 0
    /// Whether its events are being taken.
    var isServing = false
    /// The due item of its next event.
    var timer: (handle: TimerHandle, moment: Int64)?

    init(_ rules: any ClusterSimulation) { self.rules = rules }
}

/// The place of an operation on a cluster in memory.
final class ClusterPlacement {
    var plan: RemotePlan
    let mayRepeat: Bool
    /// The attempt that the cluster has; 0 if it has none.
    var number: UInt64 = 0
    /// Whether the body plays.
    var isPlaying = false
    /// How the body has ended; its end does not count yet.
    var end: (failure: (any Error)?, failed: Bool)?
    /// With what the operation fails as soon as its body has stopped.
    var failure: (any Error)?
    /// The node that the body is or was on.
    var node: String?

    init(_ plan: RemotePlan, mayRepeat: Bool) {
        (self.plan, self.mayRepeat) = (plan, mayRepeat)
    }

    /// The name of the cluster: `slurm`.
    var cluster: String { plan.cluster }
}
