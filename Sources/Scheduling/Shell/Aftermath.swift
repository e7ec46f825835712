/// The work that is left for the time after leaving the lock.
///
/// Nearly every critical section leaves at most one completion and one wake-up; everything else is in a part
/// that is allocated when needed.
struct Aftermath {
    /// A handle that has to be notified of its operation's end.
    var completion: (any OperationBody)?
    var unpark: Worker?
    var more: More?

    /// The rare rest.
    final class More {
        /// The same, if there are several.
        var completions: [any OperationBody] = []
        var unpark: [Worker] = []
        var actions: [SchedulerAction] = []
        var spawn: [ExecutionLane] = []
        var drained: [Parker] = []
        var externals: [ExternalQueue] = []
        var wakesReader = false
        var wakesService = false
        var startsService = false
    }

    @inline(never)
    mutating func withMore(_ body: (More) -> Void) {
        let more = self.more ?? More()
        self.more = more
        body(more)
    }
}
