extension String: ScriptConvertible {
    /// `"string"`.
    public static var scriptTypeName: String { "string" }

    /// Takes a string whose bytes are UTF-8 and repairs nothing; `[UInt8]` takes strings of any bytes.
    public init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        guard case .string(let bytes) = scriptValue else {
            throw ScriptConversionError(expected: Self.scriptTypeName, value: scriptValue)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ScriptConversionError(expected: "valid UTF-8", got: "other bytes")
        }
        self = text
    }

    /// A string.
    public var scriptValue: ScriptValue { .text(self) }
}

extension ScriptData: ScriptConvertible {
    /// `"string or Data"`.
    public static var scriptTypeName: String { "string or Data" }

    /// Takes a `Data`, whose storage is shared, or the bytes of a string.
    public convenience init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        self.init(try ScriptData.bytes(of: scriptValue))
    }

    /// The buffer itself.
    public var scriptValue: ScriptValue { .data(self) }

    /// The bytes of a string or a `Data`; both share their storage with the value.
    static func bytes(of value: ScriptValue) throws(ScriptConversionError) -> [UInt8] {
        switch value {
        case .string(let bytes): return bytes
        case .data(let data): return data.bytes
        default: throw ScriptConversionError(expected: scriptTypeName, value: value)
        }
    }
}

extension ScriptValue: ScriptConvertible {
    /// `"any value"`.
    public static var scriptTypeName: String { "any value" }

    /// Takes the value as it is.
    public init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        self = scriptValue
    }

    /// The value itself.
    public var scriptValue: ScriptValue { self }
}
