internal import Synchronization

/// Counts what scripts use of that which is limited, and that other threads use too. From any thread.
final class LimitMeter: Sendable {
    private let outputLimit: Int?
    private let memoryLimit: Int?
    private let isolateLimit: Int?
    private let output = Atomic<Int>(0)
    private let memory = Atomic<Int>(0)
    private let isolates = Atomic<Int>(0)

    init(_ configuration: ScriptEngine.Configuration) {
        outputLimit = configuration.outputLimit.map { max(0, $0) }
        memoryLimit = configuration.memoryLimit.flatMap { $0 > 0 ? $0 : nil }
        isolateLimit = configuration.isolateLimit.map { max(0, $0) }
    }

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

    /// Whether anything counts them.
    var countsMemory: Bool { memoryLimit != nil }

    /// Counts bytes that Swift will keep.
    ///
    /// - Throws: Code `limit`, if these alone are more than the limit. Then they are not counted.
    func keep(_ bytes: Int) throws(ScriptError) {
        guard let memoryLimit else { return }
        let now = memory.wrappingAdd(bytes, ordering: .relaxed).newValue
        guard now > memoryLimit else { return }
        memory.wrappingSubtract(bytes, ordering: .relaxed)
        throw ScriptError(
            .limit,
            "the arguments, results and isolates of the script used more memory than its limit (\(memoryLimit) bytes)"
        )
    }

    /// The bytes are not kept any more.
    func release(_ bytes: Int) {
        if memoryLimit != nil { memory.wrappingSubtract(bytes, ordering: .relaxed) }
    }

    // MARK: Isolates

    var isolateCount: Int { isolates.load(ordering: .relaxed) }

    /// Counts an isolate that begins.
    ///
    /// - Throws: Code `limit`, if there are as many as the limit allows. Then it is not counted.
    func beginIsolate() throws(ScriptError) {
        let now = isolates.wrappingAdd(1, ordering: .relaxed).newValue
        guard let isolateLimit, now > isolateLimit else { return }
        isolates.wrappingSubtract(1, ordering: .relaxed)
        throw ScriptError(.limit, "more isolates run at once than the limit allows (\(isolateLimit))")
    }

    func endIsolate() { isolates.wrappingSubtract(1, ordering: .relaxed) }
}

/// Bytes that Swift keeps for a script, as long as this object lives.
final class KeptBytes: Sendable {
    private let meter: LimitMeter
    private let bytes: Int

    /// - Throws: Code `limit`.
    init(_ bytes: Int, _ meter: LimitMeter) throws(ScriptError) {
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
