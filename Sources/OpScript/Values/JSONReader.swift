extension ScriptValue {
    /// The deepest nesting of tables that leaves a script, and of arrays and objects in JSON that is read and written.
    static let deepestNesting = 512

    /// Reads JSON, strictly by RFC 8259.
    ///
    /// Integers that fit into 64 bits stay integers, other numbers are floats. `null` is ``null``, `[]` an
    /// array and `{}` a table. Of several fields with the same name, the last one counts.
    ///
    /// - Throws: ``ScriptError`` with line and column of the first thing that is not JSON; also for text that is not
    ///   UTF-8, floats too large for 64 bits and nesting deeper than 512.
    public init(json text: [UInt8]) throws(ScriptError) {
        let outcome = text.withUnsafeBufferPointer { bytes in
            Result<ScriptValue, ScriptError> { () throws(ScriptError) in try ScriptValue(json: bytes) }
        }
        self = try outcome.get()
    }

    /// Reads JSON from memory that the caller keeps for the duration of the call.
    package init(json text: UnsafeBufferPointer<UInt8>) throws(ScriptError) {
        do throws(JSONFault) {
            self = try JSONReader.read(text)
        } catch {
            throw error.isMemory ? ScriptError(.limit, error.message) : error.located(in: text)
        }
    }
}

/// The fault in a JSON text, and its byte position.
private struct JSONFault: Error {
    var offset: Int
    var message: String
    /// Whether the text is right, but the memory that is left does not suffice for its value.
    var isMemory = false

    /// The same fault with line and column, both counted from 1; the column in characters, not bytes.
    func located(in text: UnsafeBufferPointer<UInt8>) -> ScriptError {
        let before = text[..<min(offset, text.count)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
        return ScriptError(.failed, "invalid JSON at line \(line), column \(column): \(message)")
    }
}

/// Reads one text from front to back; recursion is bounded by the nesting limit.
private struct JSONReader {
    private let text: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var depth = 0
    private var pace = MemoryPace()

    /// About the memory of a value besides its place in an array or object.
    private static let valueSize = 32

