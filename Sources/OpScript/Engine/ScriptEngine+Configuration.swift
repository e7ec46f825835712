public import Logging

extension ScriptEngine {
    /// How an engine is set up.
    public struct Configuration: Sendable {
        /// Which of Lua's libraries a script gets.
        public enum Libraries: Sendable {
            /// The safe ones: nothing that reaches files, processes, the environment or Lua's own insides.
            case safe
            /// All of them, as in `lua5.4`.
            case all
        }

        /// Where scripts get the time from.
        public enum Clock: Sendable {
            /// The system's clocks.
            case system
            /// Time that jumps to the next due moment as soon as nothing else can run: an hour of timers takes no time.
            case virtual
        }

        /// Where all Lua code of an engine runs.
        public enum ScriptExecutor: Sendable {
            /// On a thread of the engine's own.
            case dedicatedThread
            /// On the main actor, a few milliseconds at a time.
            case mainActor
            /// Wherever the host calls ``ScriptEngine/poll(budget:)``, and only then.
            case manual
        }

        /// Which of Lua's libraries a script gets; default: the safe ones.
        public var libraries: Libraries = .safe
        /// What a script may reach outside of the engine; default: nothing.
        public var capabilities: Capabilities = []
        /// Bytes of Lua memory, or nil, the default, for no limit.
        public var memoryLimit: Int?
        /// How many instructions Lua may execute between two waits, at least 1; nil, the default, for any number.
        ///
        /// With a limit Lua runs at about half its speed.
        public var instructionLimit: Int?
        /// How long Lua may run between two waits, at least a millisecond; nil, the default, for any time.
        ///
        /// A script that exceeds the limit by half is stopped, and the run throws an error with code `limit`. The limit
        /// costs almost nothing.
        public var sliceLimit: Duration?
        /// How many closures of queues without a width run at once as long as none blocks. nil, the default: as many as
        /// cores; one core is left to the script's thread while that thread adds hundreds of operations without a wait.
        public var workers: Int?
        /// How many Swift closures run at once in all; nil, the default, for no limit.
        public var jobLimit: Int?
        /// Where `print` (whole lines) and `io.write` (pieces) go, called on the script thread; nil, the default:
        /// standard output.
        public var standardOutput: (@Sendable ([UInt8]) -> Void)?
        /// Where diagnoses go, one line each, called on any thread; nil, the default: standard error.
        public var standardError: (@Sendable (String) -> Void)?
        /// Whether the types are globals of the script; otherwise only `require "opscript"` gives them.
        public var installsGlobals = true
        /// Folders that `require` searches after the script's own folder.
        public var moduleSearchPaths: [String] = []
        /// Whether ``ScriptEngine/status`` is maintained, at a small cost for each operation. When a run returns or
        /// throws, the status says what its report says.
        public var tracksStatus = false
        /// Where scripts get the time from; default: the system.
        public var clock: Clock = .system
        /// The seed of everything random that scripts can observe: `math.random`, the jitter of retries, the order of
        /// `pairs` and `next`.
        ///
        /// nil, the default: random on the system's clock, and the seed 0 under virtual time.
        public var seed: UInt64?
        /// Refuses what neither seed nor virtual clock can control, such as `io.popen`; default: a warning names it.
        ///
        /// Has an effect only if ``seed`` is set or time is virtual.
        public var isStrict = false
        /// Receives the trace of what happens, line by line and without the newline, on the script thread; nil, the
        /// default, for no trace.
        public var trace: (@Sendable (String) -> Void)?
        /// Where Lua runs; default: a thread of the engine's own.
        public var scriptExecutor: ScriptExecutor = .dedicatedThread
        /// Where each operation's start and end are logged, with its name, identity, queue and place of creation; nil,
        /// the default: nowhere. Metrics and spans go to the backends that the host has installed for swift-metrics and
        /// swift-distributed-tracing.
        public var logger: Logger?

        /// For tests of the engine itself: collects garbage wherever Lua allows it.
        package var isHostile = false

        /// For tests of scripts: scripts may set `__gc` although there are limits, which do not stop a finalizer.
        package var keepsFinalizers = false

        /// For commands: ``standardOutput`` writes to the C library's `stdout` anyway, so `io.write` is left as it is.
        package var sharesStandardOutput = false

        /// For tests of scripts: called on the script thread, when the Lua state is closed, with the lines that were
        /// executed.
        package var coverage: (@Sendable ([ScriptCoverage]) -> Void)?

        /// What makes the choices under virtual time, and how long a run may go on there.
        package var control = SimulationControl()

        /// The defaults.
        public init() {}

        /// The seed that is in effect; nil if there is none.
        var chanceSeed: UInt64? { seed ?? (clock == .virtual ? 0 : nil) }
    }
}
