public import Logging
public import OpScriptRecord

extension ScriptEngine {
    /// The configuration of an engine.
    public struct Configuration: Sendable {
        /// The libraries of Lua that a script gets.
        public enum Libraries: Sendable {
            /// The safe libraries: they reach neither files, processes, the environment nor Lua's internals.
            case safe
            /// All libraries, as in `lua5.4`.
            case all
        }

        /// The source of time for scripts.
        public enum Clock: Sendable {
            /// The system's clocks.
            case system
            /// Time that jumps to the next due moment as soon as nothing else can run: an hour of timers takes no
            /// time.
            case virtual
            /// Time that stands still until the host calls ``ScriptEngine/advance(by:)``: for a pause, slow motion, or
            /// steps of a fixed length.
            ///
            /// Timers, delays, time limits of operations and waits, `clock.now()` and `clock.date()` follow it.
            /// Closures run for real, and so do the limits of the host (``sliceLimit``, ``runLimit``, ``gracePeriod``).
            case manual
        }

        /// The place where all Lua code of an engine runs.
        public enum ScriptExecutor: Sendable, Hashable {
            /// On threads that engines share. An engine takes one while it has something to do, and none while it
            /// waits; so it is not always the same one.
            case threads(ScriptThreads)
            /// On a thread of the engine's own, always the same one, which the engine keeps until its end.
            case dedicatedThread
            /// On the main actor, a few milliseconds at a time.
            case mainActor
            /// On the thread where the host calls ``ScriptEngine/poll(budget:)``, and only then.
            case manual
        }

