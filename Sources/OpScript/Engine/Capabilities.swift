/// What scripts may reach outside of the engine: nothing in a host, until it is granted.
///
/// ```swift
/// var configuration = ScriptEngine.Configuration()
/// configuration.capabilities = [.files, .signals]
/// ```
///
/// What a script may do without any: timers, sources of its own data, and the works that the host has registered.
public struct Capabilities: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt32

    /// Makes a set of its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Sources of signals, which replace what the process did at a signal as long as they are active.
    public static let signals = Capabilities(rawValue: 1 << 0)
    /// Sources that read or write descriptors of the process.
    public static let descriptors = Capabilities(rawValue: 1 << 1)
    /// Sources that wait for the end of any process.
    public static let processes = Capabilities(rawValue: 1 << 2)
    /// Sources that watch files and directories.
    public static let files = Capabilities(rawValue: 1 << 3)
    /// `require` of modules that lie beside the script and along `package.path`.
    public static let modulesFromDisk = Capabilities(rawValue: 1 << 4)
    /// Threads of a script's own.
    public static let threads = Capabilities(rawValue: 1 << 5)

    /// All of them, as the command has them.
    public static let all: Capabilities = [
        .signals, .descriptors, .processes, .files, .modulesFromDisk, .threads,
    ]

    private static let names: [(Capabilities, String)] = [
        (.signals, "signals"), (.descriptors, "descriptors"), (.processes, "processes"), (.files, "files"),
        (.modulesFromDisk, "modulesFromDisk"), (.threads, "threads"),
    ]

    /// What Swift calls the first of them.
    var name: String { Self.names.first { contains($0.0) }?.1 ?? "none" }
}

extension ScriptRuntime {
    /// What brings events that come when they come.
    private static let outside: Capabilities = [.signals, .descriptors, .processes, .files]

    /// - Throws: An error that says how the host grants it, where it has not.
    func require(_ capability: Capabilities, for what: String) throws(LuaRaise) {
        if configuration.capabilities.contains(capability) {
            guard Self.outside.contains(capability) else { return }
            return try virtualTime.noteUncontrolled(
                what,
                "what comes from there a source of user data can stand for"
            )
        }
        throw LuaRaise(
            .host,
            "\(what) needs the capability '\(capability.name)', which the host has not granted; "
                + "in Swift: configuration.capabilities.insert(.\(capability.name))"
        )
    }
}
