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

        /// Which of Lua's libraries a script gets; default: the safe ones.
        public var libraries: Libraries = .safe
        /// What a script may reach outside of the engine; default: nothing.
        public var capabilities: Capabilities = []
        /// Bytes of Lua memory, or nil, the default, for no limit.
        public var memoryLimit: Int?
        /// How many closures of queues without a width run at once as long as none blocks; nil, the default: as many as cores.
        public var workers: Int?
        /// How many Swift closures run at once in all; nil, the default, for no limit.
        public var jobLimit: Int?
        /// Where `print` and `io.write` go, called on the script thread with whole lines; nil, the default: standard output.
        public var standardOutput: (@Sendable ([UInt8]) -> Void)?
        /// Where diagnoses go, one line each, called on any thread; nil, the default: standard error.
        public var standardError: (@Sendable (String) -> Void)?
        /// Whether the types are globals of the script; otherwise only `require "opscript"` gives them.
        public var installsGlobals = true
        /// Folders in which `require` looks after the one of the script.
        public var moduleSearchPaths: [String] = []
        /// Whether ``ScriptEngine/status`` is kept; costs a little for each operation.
        public var tracksStatus = false
        /// Where each operation's start and end are logged, with its name, identity, queue and place of creation; nil, the default:
        /// nowhere. Metrics and spans go to the backends that the host has installed for swift-metrics and swift-distributed-tracing.
        public var logger: Logger?
        /// Whether virtual time is used: the clock jumps to the next due moment as soon as nothing else can run.
        public var usesVirtualTime = false

        /// For tests of the engine itself: collects garbage wherever Lua allows it.
        package var isHostile = false

        /// The defaults.
        public init() {}
    }
}
