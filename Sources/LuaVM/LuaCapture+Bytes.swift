extension LuaCapture {
    /// The function and all that it has captured as bytes: the same for the same code and values, in any process.
    ///
    /// They contain no name of a variable, no line and no place, so that neither a comment nor an empty line makes a
    /// difference. The order of two keys of a table that are themselves tables or functions does.
    /// - Parameter foreign: The bytes of a value that the host carried; nil if it has none.
    /// - Returns: nil if a value has no bytes.
    public func canonicalBytes(_ foreign: @escaping (any Sendable) -> [UInt8]?) -> [UInt8]? {
        var writer = CaptureWriter(capture: self, foreign: foreign)
        return writer.write() ? writer.bytes : nil
    }
}

/// Writes a capture object by object, in the order in which they are reached.
private struct CaptureWriter {
    private enum Object: Hashable {
        case table(Int), function(Int)
    }

    let capture: LuaCapture
    let foreign: (any Sendable) -> [UInt8]?
    private(set) var bytes: [UInt8] = []
    private var order: [Object] = []
    private var numbers: [Object: Int] = [:]
    private var cellNumbers: [Int: Int] = [:]

    init(capture: LuaCapture, foreign: @escaping (any Sendable) -> [UInt8]?) {
        self.capture = capture
        self.foreign = foreign
    }

    mutating func write() -> Bool {
        _ = number(of: .function(0))
        var next = 0
        while next < order.count {
            switch order[next] {
            case .function(let number): guard write(function: number) else { return false }
            case .table(let number): guard write(table: number) else { return false }
            }
            next += 1
        }
        return true
    }

    private mutating func number(of object: Object) -> Int {
        if let known = numbers[object] { return known }
        numbers[object] = order.count
        order.append(object)
        return order.count - 1
    }

    private mutating func write(function number: Int) -> Bool {
        let function = capture.functions[number]
        append(0, LuaChunkBytes.withoutDebug(function.code) ?? function.code)
        append(count: function.upvalues.count)
        for cell in function.upvalues {
            if let known = cellNumbers[cell] {
                bytes.append(1)
                append(count: known)
            } else {
                cellNumbers[cell] = cellNumbers.count
                guard append(capture.cells[cell]) else { return false }
            }
        }
        return true
    }

    private mutating func write(table number: Int) -> Bool {
        var plain: [(key: [UInt8], value: LuaCapture.Value)] = []
        var others: [(key: LuaCapture.Value, value: LuaCapture.Value)] = []
        for entry in capture.tables[number].entries {
            switch entry.key {
            case .table, .function: others.append(entry)
            default:
                guard let key = content(entry.key) else { return false }
                plain.append((key, entry.value))
            }
        }
        plain.sort { $0.key.lexicographicallyPrecedes($1.key) }
        bytes.append(2)
        append(count: plain.count)
        for entry in plain {
            bytes += entry.key
            guard append(entry.value) else { return false }
        }
        append(count: others.count)
        for entry in others {
            guard append(entry.key), append(entry.value) else { return false }
        }
        return append(capture.tables[number].metatable ?? .nil)
    }

    private mutating func append(_ value: LuaCapture.Value) -> Bool {
        guard let content = content(value) else { return false }
        bytes += content
        return true
    }

    private mutating func content(_ value: LuaCapture.Value) -> [UInt8]? {
        var target: [UInt8] = []
        switch value {
        case .nil: target.append(3)
        case .boolean(let flag): target.append(flag ? 4 : 5)
        case .integer(let number): Self.append(6, word: UInt64(bitPattern: Int64(number)), to: &target)
        case .number(let number): Self.append(7, word: number.bitPattern, to: &target)
        case .string(let text): Self.append(8, text, to: &target)
        case .table(let number): Self.append(9, word: UInt64(self.number(of: .table(number))), to: &target)
        case .function(let number):
            Self.append(10, word: UInt64(self.number(of: .function(number))), to: &target)
        case .globals: target.append(11)
        case .library(let name): Self.append(12, Array(name.utf8), to: &target)
        case .foreign(let object):
            guard let content = foreign(object) else { return nil }
            Self.append(13, content, to: &target)
        }
        return target
    }

    private mutating func append(_ kind: UInt8, _ content: [UInt8]) { Self.append(kind, content, to: &bytes) }

    private mutating func append(count: Int) { Self.append(14, word: UInt64(count), to: &bytes) }

    private static func append(_ kind: UInt8, _ content: [UInt8], to target: inout [UInt8]) {
        append(kind, word: UInt64(content.count), to: &target)
        target += content
    }

    private static func append(_ kind: UInt8, word: UInt64, to target: inout [UInt8]) {
        target.append(kind)
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            target.append(UInt8(truncatingIfNeeded: word >> shift))
        }
    }
}
