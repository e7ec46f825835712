/// The resources outside the engine that scripts may reach. In a host, scripts have no capability until the
/// host grants one.
///
/// ```swift
/// var configuration = ScriptEngine.Configuration()
/// configuration.capabilities = [.files, .signals]
/// ```
///
/// Without any capability, a script has timers, sources of its own data, and the works that the host has registered.
public struct Capabilities: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt32

    /// Makes a set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Sources of signals. While such a source is active, it replaces the process's own reaction to the signal.
    public static let signals = Capabilities(rawValue: 1 << 0)
    /// Sources that read or write descriptors of the process.
    public static let descriptors = Capabilities(rawValue: 1 << 1)
    /// Sources that wait for the end of any process.
    public static let processes = Capabilities(rawValue: 1 << 2)
    /// Sources that watch files and directories.
    public static let files = Capabilities(rawValue: 1 << 3)
    /// `require` of modules beside the script and along `package.path`.
    public static let modulesFromDisk = Capabilities(rawValue: 1 << 4)
    /// Threads that a script creates.
    public static let threads = Capabilities(rawValue: 1 << 5)
    /// `require` of modules in C along `package.cpath`, and `package.loadlib`, in a script with all libraries. Such a
    /// module is a part of the process: nothing limits it.
    public static let nativeModules = Capabilities(rawValue: 1 << 6)
    /// Chunks that Lua has compiled already: `string.dump`, and files that `luac` wrote. Lua trusts them: a chunk that
    /// no compiler wrote can crash the process.
    public static let binaryChunks = Capabilities(rawValue: 1 << 7)

    /// All capabilities; the command grants these.
    public static let all: Capabilities = [
        .signals, .descriptors, .processes, .files, .modulesFromDisk, .threads, .nativeModules, .binaryChunks,
    ]

    private static let names: [(Capabilities, String)] = [
        (.signals, "signals"), (.descriptors, "descriptors"), (.processes, "processes"), (.files, "files"),
        (.modulesFromDisk, "modulesFromDisk"), (.threads, "threads"), (.nativeModules, "nativeModules"),
        (.binaryChunks, "binaryChunks"),
    ]

    /// The Swift name of the first capability in the set.
    var name: String { Self.names.first { contains($0.0) }?.1 ?? "none" }
}

extension ScriptRuntime {
    /// The capabilities whose events arrive at uncontrolled times.
    private static let outside: Capabilities = [.signals, .descriptors, .processes, .files]

    /// - Throws: An error with the way to grant the capability, if the host has not granted it.
    func require(_ capability: Capabilities, for what: String) throws(LuaRaise) {
        if configuration.capabilities.contains(capability) {
            guard Self.outside.contains(capability) else { return }
            return try virtualTime.noteUncontrolled(
                what,
                "replace its events by a source of user data"
            )
        }
        throw LuaRaise(
            .host,
            "\(what) needs the capability '\(capability.name)', which the host has not granted; "
                + "in Swift: configuration.capabilities.insert(.\(capability.name))"
        )
    }
}
