internal import Scheduling

/// What is known of the run that goes on.
///
/// Owned by no part: the run begins and ends it, and every part may look at it or note what fails. Confined to the
/// script thread.
final class RunState {
    /// What becomes of the run.
    var report = ScriptReport()
    var failureIndices: [OperationID: Int] = [:]
    var neverAddedDropped: [String] = []
    /// How many operations have not finished whose run has ended without them.
    var abandonedCount = 0
    /// The engine is to end.
    var isStopping = false
    var isCancelled = false
    var mainChunkEnded = false
    var exitRequest: Int32?
    var startedAt: Int64 = 0
}
