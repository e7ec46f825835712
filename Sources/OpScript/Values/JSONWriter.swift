extension ScriptValue {
    /// Writes the value as JSON, the same bytes for the same value: names are sorted by their bytes.
    ///
    /// Floats are written in the shortest way that reads back as the same float, `1.0` stays `1.0`. nil and ``null``
    /// become `null`; a table without entries becomes `{}`, an array without elements `[]`.
    ///
    /// - Parameter pretty: One element per line, indented by two spaces.
    /// - Throws: ``ScriptError`` with the place of a value that JSON cannot hold: NaN and infinities, keys
    ///   that are not strings, strings that are not UTF-8, objects of the host, nesting deeper than 512.
    public func json(pretty: Bool = false) throws(ScriptError) -> [UInt8] {
        var writer = JSONWriter(isPretty: pretty)
        try writer.write(self)
        return writer.bytes
    }
}

/// Collects the bytes of one text; recursion is bounded by the nesting limit.
private struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private let isPretty: Bool
    /// The path from the outermost value to the one that is being written.
    private var path: [Step] = []

    private enum Step {
        case name([UInt8])
        case index(Int)
    }

    init(isPretty: Bool) {
        self.isPretty = isPretty
    }

    mutating func write(_ value: ScriptValue) throws(ScriptError) {
        // A value other than a string takes less than this, its indentation included.
        try makeRoom(2 * path.count + 64)
        switch value {
        case .nil, .null: append("null")
        case .boolean(let flag): append(flag ? "true" : "false")
        case .integer(let integer): append("\(integer)")
        case .number(let number):
            guard number.isFinite else { throw refusal("JSON has no \(number)") }
            append("\(number)")
        case .string(let text): try write(text)
        case .data(let data): try write(data.bytes)
        case .array(let elements): try write(elements)
        case .table(let table): try write(table)
        case .object: throw refusal("JSON has no \(value.typeName)")
        }
    }

    private func makeRoom(_ count: Int) throws(ScriptError) {
        guard MemoryPace().allows(growing: bytes, by: count) else {
            throw ScriptError(.limit, "the JSON text has more bytes than the memory that is left allows")
        }
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func write(_ elements: [ScriptValue]) throws(ScriptError) {
        guard !elements.isEmpty else { return append("[]") }
        try checkDepth()
        bytes.append(UInt8(ascii: "["))
        for (offset, element) in elements.enumerated() {
            if offset > 0 { bytes.append(UInt8(ascii: ",")) }
            path.append(.index(offset + 1))
            newLine()
            try write(element)
            path.removeLast()
        }
        newLine()
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ table: ScriptTable) throws(ScriptError) {
        var fields: [(name: [UInt8], value: ScriptValue)] = []
        guard MemoryPace().allows(growing: fields, by: table.entries.count) else {
            throw ScriptError(.limit, "the JSON text needs more memory than is left")
        }
        fields.reserveCapacity(table.entries.count)
        for entry in table.entries {
            guard case .string(let name) = entry.key else {
                throw refusal(
                    "a key that is a \(entry.key.typeName); keys in JSON are strings, and arrays have the keys 1…n"
                )
            }
            if case .nil = entry.value { continue }
            fields.append((name, entry.value))
        }
        guard !fields.isEmpty else { return append("{}") }
        try checkDepth()
        fields.sort { $0.name.lexicographicallyPrecedes($1.name) }
        bytes.append(UInt8(ascii: "{"))
        for (offset, field) in fields.enumerated() {
            if offset > 0 { bytes.append(UInt8(ascii: ",")) }
            path.append(.name(field.name))
            newLine()
            try write(field.name)
            append(isPretty ? ": " : ":")
            try write(field.value)
            path.removeLast()
        }
        newLine()
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func newLine() {
        guard isPretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: path.count * 2))
    }

    private mutating func write(_ text: [UInt8]) throws(ScriptError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: text.span)
        } catch {
            throw refusal("a string that is not UTF-8")
        }
        // Each byte may become six.
        try makeRoom(6 * text.count + 2)
        bytes.append(UInt8(ascii: "\""))
        var plainStart = 0
        for (offset, byte) in text.enumerated()
        where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            bytes.append(contentsOf: text[plainStart..<offset])
            plainStart = offset + 1
            writeEscape(of: byte)
        }
        bytes.append(contentsOf: text[plainStart...])
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func writeEscape(of byte: UInt8) {
        switch byte {
        case 0x08: append("\\b")
        case 0x09: append("\\t")
        case 0x0A: append("\\n")
        case 0x0C: append("\\f")
        case 0x0D: append("\\r")
        case 0..<0x10: append("\\u000" + String(byte, radix: 16))
        case 0x10..<0x20: append("\\u00" + String(byte, radix: 16))
        default: bytes += [UInt8(ascii: "\\"), byte]
        }
    }

    private func checkDepth() throws(ScriptError) {
        if path.count >= ScriptValue.deepestNesting {
            throw refusal("nested deeper than \(ScriptValue.deepestNesting) levels")
        }
    }

    /// The error with the place of the value.
    private func refusal(_ what: String) -> ScriptError {
        // The whole path to a very deep place would not help.
        let shown = path.prefix(20).enumerated().map { offset, step in
            switch step {
            case .name(let name): (offset > 0 ? "." : "") + String(decoding: name, as: UTF8.self)
            case .index(let index): "[\(index)]"
            }
        }
        let place = path.isEmpty ? "" : "field '\(shown.joined())\(path.count > 20 ? "…" : "")': "
        return ScriptError(.failed, "cannot encode as JSON: \(place)\(what)")
    }
}
