public import OpScriptRecord

/// The result of a run.
public struct ScriptReport: Sendable {
    /// An operation that failed, for the list at the end of a run.
    public struct Failure: Sendable {
        /// The operation's name.
        public var name: String
        /// The place where it was created: `job.lua:7`.
        public var createdAt: String
        /// The error itself; an error that a Swift closure threw is its `underlying`.
        public var error: ScriptError
        /// The error's text.
        public var message: String
        /// The place where the error was raised; nil for errors of Swift closures.
        public var traceback: String?
        /// Seconds that its last attempt took.
        public var duration: Double
        /// How many attempts there were; 0 if the body never ran.
        public var attempts: Int
        /// Whether the script handled the failure (`allowsFailure`, or `await` delivered it).
        public var isHandled: Bool
        /// Whether a wait was about to deliver it to the script when it happened.
        package var isAwaited = false
        /// How many operations inside failed: 0 unless it is a group. Each of them has its own entry.
        public var failedInside = 0
        /// The operations that were skipped because of it, directly or through others.
        public var notRun = NotRun()
    }

    /// Operations that have not run.
    public struct NotRun: Sendable {
        private static let mostNames = 10

        /// How many there are.
        public private(set) var count = 0
        /// The names of the first ten of them.
        public private(set) var names: [String] = []

        package init() {}

        package mutating func note(_ name: @autoclosure () -> String) {
            count += 1
            if names.count < Self.mostNames { names.append(name()) }
        }

        package mutating func add(_ others: NotRun) {
            count += others.count
            names += others.names.prefix(Self.mostNames - names.count)
        }
    }

    /// The number of operations that succeeded.
    ///
    /// This and the counts below are about operations that the script added to queues or started by hand. An operation
    /// that a wait submitted (`await(work.x())`) is a step of the waiter, and counts only if it fails and no wait
    /// delivers its failure.
    public var succeeded = 0
    /// Operations that failed, without those whose failure the script handled.
    public var failed = 0
    /// Operations whose failure the script handled: `allowsFailure` is set, or the `await` family delivered
    /// the failure.
    public var handled = 0
    /// Operations that were cancelled.
    public var cancelled = 0
    /// Operations that were skipped because of a dependency.
    public var skipped = 0
    /// Operations among the cancelled and skipped ones that had not begun.
    public var notRun = 0
    /// Those among them that no failure in ``failures`` names: they were cancelled, or a dependency ended in another
    /// way than its condition asks for.
    public var notRunForOtherReasons = NotRun()
    /// Operations that waits submitted.
    public var steps = 0
    /// Seconds from the beginning of the run to its end.
    public var duration = 0.0
    /// The failures, in the order in which they happened.
    public var failures: [Failure] = []
    /// One sentence for each operation that nothing could start or end.
    public var stuck: [String] = []
    /// One sentence for each defect of OpScript itself that the run met. The run continued. Please report them.
    ///
    /// They do not change ``exitCode``; a scenario that meets one has failed.
    public var defects: [String] = []
    /// One sentence for each operation that was made and never added to a queue.
    public var neverAdded: [String] = []
    /// The error that ended the main chunk, or that was not caught in a callback.
    public var error: ScriptError?
    /// The status that the script passed to `os.exit`.
    public var exitRequest: Int32?
    /// Whether the run was interrupted by ``ScriptEngine/cancel(signal:)``.
    public var wasCancelled = false
    /// The signal for which the host cancelled the run; SIGINT unless it named another one. nil if it did not cancel
    /// it.
    public internal(set) var signal: Int32?
    /// One sentence for each closure that had not returned when the run had to end; see
    /// ``ScriptEngine/Configuration/gracePeriod``.
    public var abandoned: [String] = []
    /// The run's use of everything that can be limited.
    public var usage = ScriptUsage()
    /// The account of the journal; nil without one.
    public var journal: JournalReport?
    /// Everything that happened, operation by operation; nil unless ``ScriptEngine/Configuration/recordsRuns`` is set.
    public var record: RunRecord?
    /// Whether finalizers run if the engine is not used again: the run ended by itself, or by `os.exit(code, true)`.
    package var mayClose = false
    /// The place where a plan ended, as a sentence; nil if the run was not a plan.
    package var planEnd: String?
    /// Whether the run called `arguments` or `task`, or a module that it loaded reads `arg`.
    package var readsArguments = false
    /// The files of the modules that the run loaded.
    package var modules: [String] = []
    /// The unknown option for which `arguments` ended the run.
    package var refusedOption: String?
    /// The help of the script, if ``ScriptEngine/Configuration/listsDeclarations`` is set and it declares anything.
    package var declarations: String?