        /// The libraries of Lua that a script gets; default: the safe ones.
        public var libraries: Libraries = .safe
        /// The resources outside the engine that a script may reach; default: none.
        public var capabilities: Capabilities = []
        /// Bytes of memory that a script may use: in Lua, in objects that it holds
        /// (``ScriptObject/scriptWeight``), and in Swift on its behalf: arguments and results of its
        /// operations, and isolates. nil, the default, for no limit.
        ///
        /// A result counts once for the operation that keeps it, and a second time while the script holds the value.
        /// Arguments and results of less than 128 bytes are not counted beside their operation.
        public var memoryLimit: Int?
        /// How long a run may take, by the system's clock; nil, the default, for no limit.
        ///
        /// Then the run is cancelled as by ``ScriptEngine/cancel(signal:)``, Lua code that runs is interrupted, and
        /// `run` throws code `limit`. After the ``gracePeriod`` the run ends in any case.
        ///
        /// The limit is for runs. An `evaluate` or a `call` ends when its task is cancelled, and ``sliceLimit`` bounds
        /// its Lua code.
        public var runLimit: Duration?
        /// How long a run may continue after it was cancelled, or after a limit or an error ended it.
        ///
        /// After that time it ends even if Lua code catches every error, a `shield` has not returned, or a
        /// closure does not return. Such a closure is abandoned, its name is in ``ScriptReport/abandoned``,
        /// and its result is dropped. nil, the default: one second if there is a ``runLimit``, otherwise no
        /// limit.
        public var gracePeriod: Duration?
        /// How many bytes a run may write by `print` and `io.write`; nil, the default, for any number.
        ///
        /// Output above the limit is not written, and the run ends with code `limit`. Output that Lua's file
        /// handles write is not counted.
        public var outputLimit: Int?
        /// How many operations may be in queues, or execute, at once; nil, the default, for any number.
        public var operationLimit: Int?
        /// How many timers may be scheduled at once; nil, the default, for any number.
        public var timerLimit: Int?
        /// How many sources may be active at once; nil, the default, for any number.
        public var sourceLimit: Int?
        /// How many isolates may run at once; nil, the default, for any number.
        public var isolateLimit: Int?
        /// How many `Thread`s may execute at once; nil, the default: as ``jobLimit``, or any number without one.
        public var threadLimit: Int?
        /// The limit of threads that holds.
        var effectiveThreadLimit: Int? { threadLimit ?? jobLimit.map { max(1, $0) } }
        /// How many processes may run at once, by `work.process` and `io.popen`; nil, the default, for any number. A
        /// process of `io.popen` counts until its handle is closed.
        public var processLimit: Int?
        /// How many files may be open at once in Lua's library `io`; nil, the default, for any number. The works of
        /// the host close what they open.
        public var fileLimit: Int?
        /// How many instructions Lua may execute between two waits, at least 1; nil, the default, for any number.
        ///
        /// With a limit Lua runs at about half its speed.
        public var instructionLimit: Int?
        /// How long Lua may run between two waits, at least a millisecond; nil, the default, for no limit.
        ///
        /// A script that exceeds the limit by half is stopped, and the run throws an error with code `limit`. The
        /// limit costs almost nothing.
        public var sliceLimit: Duration?
        /// How many closures of queues without a width run at once as long as none blocks. nil, the default: as many
        /// as cores; one core is left to the script's thread while that thread adds hundreds of operations without a
        /// wait.
        public var workers: Int?
        /// How many Swift closures run at once in all; nil, the default, for no limit.
        public var jobLimit: Int?
        /// Receives the output of `print` (whole lines) and `io.write` (pieces), on the script thread; nil,
        /// the default: standard output.
        public var standardOutput: (@Sendable ([UInt8]) -> Void)?
        /// Receives diagnoses, one line each, on any thread; nil, the default: standard error.
        public var standardError: (@Sendable (String) -> Void)?
        /// Values that no text of the engine shows, beside those that scripts pass to `secret`: `•••` stands in their
        /// place. Default: none. Values of less than 4 bytes are left out.
        ///
        /// ``ScriptEngine/hidingSecrets(in:)`` hides them in texts of the host.
        public var secrets: [String] = []
        /// Patterns of a shell, such as `*TOKEN*`: the values of all variables of the environment whose names match one
        /// are treated like ``secrets``, unless they are numbers or have less than 8 bytes. Default: none. The
        /// environment is read once, when the engine is made.
        public var redactedVariables: [String] = []
        /// Whether the types are globals of the script; otherwise only `require "opscript"` gives them.
        public var installsGlobals = true
        /// Whether the functions that only virtual time has (`simulate`, `fail`, `delay`, `hold`, `release`,
        /// `cancelAt`) are globals on the system's clock as well, where they raise `misuse`; default: false. Under
        /// virtual time they always are.
        public var installsSimulation = false
        /// Folders that `require` searches after the script's own folder.
        public var moduleSearchPaths: [String] = []
        /// Whether ``ScriptEngine/status`` is maintained, at a small cost for each operation. When a run has
        /// returned or thrown, the status agrees with its report.
        public var tracksStatus = false
        /// The source of time for scripts; default: the system.
        public var clock: Clock = .system
        /// The seed of all randomness that scripts can observe: `math.random`, the jitter of retries, the
        /// order of `pairs` and `next`.
        ///
        /// nil, the default: random on the system's clock, and the seed 0 under virtual time.
        public var seed: UInt64?
        /// Whether calls that neither seed nor virtual clock can control, such as `io.popen`, are refused;
        /// default: false, a warning names them.
        ///
        /// Has an effect only if ``seed`` is set or time is virtual.
        public var isStrict = false
        /// Receives the trace of the run, line by line and without the newline, on the script thread; nil,
        /// the default, for no trace.
        public var trace: (@Sendable (String) -> Void)?
        /// The sinks that receive the facts of runs, in batches, on the script thread; default: none. Without
        /// a sink, a record and a subscriber, no fact is created.
        public var sinks: [any RunSink] = []
        /// Whether reports have a record (``ScriptReport/record``) and ``ScriptEngine/record`` gives operations;
        /// default: false. A record costs about 100 bytes and some 0.7 µs for each operation.
        public var recordsRuns = false
        /// Where runs keep their results, so that a later one need not repeat their work. nil, the default: nowhere.
        ///
        /// A journal serves one run. On virtual time it is not used.
        public var journal: (any RunJournal)?
        /// How long operations took in an earlier run; default: nothing is known.
        ///
        /// Queues whose `startsLongestFirst` is true use it.
        public var durations = OperationDurations()
        /// Whether `startsLongestFirst` of a new operation queue, and of the default one, is true: among the ready
        /// operations that have the same priority, those that took longer in an earlier run start first. Default:
        /// false, the order of addition.
        ///
        /// Operations whose duration is not known start before the others.
        public var startsLongestFirst = false
        /// The place where Lua runs; default: on threads that all engines of the process share.
        public var scriptExecutor: ScriptExecutor = .threads(.shared)
        /// The logger of each operation's start and end, with its name, identity, queue and place of
        /// creation; nil, the default, for none. Metrics and spans go to the backends that the host has
        /// installed for swift-metrics and swift-distributed-tracing.
        public var logger: Logger?

