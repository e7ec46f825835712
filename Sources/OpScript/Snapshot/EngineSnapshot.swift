/// The work of an engine that has not begun: values that can be stored, and added to another engine later.
///
/// ```swift
/// let snapshot = try await engine.snapshot()
/// try JSONEncoder().encode(snapshot).write(to: file)
/// ```
///
/// It holds operations whose body is a work with plain arguments, and timers with such an `operation`. The sentences
/// in ``omissions`` say by name which other objects were there.
public struct EngineSnapshot: Sendable, Codable {
    /// The operations in queues that had not started: by queue, and in each in the order of addition.
    public internal(set) var operations: [PendingOperation] = []
    /// The timers that were scheduled.
    public internal(set) var timers: [PendingTimer] = []
    /// A sentence about each object that the snapshot does not hold.
    public internal(set) var omissions: [String] = []

    init() {}
}

/// An operation of a snapshot.
public struct PendingOperation: Sendable {
    /// The table that `op:describe()` returns: `work`, `args`, `name`, `queuePriority`, `retry`, …. The attempts of
    /// `retry` are those that are left.
    public internal(set) var description: ScriptTable
    /// The queue that it was in.
    public internal(set) var queue: PendingQueue
    /// The operations of the snapshot on which it depends.
    public internal(set) var dependencies: [PendingDependency] = []
    /// The seconds for which it has to wait: the rest of `after`, or of the delay before its next attempt.
    public internal(set) var delay: Double?
    /// Whether it is a barrier of its queue.
    public internal(set) var isBarrier = false

    /// Its name.
    public var name: String { description["name"]?.string ?? "operation" }
    /// The name of its work.
    public var work: String { description["work"]?.string ?? "?" }
    /// The arguments of the work.
    public var arguments: [ScriptValue] { description["args"]?.array ?? [] }
}

/// A dependency between two operations of a snapshot.
public struct PendingDependency: Sendable, Hashable, Codable {
    /// The place of the other operation in ``EngineSnapshot/operations``.
    public internal(set) var operation: Int
    /// The condition, as `addDependency` takes it: `notFailed`, `succeeded`, `finished` or `failed`.
    public internal(set) var when: String
}

/// A queue of a snapshot, which another engine finds by its name.
public struct PendingQueue: Sendable, Hashable, Codable {
    /// The kind of a queue.
    public enum Kind: String, Sendable, Codable {
        /// The main queue.
        case main
        /// The default queue, `OperationQueue.default`.
        case standard
        /// An `OperationQueue`.
        case operation
        /// A serial `DispatchQueue`.
        case serial
        /// A concurrent `DispatchQueue`.
        case concurrent
        /// A global `DispatchQueue`.
        case global
    }

    /// Its kind.
    public internal(set) var kind: Kind
    /// Its `name`, or its `label`.
    public internal(set) var name: String
    /// Its `maxConcurrentOperationCount`; -1 for the default.
    public internal(set) var width = -1
}

/// A timer of a snapshot, which adds an operation each time it fires.
public struct PendingTimer: Sendable {
    /// The option `operation` of the timer.
    public internal(set) var operation: ScriptTable
    /// The queue of its operations.
    public internal(set) var queue: PendingQueue
    /// Seconds from one fire to the next.
    public internal(set) var interval: Double
    /// Whether it fires more than once.
    public internal(set) var repeats: Bool
    /// Seconds until the next fire.
    public internal(set) var delay: Double
    /// As `timer.tolerance`, in seconds.
    public internal(set) var tolerance: Double
    /// As `timer.keepsAlive`.
    public internal(set) var keepsAlive: Bool
    /// As the option `overlaps`.
    public internal(set) var overlaps: Bool
}

// MARK: Coding

extension PendingOperation: Codable {
    private enum Key: CodingKey { case name, description, queue, dependencies, delay, isBarrier }

    /// Decodes it. The name beside its description is for readers of the file.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        description = try values.decode(CodedTable.self, forKey: .description).table
        queue = try values.decode(PendingQueue.self, forKey: .queue)
        dependencies = try values.decode([PendingDependency].self, forKey: .dependencies)
        delay = try values.decodeIfPresent(Double.self, forKey: .delay)
        isBarrier = try values.decode(Bool.self, forKey: .isBarrier)
    }

    /// Encodes it; values of scripts in the engine's own encoding, which keeps every byte and every kind of number.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(name, forKey: .name)
        try values.encode(CodedTable(table: description), forKey: .description)
        try values.encode(queue, forKey: .queue)
        try values.encode(dependencies, forKey: .dependencies)
        try values.encodeIfPresent(delay, forKey: .delay)
        try values.encode(isBarrier, forKey: .isBarrier)
    }
}

extension PendingTimer: Codable {
    private enum Key: CodingKey {
        case operation, queue, interval, repeats, delay, tolerance, keepsAlive, overlaps
    }

    /// Decodes it.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        operation = try values.decode(CodedTable.self, forKey: .operation).table
        queue = try values.decode(PendingQueue.self, forKey: .queue)
        interval = try values.decode(Double.self, forKey: .interval)
        repeats = try values.decode(Bool.self, forKey: .repeats)
        delay = try values.decode(Double.self, forKey: .delay)
        tolerance = try values.decode(Double.self, forKey: .tolerance)
        keepsAlive = try values.decode(Bool.self, forKey: .keepsAlive)
        overlaps = try values.decode(Bool.self, forKey: .overlaps)
    }

    /// Encodes it, as operations are encoded.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(CodedTable(table: operation), forKey: .operation)
        try values.encode(queue, forKey: .queue)
        try values.encode(interval, forKey: .interval)
        try values.encode(repeats, forKey: .repeats)
        try values.encode(delay, forKey: .delay)
        try values.encode(tolerance, forKey: .tolerance)
        try values.encode(keepsAlive, forKey: .keepsAlive)
        try values.encode(overlaps, forKey: .overlaps)
    }
}

/// A table in the engine's own encoding, as hexadecimal digits.
private struct CodedTable: Codable {
    let table: ScriptTable

    init(table: ScriptTable) { self.table = table }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let digits = Array(try container.decode(String.self).utf8)
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: digits.count - 1, by: 2) {
            let pair = String(decoding: digits[place...place + 1], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { break }
            bytes.append(byte)
        }
        guard bytes.count * 2 == digits.count, let values = ValueBytes.decode(bytes), values.count == 1,
            let table = values[0].table
        else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "these are no values of a script"
            )
        }
        self.table = table
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let bytes = ValueBytes.encode([.table(table)]) ?? []
        var text = ""
        for byte in bytes {
            text += byte < 16 ? "0" : ""
            text += String(byte, radix: 16)
        }
        try container.encode(text)
    }
}
