internal import OpScript

/// A size in messages: `256 MiB`, `1000 bytes`.
func sizeText(_ bytes: Int) -> String {
    bytes >= 1 << 20 && bytes % (1 << 20) == 0 ? "\(bytes >> 20) MiB" : "\(bytes) bytes"
}

/// Bytes that are collected up to a limit.
struct LimitedBytes {
    /// The reason why not all bytes were kept.
    enum Excess: Equatable {
        case limit(Int)
        case memory
    }

    private(set) var bytes: [UInt8] = []
    private(set) var excess: Excess?
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Makes room for a number of bytes that is known in advance; false, and notes why, if there cannot be as many.
    mutating func reserve(_ count: Int) -> Bool {
        if count > limit { excess = .limit(limit) }
        if excess == nil, count > bytes.capacity {
            if MemoryRoom.has(count) { bytes.reserveCapacity(count) } else { excess = .memory }
        }
        return excess == nil
    }

    /// Appends bytes; false, and notes why, if they are too many. Then none of them, and no later ones, are appended.
    mutating func append(_ more: UnsafeRawBufferPointer) -> Bool {
        if excess != nil { return false }
        let count = bytes.count + more.count
        if count > limit {
            excess = .limit(limit)
        } else if count > bytes.capacity {
            _ = reserve(max(count, min(limit, bytes.capacity * 2)))
        }
        guard excess == nil else { return false }
        bytes.append(contentsOf: more)
        return true
    }
}

extension ScriptError {
    /// The limit of a work, which fails its operation: `cannot read 'x': it holds more than 256 MiB`.
    static func excess(_ text: String, _ excess: LimitedBytes.Excess, _ remedy: String = "") -> ScriptError {
        switch excess {
        case .limit(let limit):
            ScriptError(.limit, "\(text) more than \(sizeText(limit)); set the option 'limit'\(remedy)")
        case .memory: ScriptError(.limit, "\(text) more than the memory that is left allows")
        }
    }
}

/// Bytes of an option `limit`.
func limitOption(_ value: ScriptValue) throws(ScriptConversionError) -> Int {
    let limit = try Double(scriptValue: value)
    guard limit >= 0, limit <= 1e15 else {
        throw ScriptConversionError(expected: "number of bytes from 0 to 1e15", got: "\(limit)")
    }
    return Int(limit)
}
