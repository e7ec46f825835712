internal import Scheduling

/// An item that is due at a time on the script thread.
enum Due {
    case wait(Wait)
    case timer(TimerID)
    case source(EventSource)
    case sleep(OperationID)
    /// A delayed body begins.
    case begin(OperationID)
    /// A body that takes no time runs.
    case body(OperationID)
    /// Something happens on a cluster in memory.
    case cluster(SimulatedCluster)
    case stubborn
    case progress(ScriptProgress)
}
