/// A value in the types of Swift; nil if it is of another kind.
extension ScriptValue {
    /// Whether it is ``nil``.
    public var isNil: Bool { if case .nil = self { true } else { false } }

    /// A boolean.
    public var bool: Bool? { if case .boolean(let flag) = self { flag } else { nil } }

    /// A number without a fraction in the range of `Int`: an integer, or a float such as 3.0.
    public var int: Int? {
        switch self {
        case .integer(let number): Int(exactly: number)
        case .number(let number): Int(exactly: number)
        default: nil
        }
    }

    /// Any number.
    public var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// A string, if its bytes are UTF-8.
    public var string: String? {
        if case .string(let bytes) = self { String(validating: bytes, as: UTF8.self) } else { nil }
    }

    /// The bytes of a string.
    public var bytes: [UInt8]? { if case .string(let bytes) = self { bytes } else { nil } }

    /// The elements of a table with the keys 1…n; none for an empty table.
    public var array: [ScriptValue]? {
        switch self {
        case .array(let elements): elements
        case .table(let table) where table.entries.isEmpty: []
        default: nil
        }
    }

    /// Any table.
    public var table: ScriptTable? {
        switch self {
        case .table(let table): table
        case .array(let elements):
            ScriptTable(
                elements.enumerated().map { ScriptTable.Entry(key: .integer(Int64($0 + 1)), value: $1) }
            )
        default: nil
        }
    }

    /// The field of a table; ``nil`` if there is none, or if this is no table.
    public subscript(name: String) -> ScriptValue {
        if case .table(let table) = self { table[name] ?? .nil } else { .nil }
    }
}

/// Literals. There is none for ``nil``: then `nil` in an expression of optional values would be a value of a script.
extension ScriptValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A boolean.
    public init(booleanLiteral flag: Bool) { self = .boolean(flag) }

    /// An integer.
    public init(integerLiteral number: Int64) { self = .integer(number) }

    /// A float.
    public init(floatLiteral number: Double) { self = .number(number) }

    /// A string.
    public init(stringLiteral text: String) { self = .text(text) }

    /// A table with the keys 1…n.
    public init(arrayLiteral elements: ScriptValue...) { self = .array(elements) }

    /// A table of named fields.
    public init(dictionaryLiteral elements: (String, ScriptValue)...) {
        self = .table(ScriptTable(elements.map { ScriptTable.Entry(key: .text($0.0), value: $0.1) }))
    }
}
