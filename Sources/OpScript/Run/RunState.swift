internal import Scheduling

/// The state of the current run.
///
/// No part owns it: the run begins and ends it, and every part may read it or note failures. Confined to the script
/// thread.
final class RunState {
    /// The report about the run.
    var report = ScriptReport()
    var failureIndices: [OperationID: Int] = [:]
    var neverAddedDropped: [String] = []
    /// How many unfinished operations an ended run has abandoned.
    var abandonedCount = 0
    /// Whether the engine shall end.
    var isStopping = false
    var isCancelled = false
    var mainChunkEnded = false
    var exitRequest: Int32?
    var startedAt: Int64 = 0
}
