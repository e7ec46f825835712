internal import OpScript

/// An order of a driver to a pilot.
enum PilotOrder {
    case run(TaskMessage)
    case stop(UInt64)
    /// A body whose arguments are in a file that cannot be read here.
    case refuse(UInt64, String)
    /// The driver is there.
    case ping
    /// No body follows: the pilot ends after what it has. If its input ends without this, it ends at once.
    case finish

    /// - Parameter folder: Takes a body that is too large for a message.
    func bytes(_ folder: SharedFolder) throws(ScriptError) -> [UInt8] {
        switch self {
        case .run(let task):
            let bytes = task.bytes
            guard bytes.count > SharedFolder.mostMessageBytes else {
                return ValueBytes.encode([.text("run"), .string(bytes)]) ?? []
            }
            return ValueBytes.encode([
                .text("runfile"), .integer(Int64(task.number)), .text(try folder.store(bytes)),
            ]) ?? []
        case .stop(let number): return ValueBytes.encode([.text("stop"), .integer(Int64(number))]) ?? []
        case .ping: return ValueBytes.encode([.text("ping")]) ?? []
        case .finish, .refuse: return ValueBytes.encode([.text("finish")]) ?? []
        }
    }

    init?(_ bytes: [UInt8], _ folder: SharedFolder) {
        guard let values = ValueBytes.decode(bytes), let kind = values.first?.string else { return nil }
        switch (kind, values.count) {
        case ("runfile", 3):
            guard case .integer(let value) = values[1], let number = UInt64(exactly: value),
                let name = values[2].string
            else { return nil }
            if let bytes = folder.stored(name), let task = TaskMessage(bytes) {
                self = .run(task)
            } else {
                self = .refuse(number, "\(folder.path)/values/\(name)")
            }
        case ("run", 2):
            guard case .string(let bytes) = values[1], let task = TaskMessage(bytes) else { return nil }
            self = .run(task)
        case ("stop", 2):
            guard case .integer(let value) = values[1], let number = UInt64(exactly: value) else {
                return nil
            }
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
    case ended(UInt64, [UInt8])

    /// - Parameter folder: Takes an end that is too large for a message.
    func bytes(_ folder: SharedFolder?) -> [UInt8] {
        if case .ended(let number, let end) = self, let folder, end.count > SharedFolder.mostMessageBytes {
            do throws(ScriptError) {
                let name = try folder.store(end, for: number)
                return ValueBytes.encode([.text("endedfile"), .integer(Int64(number)), .text(name)]) ?? []
            } catch {
                let report = TaskReport(node: "?", end: .failed(error), output: [])
                return PilotReport.ended(number, report.bytes).bytes(nil)
            }
        }
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
            }
        return ValueBytes.encode(values) ?? []
    }

    init?(_ bytes: [UInt8], _ folder: SharedFolder) {
        guard let values = ValueBytes.decode(bytes), let kind = values.first?.string, values.count >= 2 else {
            return nil
        }
        if kind == "ready" {
            self = .ready(node: values[1].string ?? "?")
            return
        }
        guard case .integer(let value) = values[1], let number = UInt64(exactly: value) else { return nil }
        switch (kind, values.count) {
        case ("began", 2): self = .began(number)
        case ("progress", 5):
            guard case .integer(let completed) = values[2], case .integer(let total) = values[3] else {
                return nil
            }
            self = .progress(number, completed: completed, total: total, text: values[4].string)
        case ("endedfile", 3):
            guard let name = values[2].string else { return nil }
            let end = folder.stored(name)
            folder.removeStored(name)
            self = .ended(number, end ?? [])
        case ("ended", 3):
            guard case .string(let end) = values[2] else { return nil }
            self = .ended(number, end)
        default: return nil
        }
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
