extension Bool: ScriptConvertible {
    /// `"boolean"`.
    public static var scriptTypeName: String { "boolean" }

    /// Takes a boolean; nothing else counts as true or false.
    public init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        guard case .boolean(let value) = scriptValue else {
            throw ScriptConversionError(expected: Self.scriptTypeName, value: scriptValue)
        }
        self = value
    }

    /// A boolean.
    public var scriptValue: ScriptValue { .boolean(self) }
}

extension ScriptConvertible where Self: FixedWidthInteger {
    /// `"integer"`.
    public static var scriptTypeName: String { "integer" }

    /// Takes an integer or, as Lua does, a float with an integral value; strings of digits are not integers.
    public init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        switch scriptValue {
        case .integer(let integer):
            guard let value = Self(exactly: integer) else { throw Self.outOfRange(scriptValue) }
            self = value
        case .number(let number):
            guard number == number.rounded(.towardZero) else {
                throw ScriptConversionError(expected: Self.scriptTypeName, got: "\(number)")
            }
            guard let value = Self(exactly: number) else { throw Self.outOfRange(scriptValue) }
            self = value
        default:
            throw ScriptConversionError(expected: Self.scriptTypeName, value: scriptValue)
        }
    }

    /// An integer; one that does not fit into a signed 64-bit integer becomes the nearest float.
    public var scriptValue: ScriptValue {
        Int64(exactly: self).map(ScriptValue.integer) ?? .number(Double(self))
    }

    private static func outOfRange(_ value: ScriptValue) -> ScriptConversionError {
        let got: String =
            switch value {
            case .integer(let integer): "\(integer)"
            case .number(let number): "\(number)"
            default: value.typeName
            }
        return ScriptConversionError(expected: "integer from \(Self.min) to \(Self.max)", got: got)
    }
}

extension Int: ScriptConvertible {}
extension Int8: ScriptConvertible {}
extension Int16: ScriptConvertible {}
extension Int32: ScriptConvertible {}
extension Int64: ScriptConvertible {}
extension UInt: ScriptConvertible {}
extension UInt8: ScriptConvertible {}
extension UInt16: ScriptConvertible {}
extension UInt32: ScriptConvertible {}
extension UInt64: ScriptConvertible {}

extension ScriptConvertible where Self: BinaryFloatingPoint {
    /// `"number"`.
    public static var scriptTypeName: String { "number" }

    /// Takes a float or an integer; rounds if the type is narrower.
    public init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        switch scriptValue {
        case .integer(let integer): self = Self(integer)
        case .number(let number): self = Self(number)
        default: throw ScriptConversionError(expected: Self.scriptTypeName, value: scriptValue)
        }
    }

    /// A float, even if the value is integral.
    public var scriptValue: ScriptValue { .number(Double(self)) }
}

extension Double: ScriptConvertible {}
extension Float: ScriptConvertible {}
