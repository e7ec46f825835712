/// Script values as bytes: stable, and canonical, so that equal values have equal digests.
///
/// Each value is a byte for its kind and its content. Entries of a table are sorted by the bytes of their keys.
package enum ValueBytes {
    private enum Kind: UInt8 {
        case `nil`, null, `false`, `true`, integer, number, string, array, table, data
    }

    /// Appends a value.
    ///
    /// - Returns: False for a value that holds an object of the host, which has no bytes.
    package static func append(_ value: ScriptValue, to bytes: inout [UInt8]) -> Bool {
        switch value {
        case .nil: bytes.append(Kind.nil.rawValue)
        case .null: bytes.append(Kind.null.rawValue)
        case .boolean(let flag): bytes.append(flag ? Kind.true.rawValue : Kind.false.rawValue)
        case .integer(let number):
            bytes.append(Kind.integer.rawValue)
            append(word: UInt64(bitPattern: number), to: &bytes)
        case .number(let number):
            bytes.append(Kind.number.rawValue)
            append(word: number.bitPattern, to: &bytes)
        case .string(let text): append(.string, text, to: &bytes)
        case .data(let data): append(.data, data.bytes, to: &bytes)
        case .array(let elements):
            bytes.append(Kind.array.rawValue)
            append(count: elements.count, to: &bytes)
            for element in elements where !append(element, to: &bytes) { return false }
        case .table(let table): return append(table, to: &bytes)
        case .object: return false
        }
        return true
    }

    private static func append(_ table: ScriptTable, to bytes: inout [UInt8]) -> Bool {
        var entries: [(key: [UInt8], value: ScriptValue)] = []
        entries.reserveCapacity(table.entries.count)
        for entry in table.entries {
            var key: [UInt8] = []
            guard append(entry.key, to: &key) else { return false }
            entries.append((key, entry.value))
        }
        entries.sort { $0.key.lexicographicallyPrecedes($1.key) }
        bytes.append(Kind.table.rawValue)
        append(count: entries.count, to: &bytes)
        for entry in entries {
            bytes += entry.key
            guard append(entry.value, to: &bytes) else { return false }
        }
        return true
    }

    private static func append(_ kind: Kind, _ content: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(kind.rawValue)
        append(count: content.count, to: &bytes)
        bytes += content
    }

    /// Seven bits in each byte; the last one has its highest bit clear.
    private static func append(count: Int, to bytes: inout [UInt8]) {
        var rest = UInt64(count)
        while rest >= 128 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func append(word: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: word >> shift))
        }
    }

    /// Several values, one after the other; nil if one of them has no bytes.
    package static func encode(_ values: [ScriptValue]) -> [UInt8]? {
        var bytes: [UInt8] = []
        for value in values where !append(value, to: &bytes) { return nil }
        return bytes
    }

    // MARK: Reading

    /// The values in bytes; nil if they were not written by ``encode(_:)``.
    package static func decode(_ bytes: [UInt8]) -> [ScriptValue]? {
        var reader = Reader(bytes: bytes)
        var values: [ScriptValue] = []
        while !reader.isAtEnd {
            guard let value = reader.value(depth: 0) else { return nil }
            values.append(value)
        }
        return values
    }

    private struct Reader {
        let bytes: [UInt8]
        var place = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { place >= bytes.count }

        mutating func value(depth: Int) -> ScriptValue? {
            guard place < bytes.count, depth <= ScriptValue.deepestNesting,
                let kind = Kind(rawValue: bytes[place])
            else { return nil }
            place += 1
            switch kind {
            case .nil: return .nil
            case .null: return .null
            case .false: return .boolean(false)
            case .true: return .boolean(true)
            case .integer: return word().map { .integer(Int64(bitPattern: $0)) }
            case .number: return word().map { .number(Double(bitPattern: $0)) }
            case .string: return content().map { .string($0) }
            case .data: return content().map { .data(ScriptData($0)) }
            case .array:
                guard let count = count() else { return nil }
                var elements: [ScriptValue] = []
                for _ in 0..<count {
                    guard let element = value(depth: depth + 1) else { return nil }
                    elements.append(element)
                }
                return .array(elements)
            case .table:
                guard let count = count() else { return nil }
                var entries: [ScriptTable.Entry] = []
                for _ in 0..<count {
                    guard let key = value(depth: depth + 1), let value = value(depth: depth + 1) else {
                        return nil
                    }
                    entries.append(ScriptTable.Entry(key: key, value: value))
                }
                return .table(ScriptTable(entries))
            }
        }

        private mutating func word() -> UInt64? {
            guard bytes.count - place >= 8 else { return nil }
            var word: UInt64 = 0
            for offset in 0..<8 { word |= UInt64(bytes[place + offset]) << UInt64(8 * offset) }
            place += 8
            return word
        }

        /// A number of parts, each of which has a byte at least.
        private mutating func count() -> Int? {
            var result: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 63, by: 7) {
                guard place < bytes.count else { return nil }
                let byte = bytes[place]
                place += 1
                result |= UInt64(byte & 127) << shift
                if byte < 128 { return result <= UInt64(bytes.count - place) ? Int(result) : nil }
            }
            return nil
        }

        private mutating func content() -> [UInt8]? {
            guard let count = count() else { return nil }
            defer { place += count }
            return Array(bytes[place..<place + count])
        }
    }
}

extension ScriptValue {
    /// A short text of the value for explanations, at most about so many bytes long.
    package func summary(limit: Int = 2_000) -> String {
        var text = ""
        appendSummary(to: &text, limit)
        return text
    }

    private func appendSummary(to text: inout String, _ limit: Int) {
        guard text.utf8.count < limit else {
            if !text.hasSuffix("…") { text += "…" }
            return
        }
        switch self {
        case .nil: text += "nil"
        case .null: text += "json.null"
        case .boolean(let flag): text += flag ? "true" : "false"
        case .integer(let number): text += String(number)
        case .number(let number): text += String(number)
        case .string(let bytes):
            let shown = ScriptValue.string(Array(bytes.prefix(limit))).debugDescription
            text += VisibleText.line(String(shown.dropLast())) + (bytes.count > limit ? "…\"" : "\"")
        case .data(let data): text += "Data (\(data.bytes.count) bytes)"
        case .object: text += self.typeName
        case .array(let elements):
            text += "{"
            for (place, element) in elements.enumerated() where text.utf8.count < limit {
                text += place == 0 ? " " : ", "
                element.appendSummary(to: &text, limit)
            }
            text += elements.isEmpty ? "}" : " }"
        case .table(let table):
            text += "{"
            var place = 0
            for entry in Self.sorted(table) where text.utf8.count < limit {
                text += place == 0 ? " " : ", "
                place += 1
                if case .string(let key) = entry.key {
                    text += VisibleText.line(String(decoding: key.prefix(100), as: UTF8.self))
                } else {
                    text += "["
                    entry.key.appendSummary(to: &text, limit)
                    text += "]"
                }
                text += " = "
                entry.value.appendSummary(to: &text, limit)
            }
            text += place == 0 ? "}" : " }"
        }
    }

    private static func sorted(_ table: ScriptTable) -> [ScriptTable.Entry] {
        guard table.entries.count > 1 else { return table.entries }
        return table.entries.sorted { left, right in
            ValueBytes.encode([left.key])?.lexicographicallyPrecedes(ValueBytes.encode([right.key]) ?? [])
                ?? false
        }
    }
}
