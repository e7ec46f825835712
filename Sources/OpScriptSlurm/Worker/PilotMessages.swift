internal import OpScript

/// An order of a driver to a pilot.
enum PilotOrder {
    case run(TaskMessage)
    case stop(UInt64)
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
            return ValueBytes.encode([.text("runfile"), .text(try folder.store(bytes))]) ?? []
        case .stop(let number): return ValueBytes.encode([.text("stop"), .integer(Int64(number))]) ?? []
        case .finish: return ValueBytes.encode([.text("finish")]) ?? []
        }
    }

    init?(_ bytes: [UInt8], _ folder: SharedFolder) {
        guard let values = ValueBytes.decode(bytes), let kind = values.first?.string else { return nil }
        switch (kind, values.count) {
        case ("runfile", 2):
            guard let name = values[1].string, let bytes = folder.stored(name), let task = TaskMessage(bytes)
            else {
                return nil
            }
            self = .run(task)
        case ("run", 2):
            guard case .string(let bytes) = values[1], let task = TaskMessage(bytes) else { return nil }
            self = .run(task)
        case ("stop", 2):
            guard case .integer(let number) = values[1] else { return nil }
            self = .stop(UInt64(number))
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
                let name = try folder.store(end)
                return ValueBytes.encode([.text("endedfile"), .integer(Int64(number)), .text(name)]) ?? []
            } catch {
                return PilotReport.ended(number, TaskEnd.failed(error).bytes).bytes(nil)
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
        guard case .integer(let number) = values[1] else { return nil }
        switch (kind, values.count) {
        case ("began", 2): self = .began(UInt64(number))
        case ("progress", 5):
            guard case .integer(let completed) = values[2], case .integer(let total) = values[3] else {
                return nil
            }
            self = .progress(UInt64(number), completed: completed, total: total, text: values[4].string)
        case ("endedfile", 3):
            guard let name = values[2].string else { return nil }
            let end = folder.stored(name)
            folder.removeStored(name)
            self = .ended(UInt64(number), end ?? [])
        case ("ended", 3):
            guard case .string(let end) = values[2] else { return nil }
            self = .ended(UInt64(number), end)
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

    /// The next whole message; nil if there is none yet.
    mutating func next() -> [UInt8]? {
        guard bytes.count - place > 4 else { return nil }
        let count = (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
        guard bytes.count - place - 5 >= count else { return nil }
        defer { place += 5 + count }
        return Array(bytes[place + 4..<place + 4 + count])
    }
}
