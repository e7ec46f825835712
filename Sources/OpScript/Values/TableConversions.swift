extension ScriptTable: ScriptConvertible {
    /// `"table"`.
    public static var scriptTypeName: String { "table" }

    /// Takes any table; the entries of an array have the keys 1…n.
    public init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        switch scriptValue {
        case .table(let table):
            self = table
        case .array(let elements):
            self.init(
                elements.enumerated().map { Entry(key: .integer(Int64($0.offset) + 1), value: $0.element) }
            )
        default:
            throw ScriptConversionError(expected: Self.scriptTypeName, value: scriptValue)
        }
    }

    /// A table.
    public var scriptValue: ScriptValue { .table(self) }
}

extension ScriptValue {
    /// The elements, for a type that wants an array.
    ///
    /// An array has its own elements. A table has elements if it is empty, or if its field `n` is a length
    /// and its other keys lie between 1 and `n`, as in the result of `table.pack`; missing elements are then
    /// nil.
    ///
    /// - Throws: An error with `expected` as the expected value.
    func elements(expected: String) throws(ScriptConversionError) -> [ScriptValue] {
        switch self {
        case .array(let elements):
            return elements
        case .table(let table):
            if table.entries.isEmpty { return [] }
            guard let packed = table.packedElements() else {
                throw ScriptConversionError(expected: expected, got: "a table with other keys than 1…n")
            }
            return packed
        default:
            throw ScriptConversionError(expected: expected, value: self)
        }
    }
}

extension ScriptTable {
    /// The most missing elements that a field `n` may claim: a table with `n = 2^40` must not cost that much
    /// memory.
    private static let mostMissingElements: Int64 = 1_000_000

    fileprivate func packedElements() -> [ScriptValue]? {
        guard case .integer(let length)? = self["n"], length >= 0,
            length <= Int64(entries.count) + Self.mostMissingElements
        else { return nil }
        var elements = [ScriptValue](repeating: .nil, count: Int(length))
        for entry in entries {
            switch entry.key {
            case .integer(let index) where (1...max(1, length)).contains(index) && length > 0:
                elements[Int(index) - 1] = entry.value
            case .string(let name) where name.elementsEqual("n".utf8):
                continue
            default:
                return nil
            }
        }
        return elements
    }
}

extension Array: ScriptConvertible where Element: ScriptConvertible {
    /// `"array of integer"`; `"string or Data"` for bytes.
    public static var scriptTypeName: String {
        Element.self == UInt8.self ? ScriptData.scriptTypeName : "array of \(Element.scriptTypeName)"
    }

    /// Takes an array; `[UInt8]` takes a string or a `Data` instead.
    public init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        if Element.self == UInt8.self, let bytes = try ScriptData.bytes(of: scriptValue) as? [Element] {
            self = bytes
            return
        }
        let elements = try scriptValue.elements(expected: Self.scriptTypeName)
        self.init()
        reserveCapacity(elements.count)
        for (offset, element) in elements.enumerated() {
            do throws(ScriptConversionError) {
                append(try Element(scriptValue: element))
            } catch {
                throw error.inside(index: offset + 1)
            }
        }
    }

    /// An array; for `[UInt8]` a string.
    public var scriptValue: ScriptValue {
        if Element.self == UInt8.self, let bytes = self as? [UInt8] { return .string(bytes) }
        return .array(map(\.scriptValue))
    }
}

extension Dictionary: ScriptConvertible where Key == String, Value: ScriptConvertible {
    /// `"table of integer"`.
    public static var scriptTypeName: String { "table of \(Value.scriptTypeName)" }

    /// Takes a table whose keys are all strings.
    public init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        self.init()
        for (name, value) in try scriptValue.namedFields(expected: Self.scriptTypeName) {
            do throws(ScriptConversionError) {
                self[name] = try Value(scriptValue: value)
            } catch {
                throw error.inside(field: name)
            }
        }
    }

    /// A table.
    public var scriptValue: ScriptValue {
        .table(ScriptTable(map { ScriptTable.Entry(key: .text($0.key), value: $0.value.scriptValue) }))
    }
}

extension ScriptValue {
    /// Names and values, for a type that wants a table with string keys.
    func namedFields(expected: String) throws(ScriptConversionError) -> [(String, ScriptValue)] {
        switch self {
        case .array(let elements) where elements.isEmpty:
            return []
        case .table(let table):
            var fields: [(String, ScriptValue)] = []
            fields.reserveCapacity(table.entries.count)
            for entry in table.entries {
                guard case .string(let bytes) = entry.key else {
                    throw ScriptConversionError(expected: expected, got: "a \(entry.key.typeName) as key")
                }
                guard let name = String(validating: bytes, as: UTF8.self) else {
                    throw ScriptConversionError(expected: expected, got: "a key that is not UTF-8")
                }
                fields.append((name, entry.value))
            }
            return fields
        case .array:
            throw ScriptConversionError(expected: expected, got: "an array")
        default:
            throw ScriptConversionError(expected: expected, value: self)
        }
    }
}

extension Optional: ScriptConvertible where Wrapped: ScriptConvertible {
    /// The name of the wrapped type.
    public static var scriptTypeName: String { Wrapped.scriptTypeName }

    /// Takes nil and `json.null` as nil, and other values as the wrapped type does.
    public init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        switch scriptValue {
        case .nil, .null: self = nil
        default: self = try Wrapped(scriptValue: scriptValue)
        }
    }

    /// The wrapped value, or nil.
    public var scriptValue: ScriptValue { self?.scriptValue ?? .nil }
}