        /// For tests of the engine itself: collects garbage wherever Lua allows it.
        package var isHostile = false

        /// For tests of scripts: allows scripts to set `__gc` in spite of limits, although limits do not stop
        /// a finalizer.
        package var keepsFinalizers = false

        /// For commands: whether `package.path` and `package.cpath` are Lua's defaults, whatever the environment says.
        package var ignoresEnvironment = false

        /// For commands: ``standardOutput`` writes to the C library's `stdout` anyway, so `io.write` is left as it is.
        package var sharesStandardOutput = false

        /// For tests of scripts: called on the script thread, when the Lua state is closed, with the lines that were
        /// executed.
        package var coverage: (@Sendable ([ScriptCoverage]) -> Void)?

        /// For commands: the trace as bytes, whole lines at a time.
        package var traceBytes: (@Sendable ([UInt8]) -> Void)?

        /// For commands: receives the errors that follow the one which ends the run; nil, the default, if their
        /// texts go to ``standardError``.
        package var laterErrors: (@Sendable (ScriptError) -> Void)?

        /// For commands: whether the script runs only up to its first wait, and nothing that it adds starts.
        package var plansOnly = false

        /// For commands: whether a plan runs only to list the arguments and tasks that the script declares. It ends at
        /// the first call that would change something outside of the script.
        package var listsDeclarations = false

        /// For commands: how many columns a line of the help of a script may have.
        package var helpColumns = 80

        /// For commands: whether the report has to say that a module reads `arg`.
        package var notesArguments = false

        /// The clusters on which queues may be, by the names that scripts use.
        package var clusters: [String: any RemoteExecutor] = [:]
        /// The cluster of queues that name none; nil, the default, for this process.
        package var standardCluster: String?

        /// The source of choices under virtual time, and how long a run may take there.
        package var control = SimulationControl()
        /// For commands: shows what programs write whose output is captured; nil, the default, for nothing.
        package var programDisplay: (any ProgramDisplay)?
        /// For commands: receives the ends of operations that ran a program or took a while, on the script thread.
        package var notableEnd: (@Sendable (NotableEnd) -> Void)?
        /// For commands: after how many failures that the script did not handle no operation starts any more; nil, the
        /// default, for never.
        package var failureLimit: Int?
        /// The end of Lua code that does not wait after a cancellation; nil for none.
        package var loopInterruption: LoopInterruption?

        /// The defaults.
        public init() {}

        /// Whether the trace has a receiver.
        var hasTrace: Bool { trace != nil || traceBytes != nil }

        /// Whether facts have a receiver.
        var needsRecording: Bool { recordsRuns || plansOnly || !sinks.isEmpty || hasTrace }

        /// Writes the trace, if it has a receiver.
        var traceSink: ScriptTrace? {
            if let traceBytes { return ScriptTrace(traceBytes) }
            return trace.map { trace in
                ScriptTrace { bytes in
                    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
                        trace(String(decoding: line, as: UTF8.self))
                    }
                }
            }
        }

        /// Whether a limit may stop Lua code that runs.
        var stopsLua: Bool {
            sliceLimit != nil || instructionLimit != nil || runLimit != nil || gracePeriod != nil
        }

        /// For untrusted scripts: no capabilities, safe libraries, and a limit on everything: 64 MB of
        /// memory, 10 s for a run and 0.5 s of grace, 100 ms of Lua without a wait, 1 MB of output, 10 000
        /// operations, 1 000 timers, 100 sources, 16 jobs, 8 isolates, no threads, no processes, 16 files.
        /// Change the values that do not fit.
        public static var untrusted: Configuration {
            var configuration = Configuration()
            configuration.memoryLimit = 64 << 20
            configuration.runLimit = .seconds(10)
            configuration.gracePeriod = .milliseconds(500)
            configuration.sliceLimit = .milliseconds(100)
            configuration.outputLimit = 1 << 20
            configuration.operationLimit = 10_000
            configuration.timerLimit = 1_000
            configuration.sourceLimit = 100
            configuration.jobLimit = 16
            configuration.isolateLimit = 8
            configuration.threadLimit = 0
            configuration.processLimit = 0
            configuration.fileLimit = 16
            return configuration
        }

        /// The seed that is in effect; nil if there is none.
        var chanceSeed: UInt64? { seed ?? (clock == .virtual ? 0 : nil) }
    }
}