    /// Makes an empty report.
    package init() {}

    /// The exit status that a command should have, by the rules of the contract: the argument of `os.exit`; 128 and the
    /// ``signal`` if it was cancelled; 4 if a limit of the host ended the run; 1 after an error or a failure that the
    /// script did not handle; 3 if an operation could never run or end; otherwise 0.
    public var exitCode: Int32 {
        if let exitRequest { return exitRequest }
        if let signal { return 128 + signal }
        if error?.endsRun == true { return 4 }
        if error != nil || failures.contains(where: { !$0.isHandled }) { return 1 }
        return stuck.isEmpty ? 0 : 3
    }
}

/// A run's use of everything that ``ScriptEngine/Configuration`` can limit.
public struct ScriptUsage: Sendable, Hashable {
    /// Bytes of Lua memory, and of objects that scripts hold; at the end of the run, in its report.
    public var memory = 0
    /// The most bytes of Lua memory, and of objects that scripts held, since the engine was made.
    public var peakMemory = 0
    /// Bytes that `print` and `io.write` have written; 0 if they write to the process's own output without a limit.
    public var outputBytes = 0
    /// Operations that were added or started.
    public var operations = 0
}

/// The progress of a run, for a live line. A snapshot.
public struct ScriptStatus: Sendable {
    /// Operations that have finished.
    public var finished = 0
    /// Operations that were added, so far.
    public var total = 0
    /// Operations that failed, without those whose failure the script handled.
    public var failed = 0
    /// How many execute, without the steps of others: what waits of their bodies have submitted.
    public var runningCount = 0
    /// How many have had an attempt that failed, and wait for the next one.
    public var retryingCount = 0
    /// An operation that executes.
    public struct Running: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// How many seconds it has taken so far.
        public var seconds: Double
        /// Its progress, from 0 to 1; nil if its body does not report it.
        public var fraction: Double?
        /// The `localizedDescription` of its progress, or else the name of the step for which its body waits; nil if it
        /// has neither.
        public var text: String?

        package init(name: String, seconds: Double, fraction: Double? = nil, text: String? = nil) {
            (self.name, self.seconds, self.fraction, self.text) = (name, seconds, fraction, text)
        }
    }

    /// Whether the engine maintains its status (``ScriptEngine/Configuration/tracksStatus``); otherwise all of it is 0.
    public var isTracked = false
    /// The run's use of memory, output and operations, at most a tenth of a second old.
    public var usage = ScriptUsage()
    /// Some operations that execute, the longest first.
    public var running: [Running] = []
    /// Seconds that operations have executed so far, all together.
    public var finishedWork = 0.0
    /// Seconds that the operations which have not ended will execute, all together: each as long as those of its work,
    /// or of its line in the script, took on average. nil if nothing is known of one of them, and on virtual time.
    public var remainingWork: Double?
    /// Whether the main chunk has not ended and does not wait for operations, so that it may add more of them.
    public var isGrowing = false
    /// The failures so far, in the order in which they happened.
    public var failures: [ScriptReport.Failure] = []

    /// Makes the status of a run that has not begun.
    package init() {}
}
