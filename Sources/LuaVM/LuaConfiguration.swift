internal import CLua

/// The libraries a machine opens.
public struct LuaLibraries: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// Makes a set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The basic functions, such as `print`, `pairs` and `pcall`.
    public static let base = LuaLibraries(rawValue: 1 << 0)
    /// `coroutine`: stock behaviour, and waits pass through.
    public static let coroutine = LuaLibraries(rawValue: 1 << 1)
    /// `table`.
    public static let table = LuaLibraries(rawValue: 1 << 2)
    /// `string`, and methods of strings.
    public static let string = LuaLibraries(rawValue: 1 << 3)
    /// `math`.
    public static let math = LuaLibraries(rawValue: 1 << 4)
    /// `utf8`.
    public static let utf8 = LuaLibraries(rawValue: 1 << 5)
    /// `os`; in the safe profile only the time.
    public static let os = LuaLibraries(rawValue: 1 << 6)
    /// `io`; never in the safe profile.
    public static let io = LuaLibraries(rawValue: 1 << 7)
    /// `debug`; in the safe profile only `traceback`.
    public static let debug = LuaLibraries(rawValue: 1 << 8)
    /// `package` and `require`; in the safe profile only `package.preload`.
    public static let package = LuaLibraries(rawValue: 1 << 9)

    /// The default for hosts: nothing that reaches outside.
    public static let safe: LuaLibraries = [.base, .coroutine, .table, .string, .math, .utf8, .os, .debug]
    /// All libraries.
    public static let all: LuaLibraries = [.safe, .io, .package]
}

/// The configuration of a machine.
public struct LuaConfiguration: Sendable {
    /// The libraries to open.
    public var libraries: LuaLibraries
    /// Whether libraries are complete, including functions that reach files, processes and raw memory.
    public var isFull: Bool
    /// Whether complete libraries load modules in C. Default: yes.
    public var loadsNativeModules = true
    /// Bytes that scripts may use; 0 for no limit.
    ///
    /// Allocations fail only when an eighth more is in use.
    public var memoryLimit: Int
    /// Instructions per slice between two waits; 0 for no limit.
    public var instructionLimit: Int
    /// Refuses `__gc` in scripts, which no limit can stop.
    public var refusesFinalizers: Bool
    /// Gives scripts versions of `string.find`, `match`, `gmatch` and `gsub` that also check the limits of time and
    /// instructions.
    public var boundsPatterns: Bool
    /// Whether scripts may load binary chunks, and make them by `string.dump`. Default: no. A binary chunk that no
    /// compiler wrote can crash the process.
    public var loadsBinaryChunks = false
    /// Whether `package.path` and `package.cpath` are the defaults, whatever the environment says. Default: no.
    public var ignoresEnvironment = false
    /// Collects all garbage as often as Lua allows, which finds values that nothing anchors.
    ///
    /// Very slow, for tests.
    public var isHostile: Bool
    /// Gives `pairs` and `next` an order that is the same in each run: numbers, strings and booleans sorted,
    /// then everything else in order of creation.
    ///
    /// Traversals cost a few times as much, and each block of memory 16 bytes more.
    public var isReproducible: Bool
    /// Counts the open files and processes of the library `io`; nil, the default, for no count.
    package var handles: (any LuaHandleCount)?

    /// Makes a configuration; the default one is safe and has no limits.
    public init(
        libraries: LuaLibraries = .safe,
        isFull: Bool = false,
        memoryLimit: Int = 0,
        instructionLimit: Int = 0,
        refusesFinalizers: Bool = false,
        boundsPatterns: Bool = false,
        isHostile: Bool = false,
        isReproducible: Bool = false
    ) {
        self.libraries = libraries
        self.isFull = isFull
        self.memoryLimit = memoryLimit
        self.instructionLimit = instructionLimit
        self.refusesFinalizers = refusesFinalizers
        self.boundsPatterns = boundsPatterns
        self.isHostile = isHostile
        self.isReproducible = isReproducible
    }

    /// All libraries, complete, without limits: the configuration of the shell command.
    public static let full = LuaConfiguration(libraries: .all, isFull: true)

    /// The extent of the libraries, as CLua has it.
    var extent: CInt {
        if !isFull { return CInt(CLUA_SAFE) }
        return CInt(loadsNativeModules ? CLUA_FULL : CLUA_WITHOUT_NATIVE_MODULES)
    }
}

/// Counts the open handles of scripts, and refuses more than the limit. From any thread.
package protocol LuaHandleCount: Sendable {
    /// Whether one more is allowed.
    func hasRoom(for kind: LuaHandleKind) -> Bool
    func opened(_ kind: LuaHandleKind)
    func closed(_ kind: LuaHandleKind)
}

/// The kinds of handles that the library `io` opens.
package enum LuaHandleKind: Int32, Sendable {
    case file = 0
    /// `io.popen`
    case process = 1
}

/// The limit that a script hit.
public enum LuaLimit: Int32, Sendable {
    /// Memory.
    case memory = 1
    /// Time of a slice: `LuaVM.interrupt` was called.
    case time = 2
    /// Instructions of a slice.
    case instructions = 3
    /// Bytes of output: the host counts them.
    case output = 5
    /// Open files: the host counts them.
    case files = 6
    /// Processes: the host counts them.
    case processes = 7
    /// No limit: ``LuaVM/leave()`` was called, and a close variable begins to run.
    case exit = 8
}