    static func read(_ text: UnsafeBufferPointer<UInt8>) throws(JSONFault) -> ScriptValue {
        if text.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw JSONFault(offset: 0, message: "a byte order mark; save the text without one")
        }
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: text.span)
        } catch {
            throw JSONFault(offset: error.byteOffsets.lowerBound, message: "not UTF-8")
        }
        var reader = JSONReader(text: text)
        reader.skipSpace()
        let value = try reader.value()
        reader.skipSpace()
        guard reader.position == text.count else {
            throw reader.fault("the end of the text expected, got \(reader.here)")
        }
        return value
    }

    private init(text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    private var byte: UInt8? {
        position < text.count ? text[position] : nil
    }

    private func fault(_ message: String) -> JSONFault {
        JSONFault(offset: position, message: message)
    }

    /// The text at the position, for messages.
    private var here: String {
        guard let byte else { return "the end of the text" }
        if byte < 0x20 || byte == 0x7F { return "the control character \(byte)" }
        let scalars = String(decoding: text[position...].prefix(4), as: UTF8.self).unicodeScalars
        return "'\(scalars.first ?? "?")'"
    }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private var memoryFault: JSONFault {
        JSONFault(
            offset: position,
            message: "the value of a JSON text of \(text.count) bytes needs more memory than is left",
            isMemory: true
        )
    }

    private mutating func value() throws(JSONFault) -> ScriptValue {
        guard pace.allows(Self.valueSize) else { throw memoryFault }
        switch byte {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): return try number()
        case UInt8(ascii: "t"): return try word("true", .boolean(true))
        case UInt8(ascii: "f"): return try word("false", .boolean(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw fault("a value expected, got \(here)")
        }
    }

    private mutating func word(_ word: StaticString, _ value: ScriptValue) throws(JSONFault) -> ScriptValue {
        guard text[position...].starts(with: word.description.utf8) else {
            throw fault("a value expected, got \(here)")
        }
        position += word.utf8CodeUnitCount
        return value
    }

    private mutating func enter() throws(JSONFault) {
        depth += 1
        if depth > ScriptValue.deepestNesting {
            throw fault("nested deeper than \(ScriptValue.deepestNesting) levels")
        }
        position += 1
        skipSpace()
    }

    private mutating func array() throws(JSONFault) -> ScriptValue {
        let start = position
        try enter()
        defer { depth -= 1 }
        var elements: [ScriptValue] = []
        if byte == UInt8(ascii: "]") {
            position += 1
            return .array(elements)
        }
        while true {
            guard pace.allows(growing: elements) else { throw memoryFault }
            elements.append(try value())
            if try !separator("]", opened: start, as: "array") { return .array(elements) }
        }
    }

    private mutating func object() throws(JSONFault) -> ScriptValue {
        let start = position
        try enter()
        defer { depth -= 1 }
        var fields = FieldList()
        if byte == UInt8(ascii: "}") {
            position += 1
            return .table(ScriptTable())
        }
        while true {
            guard byte == UInt8(ascii: "\"") else { throw fault("a name in quotes expected, got \(here)") }
            let name = try string()
            skipSpace()
            guard byte == UInt8(ascii: ":") else { throw fault("':' expected after a name, got \(here)") }
            position += 1
            skipSpace()
            guard pace.allows(growing: fields.entries), pace.allows(name.count) else { throw memoryFault }
            fields.set(name, try value())
            if try !separator("}", opened: start, as: "object") { return .table(ScriptTable(fields.entries)) }
        }
    }

    /// Skips `,` (true) or the closing bracket (false).
    private mutating func separator(
        _ closing: Unicode.Scalar,
        opened start: Int,
        as kind: StaticString
    ) throws(JSONFault) -> Bool {
        skipSpace()
        switch byte {
        case UInt8(ascii: ","):
            position += 1
            skipSpace()
            return true
        case UInt8(ascii: closing):
            position += 1
            return false
        case nil:
            throw JSONFault(offset: start, message: "this \(kind) is never closed")
        default:
            throw fault("',' or '\(closing)' expected, got \(here)")
        }
    }

    // MARK: Strings

    private mutating func string() throws(JSONFault) -> [UInt8] {
        let start = position
        position += 1
        var result: [UInt8] = []
        var plainStart = position
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                guard pace.allows(position - start) else { throw memoryFault }
                result.append(contentsOf: text[plainStart..<position])
                position += 1
                return result
            case UInt8(ascii: "\\"):
                guard pace.allows(position - plainStart) else { throw memoryFault }
                result.append(contentsOf: text[plainStart..<position])
                try escape(into: &result)
                plainStart = position
            case 0..<0x20:
                throw fault("\(here) inside a string; write it as an escape")
            default:
                position += 1
            }
        }
        throw JSONFault(offset: start, message: "this string is never closed")
    }

    private mutating func escape(into result: inout [UInt8]) throws(JSONFault) {
        let start = position
        position += 1
        guard let kind = byte else { throw fault("an escape expected, got \(here)") }
        let plain: UInt8
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = kind
        case UInt8(ascii: "b"): plain = 0x08
        case UInt8(ascii: "f"): plain = 0x0C
        case UInt8(ascii: "n"): plain = 0x0A
        case UInt8(ascii: "r"): plain = 0x0D
        case UInt8(ascii: "t"): plain = 0x09
        case UInt8(ascii: "u"):
            result.append(contentsOf: Character(try unicodeEscape(from: start)).utf8)
            return
        default:
            throw JSONFault(offset: start, message: "unknown escape; \(here) cannot follow a backslash")
        }
        result.append(plain)
        position += 1
    }

    private mutating func unicodeEscape(from start: Int) throws(JSONFault) -> Unicode.Scalar {
        let first = try hexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let lonely = JSONFault(offset: start, message: "half of a surrogate pair, which is not a character")
        guard first < 0xDC00, byte == UInt8(ascii: "\\"), position + 1 < text.count,
            text[position + 1] == UInt8(ascii: "u")
        else { throw lonely }
        position += 1
        let second = try hexDigits()
        guard 0xDC00..<0xE000 ~= second,
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw lonely }
        return scalar
    }

    /// Reads `u` and four hexadecimal digits.
    private mutating func hexDigits() throws(JSONFault) -> UInt32 {
        position += 1
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw fault("four hexadecimal digits expected after \\u, got \(here)")
            }
            value = value << 4 + UInt32(digit)
            position += 1
        }
        return value
    }

    // MARK: Numbers

    private mutating func number() throws(JSONFault) -> ScriptValue {
        let start = position
        let isNegative = byte == UInt8(ascii: "-")
        if isNegative { position += 1 }
        guard let first = byte, isDigit(first) else { throw fault("a digit expected, got \(here)") }
        // Accumulated as a negative number, since the negative range has one more value.
        var integer: Int64 = 0
        var fits = true
        if first == UInt8(ascii: "0") {
            position += 1
            if let byte, isDigit(byte) {
                throw JSONFault(offset: start, message: "a number must not begin with 0 and more digits")
            }
        }
        while let byte, isDigit(byte) {
            let (product, tooLarge) = integer.multipliedReportingOverflow(by: 10)
            let (sum, alsoTooLarge) = product.subtractingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            fits = fits && !tooLarge && !alsoTooLarge
            integer = sum
            position += 1
        }
        let isFloat = try fractionAndExponent()
        if !isFloat, fits, isNegative || integer != .min {
            return .integer(isNegative ? integer : -integer)
        }
        guard let float = Double(String(decoding: text[start..<position], as: UTF8.self)), float.isFinite
        else {
            throw JSONFault(offset: start, message: "this number is too large for a float of 64 bits")
        }
        return .number(float)
    }

    /// Skips a fraction and an exponent such as `.5e+10`; false if there is neither.
    private mutating func fractionAndExponent() throws(JSONFault) -> Bool {
        var found = false
        if byte == UInt8(ascii: ".") {
            found = true
            position += 1
            try digits()
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            found = true
            position += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return found
    }

    private mutating func digits() throws(JSONFault) {
        guard let byte, isDigit(byte) else { throw fault("a digit expected, got \(here)") }
        while let byte = self.byte, isDigit(byte) { position += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}

/// The fields of an object in the order of the text; a later one replaces an earlier one of the same name.
private struct FieldList {
    private(set) var entries: [ScriptTable.Entry] = []
    /// The place of each name; only kept for objects with too many fields for a linear search.
    private var places: [[UInt8]: Int] = [:]

    private static let fewFields = 12

    mutating func set(_ name: [UInt8], _ value: ScriptValue) {
        if let place = place(of: name) {
            entries[place].value = value
            return
        }
        if !places.isEmpty { places[name] = entries.count }
        entries.append(ScriptTable.Entry(key: .string(name), value: value))
        if places.isEmpty, entries.count > Self.fewFields {
            for (place, entry) in entries.enumerated() {
                if case .string(let name) = entry.key { places[name] = place }
            }
        }
    }

    private func place(of name: [UInt8]) -> Int? {
        if !places.isEmpty { return places[name] }
        return entries.firstIndex { entry in
            if case .string(let other) = entry.key { other == name } else { false }
        }
    }
}
