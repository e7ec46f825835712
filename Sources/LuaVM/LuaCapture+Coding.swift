extension LuaCapture {
    /// The function and all that it has captured as bytes, from which another process makes it again. Unlike
    /// ``canonicalBytes(_:)`` they keep lines and names, so that errors name their places.
    ///
    /// - Parameter foreign: The bytes of a value that the host carried; nil if it has none.
    /// - Returns: nil if a value has no bytes.
    public func coded(foreign: @escaping (any Sendable) -> [UInt8]?) -> [UInt8]? {
        var coder = CaptureCoder(foreign: foreign)
        coder.append(place)
        coder.append(hasFinalizers ? 1 : 0)
        coder.append(functions.count)
        for function in functions {
            coder.append(bytes: function.code)
            coder.append(function.upvalues.count)
            for cell in function.upvalues { coder.append(cell) }
        }
        coder.append(cells.count)
        for cell in cells where !coder.append(cell) { return nil }
        coder.append(tables.count)
        for table in tables {
            coder.append(table.entries.count)
            for entry in table.entries where !(coder.append(entry.key) && coder.append(entry.value)) {
                return nil
            }
            guard coder.append(table.metatable ?? .nil) else { return nil }
        }
        return coder.bytes
    }

    /// Makes the function again; nil if the bytes are not those of one.
    ///
    /// The code in them is trusted: a binary chunk that was changed can do anything.
    /// - Parameter foreign: Makes a value again that the host carried; nil if its bytes are none.
    public convenience init?(coded bytes: [UInt8], foreign: ([UInt8]) -> (any Sendable)?) {
        var reader = CaptureReader(bytes: bytes)
        guard let place = reader.text(), let finalizers = reader.number() else { return nil }
        var functions: [Function] = []
        guard let functionCount = reader.count() else { return nil }
        for _ in 0..<functionCount {
            guard let code = reader.content(), let upvalueCount = reader.count() else { return nil }
            var function = Function(code: code)
            for _ in 0..<upvalueCount {
                guard let cell = reader.number() else { return nil }
                function.upvalues.append(cell)
            }
            functions.append(function)
        }
        guard let cellCount = reader.count() else { return nil }
        var cells: [Value] = []
        for _ in 0..<cellCount {
            guard let cell = reader.value(foreign) else { return nil }
            cells.append(cell)
        }
        guard let tableCount = reader.count() else { return nil }
        var tables: [Table] = []
        for _ in 0..<tableCount {
            guard let entryCount = reader.count() else { return nil }
            var table = Table()
            for _ in 0..<entryCount {
                guard let key = reader.value(foreign), let value = reader.value(foreign) else { return nil }
                table.entries.append((key, value))
            }
            guard let metatable = reader.value(foreign) else { return nil }
            if case .nil = metatable {} else { table.metatable = metatable }
            tables.append(table)
        }
        self.init(
            tables: tables,
            functions: functions,
            cells: cells,
            hasFinalizers: finalizers != 0,
            place: place
        )
        guard areNumbersValid, reader.isAtEnd, !functions.isEmpty else { return nil }
    }

    /// Whether all numbers of objects are those of objects in the capture.
    private var areNumbersValid: Bool {
        func isValid(_ value: Value) -> Bool {
            switch value {
            case .table(let number): tables.indices.contains(number)
            case .function(let number): functions.indices.contains(number)
            default: true
            }
        }
        return cells.allSatisfy(isValid)
            && functions.allSatisfy { $0.upvalues.allSatisfy(cells.indices.contains) }
            && tables.allSatisfy { table in
                table.entries.allSatisfy { isValid($0.key) && isValid($0.value) }
                    && table.metatable.map(isValid) ?? true
            }
    }
}

/// The kinds of captured values in bytes.
private enum CodedKind: UInt8 {
    case `nil`, `false`, `true`, integer, number, string, table, function, globals, library, foreign
}

private struct CaptureCoder {
    let foreign: (any Sendable) -> [UInt8]?
    private(set) var bytes: [UInt8] = []

    init(foreign: @escaping (any Sendable) -> [UInt8]?) { self.foreign = foreign }

    mutating func append(word: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: word >> shift))
        }
    }

    mutating func append(_ number: Int) { append(word: UInt64(bitPattern: Int64(number))) }

    mutating func append(bytes content: [UInt8]) {
        append(content.count)
        bytes += content
    }

    mutating func append(_ text: String) { append(bytes: Array(text.utf8)) }

    private mutating func append(kind: CodedKind) { bytes.append(kind.rawValue) }

    /// False for a value that has no bytes.
    mutating func append(_ value: LuaCapture.Value) -> Bool {
        switch value {
        case .nil: append(kind: .nil)
        case .boolean(let flag): append(kind: flag ? .true : .false)
        case .integer(let number):
            append(kind: .integer)
            append(number)
        case .number(let number):
            append(kind: .number)
            append(word: number.bitPattern)
        case .string(let text):
            append(kind: .string)
            append(bytes: text)
        case .table(let number):
            append(kind: .table)
            append(number)
        case .function(let number):
            append(kind: .function)
            append(number)
        case .globals: append(kind: .globals)
        case .library(let name):
            append(kind: .library)
            append(name)
        case .foreign(let object):
            guard let content = foreign(object) else { return false }
            append(kind: .foreign)
            append(bytes: content)
        }
        return true
    }
}

private struct CaptureReader {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    private mutating func word() -> UInt64? {
        guard bytes.count - place >= 8 else { return nil }
        defer { place += 8 }
        return (0..<8).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
    }

    mutating func number() -> Int? { word().map { Int(Int64(bitPattern: $0)) } }

    /// A number of things of which each takes a byte at least.
    mutating func count() -> Int? {
        guard let count = number(), count >= 0, count <= bytes.count - place else { return nil }
        return count
    }

    mutating func content() -> [UInt8]? {
        guard let count = count() else { return nil }
        defer { place += count }
        return Array(bytes[place..<place + count])
    }

    mutating func text() -> String? { content().map { String(decoding: $0, as: UTF8.self) } }

    mutating func value(_ foreign: ([UInt8]) -> (any Sendable)?) -> LuaCapture.Value? {
        guard place < bytes.count, let kind = CodedKind(rawValue: bytes[place]) else { return nil }
        place += 1
        switch kind {
        case .nil: return .nil
        case .false: return .boolean(false)
        case .true: return .boolean(true)
        case .integer: return number().map { .integer($0) }
        case .number: return word().map { .number(Double(bitPattern: $0)) }
        case .string: return content().map { .string($0) }
        case .table: return number().map { .table($0) }
        case .function: return number().map { .function($0) }
        case .globals: return .globals
        case .library: return text().map { .library($0) }
        case .foreign: return content().flatMap(foreign).map { .foreign($0) }
        }
    }
}
