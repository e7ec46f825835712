internal import Scheduling

/// The state of the current run.
///
/// No part owns it: the run begins and ends it, and every part may read it or note failures. Confined to the script
/// thread.
final class RunState {
    /// The report about the run.
    var report = ScriptReport()
    private let countsMemory = PlainMemory(OperationCounts())
    private let kindsMemory = PlainMemory(OperationKinds(isTracked: false))
    var failureIndices: [OperationID: Int] = [:]
    /// For each group, the operations inside it whose failures the script has not handled, with their places in the
    /// report.
    var failuresInside: [OperationID: [(inside: OperationID, index: Int, isStep: Bool)]] = [:]
    /// How many failures a wait is about to deliver, and how many of these are of steps. In the progress of the run,
    /// they are not failures yet.
    private(set) var awaitedFailures = 0
    private(set) var awaitedSteps = 0
    var neverAddedDropped: [String] = []
    /// How many unfinished operations an ended run has abandoned.
    var abandonedCount = 0
    /// Whether the engine has to end.
    var isStopping = false
    var isCancelled = false
    /// Whether no operation starts any more, because too many have failed.
    var startsNothing = false
    /// How many failures that the script has not handled count towards `startsNothing`.
    var failuresToStop = 0
    /// Whether the place of code that was interrupted after a cancellation was written.
    var hasToldInterruption = false
    var mainChunkEnded = false
    var exitRequest: Int32?
    /// Whether `os.exit` was asked to close the Lua state.
    var exitCloses = false
    /// Whether the run's grace period is over: it ends as by `os.exit`.
    var isForced = false
    /// Whether the script has shown its help or its tasks, and has done none of these.
    var onlyShowsHelp = false
    /// Whether nothing of the script may run any more.
    var isOver: Bool { exitRequest != nil || isForced }
    /// The number of the run for ``TimeWatch``.
    var number = 0
    /// When the run began, by the system's clock.
    var systemStartedAt: Int64 = 0
    var startedAt: Int64 = 0

    /// How many operations and threads of the run were started or added to queues, and how they ended.
    var counts: OperationCounts {
        @inline(__always) _read { yield countsMemory.value }
        @inline(__always) _modify { yield &countsMemory.value }
    }

    /// How many operations have been added and have not ended.
    @inline(__always)
    var pendingCount: Int { counts.pending }

    /// The durations of operations, while the status of the run is tracked.
    var kinds: OperationKinds {
        @inline(__always) _read { yield kindsMemory.value }
        @inline(__always) _modify { yield &kindsMemory.value }
    }

    /// Notes that an operation was started, or added to a queue.
    @inline(__always)
    func noteAddition(_ view: OperationPointer) {
        let isStep = view.pointee.flags.contains(.belongsToWaits)
        counts.add(isStep: isStep)
        if !isStep { kinds.noteAddition(view) }
    }

    /// Notes how many more failures a wait is about to deliver.
    func noteAwaited(_ change: Int, isStep: Bool) {
        awaitedFailures += change
        if isStep { awaitedSteps += change }
    }

    /// Resets everything that the report of a new run contains.
    func beginReport(at now: Int64, tracksStatus: Bool) {
        report = ScriptReport()
        counts = OperationCounts()
        kinds = OperationKinds(isTracked: tracksStatus)
        failureIndices = [:]
        failuresInside = [:]
        (awaitedFailures, awaitedSteps) = (0, 0)
        neverAddedDropped = []
        isCancelled = false
        startsNothing = false
        hasToldInterruption = false
        failuresToStop = 0
        exitRequest = nil
        onlyShowsHelp = false
        exitCloses = false
        isForced = false
        systemStartedAt = SchedulerClock.systemNow
        startedAt = now
    }
}
