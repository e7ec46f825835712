internal import OpScript

/// An order of a driver to a pilot.
enum PilotOrder {
    case run(TaskMessage)
    /// A body that is too large for a message: its number, and the name of its file.
    case runStored(UInt64, String)
    case stop(UInt64)
    /// The driver is there.
    case ping
    /// No body follows: the pilot ends after what it has. If its input ends without this, it ends at once.
    case finish

    var bytes: [UInt8] {
        let values: [ScriptValue] =
            switch self {
            case .run(let task): [.text("run"), .string(task.bytes)]
            case .runStored(let number, let name): [.text("runStored"), .integer(Int64(number)), .text(name)]
            case .stop(let number): [.text("stop"), .integer(Int64(number))]
            case .ping: [.text("ping")]
            case .finish: [.text("finish")]
            }
        return ValueBytes.encode(values) ?? []
    }

    /// nil for bytes of another form.
    init?(_ bytes: [UInt8]) {
        guard let values = ValueBytes.decode(bytes), let kind = values.first?.string else { return nil }
        switch (kind, values.count) {
        case ("run", 2):
            guard case .string(let bytes) = values[1], let task = TaskMessage(bytes) else { return nil }
            self = .run(task)
        case ("runStored", 3):
            guard let number = values[1].callNumber, let name = values[2].string else { return nil }
            self = .runStored(number, name)
        case ("stop", 2):
            guard let number = values[1].callNumber else { return nil }
            self = .stop(number)
        case ("ping", 1): self = .ping
        case ("finish", 1): self = .finish
        default: return nil
        }
    }
}

/// A report of a pilot to its driver.
enum PilotReport {
    case ready(node: String)
    case began(UInt64)
    case progress(UInt64, completed: Int64, total: Int64, text: String?)
    /// The bytes of a ``TaskReport``.
    case ended(UInt64, [UInt8])
    /// The name of a file with these bytes, which are too large for a message.
    case endedStored(UInt64, String)

    var bytes: [UInt8] {
        let values: [ScriptValue] =
            switch self {
            case .ready(let node): [.text("ready"), .text(node)]
            case .began(let number): [.text("began"), .integer(Int64(number))]
            case .progress(let number, let completed, let total, let text):
                [
                    .text("progress"), .integer(Int64(number)), .integer(completed), .integer(total),
                    text.map { .text($0) } ?? .nil,
                ]
            case .ended(let number, let end): [.text("ended"), .integer(Int64(number)), .string(end)]
            case .endedStored(let number, let name):
                [.text("endedStored"), .integer(Int64(number)), .text(name)]
            }
        return ValueBytes.encode(values) ?? []
    }

    /// nil for bytes of another form.
    init?(_ bytes: [UInt8]) {
        guard let values = ValueBytes.decode(bytes), let kind = values.first?.string, values.count >= 2 else {
            return nil
        }
        if kind == "ready" {
            self = .ready(node: values[1].string ?? "?")
            return
        }
        guard let number = values[1].callNumber else { return nil }
        switch (kind, values.count) {
        case ("began", 2): self = .began(number)
        case ("progress", 5):
            guard case .integer(let completed) = values[2], case .integer(let total) = values[3] else {
                return nil
            }
            self = .progress(number, completed: completed, total: total, text: values[4].string)
        case ("ended", 3):
            guard case .string(let end) = values[2] else { return nil }
            self = .ended(number, end)
        case ("endedStored", 3):
            guard let name = values[2].string else { return nil }
            self = .endedStored(number, name)
        default: return nil
        }
    }
}

extension ScriptValue {
    /// The number of a ``RemoteCall``.
    fileprivate var callNumber: UInt64? {
        if case .integer(let value) = self { UInt64(exactly: value) } else { nil }
    }
}

/// Messages in a stream: each is its length, in four bytes, its bytes, and a newline. Slurm passes the output of a job
/// on line by line.
struct MessageFrames {
    private var bytes: [UInt8] = []
    private var place = 0
    private static let end = UInt8(ascii: "\n")

    /// A message as it is written.
    static func frame(_ message: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt32(message.count).littleEndian) { Array($0) } + message + [Self.end]
    }

    mutating func append(_ more: some Sequence<UInt8>) {
        if place > 0, place == bytes.count {
            bytes = []
            place = 0
        }
        bytes += more
    }

    /// Messages above this size are none.
    private static let mostBytes = 64 << 20

    /// Whether the bytes cannot be messages: another program has written into the stream.
    private(set) var areForeign = false

    /// The next whole message; nil if there is none yet.
    mutating func next() -> [UInt8]? {
        guard !areForeign, bytes.count - place > 4 else { return nil }
        let count = (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
        guard count <= Self.mostBytes else {
            areForeign = true
            return nil
        }
        guard bytes.count - place - 5 >= count else { return nil }
        guard bytes[place + 4 + count] == Self.end else {
            areForeign = true
            return nil
        }
        defer { place += 5 + count }
        return Array(bytes[place + 4..<place + 4 + count])
    }
}
