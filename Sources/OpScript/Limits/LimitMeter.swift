internal import LuaVM
internal import Synchronization

/// Counts the limited resources that scripts use and that other threads use, too. From any thread.
final class LimitMeter: Sendable {
    private let outputLimit: Int?
    private let memoryLimit: Int?
    private let output = Atomic<Int>(0)
    private let memory = Atomic<Int>(0)
    let isolates: UsageCounter
    /// The processes that `work.process` and `io.popen` have started and that have not ended.
    let processes: UsageCounter
    /// The files that the library `io` has open.
    let files: UsageCounter

    init(_ configuration: ScriptEngine.Configuration) {
        outputLimit = configuration.outputLimit.map { max(0, $0) }
        memoryLimit = configuration.memoryLimit.flatMap { $0 > 0 ? $0 : nil }
        isolates = UsageCounter(of: "isolates", limit: configuration.isolateLimit)
        processes = UsageCounter(of: "processes", limit: configuration.processLimit)
        files = UsageCounter(of: "open files", limit: configuration.fileLimit)
    }

    /// Whether open files or processes have a limit.
    var countsHandles: Bool { files.limit != nil || processes.limit != nil }

    /// A run begins: its output is counted from 0.
    func runBegins() { output.store(0, ordering: .relaxed) }

    /// How many bytes the run has written.
    var outputBytes: Int { output.load(ordering: .relaxed) }

    /// Counts bytes that are to be written; false if the limit does not allow them.
    func mayWrite(_ count: Int) -> Bool {
        let now = output.wrappingAdd(count, ordering: .relaxed).newValue
        guard let outputLimit, now > outputLimit else { return true }
        output.wrappingSubtract(count, ordering: .relaxed)
        return false
    }

    // MARK: Memory outside of Lua

    /// Bytes that Swift keeps for the script: arguments and results of operations, and isolates.
    var memoryOutside: Int { memory.load(ordering: .relaxed) }

    /// Whether the bytes are counted.
    var countsMemory: Bool { memoryLimit != nil }

    /// Counts bytes that Swift will keep.
    ///
    /// - Throws: Code `limit`, if these bytes alone exceed the limit. Then they are not counted.
    func keep(_ bytes: Int) throws(ScriptError) {
        guard let memoryLimit else { return }
        let now = memory.wrappingAdd(bytes, ordering: .relaxed).newValue
        guard now > memoryLimit else { return }
        memory.wrappingSubtract(bytes, ordering: .relaxed)
        throw .engineLimit(
            "the arguments, results and isolates of the script used more memory than its limit (\(memoryLimit) bytes)"
        )
    }

    /// The bytes are not kept any more.
    func release(_ bytes: Int) {
        if memoryLimit != nil { memory.wrappingSubtract(bytes, ordering: .relaxed) }
    }
}

extension LimitMeter: LuaHandleCount {
    func hasRoom(for kind: LuaHandleKind) -> Bool { counter(kind).hasRoom }

    func opened(_ kind: LuaHandleKind) { counter(kind).beginAnyway() }

    func closed(_ kind: LuaHandleKind) { counter(kind).end() }

    private func counter(_ kind: LuaHandleKind) -> UsageCounter {
        switch kind {
        case .file: files
        case .process: processes
        }
    }
}

/// Bytes that Swift keeps for a script, as long as this object lives.
final class KeptBytes: Sendable {
    /// Fewer bytes are less than Lua's part of the operation that keeps them. That part is counted, so counting these
    /// as well would only take time: half of an operation with integers.
    private static let least = 128

    private let meter: LimitMeter
    private let bytes: Int

    /// Counts bytes; nil if they are too few to count.
    ///
    /// - Throws: Code `limit`.
    @inline(__always)
    static func counting(_ bytes: Int, _ meter: LimitMeter) throws(ScriptError) -> KeptBytes? {
        bytes < least ? nil : try KeptBytes(bytes, meter)
    }

    private init(_ bytes: Int, _ meter: LimitMeter) throws(ScriptError) {
        try meter.keep(bytes)
        self.meter = meter
        self.bytes = bytes
    }

    deinit { meter.release(bytes) }
}

extension ScriptValue {
    /// How many bytes a copy of the value takes in Swift, about.
    ///
    /// - Complexity: O(*n*) in the number of its parts.
    var byteCount: Int {
        switch self {
        case .nil, .null, .boolean, .integer, .number: 16
        case .string(let bytes): 48 + bytes.count
        case .array(let elements): elements.reduce(48) { $0 + $1.byteCount }
        case .table(let table): table.entries.reduce(48) { $0 + $1.key.byteCount + $1.value.byteCount }
        case .data(let data): 48 + data.bytes.count
        case .object(let object): 48 + max(0, object.scriptWeight)
        }
    }
}
