public import Foundation
public import OpScript

extension Data: ScriptConvertible {
    /// `"string or Data"`.
    public static var scriptTypeName: String { ScriptData.scriptTypeName }

    /// Takes the bytes of a string or of a script's `Data`.
    public init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        self.init(try ScriptData(scriptValue: scriptValue).bytes)
    }

    /// A `Data` of the script.
    public var scriptValue: ScriptValue { .data(ScriptData([UInt8](self))) }
}

extension Date: ScriptConvertible {
    /// `"number of seconds since 1970"`.
    public static var scriptTypeName: String { "number of seconds since 1970" }

    /// Takes seconds since 1970, as `os.time()` gives them.
    public init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        switch scriptValue {
        case .integer(let seconds): self.init(timeIntervalSince1970: Double(seconds))
        case .number(let seconds): self.init(timeIntervalSince1970: seconds)
        default: throw ScriptConversionError(expected: Self.scriptTypeName, value: scriptValue)
        }
    }

    /// Seconds since 1970, as a float.
    public var scriptValue: ScriptValue { .number(timeIntervalSince1970) }
}

extension URL: ScriptConvertible {
    /// `"URL"`.
    public static var scriptTypeName: String { "URL" }

    /// Takes a string that is a URL.
    public init(scriptValue: ScriptValue) throws(ScriptConversionError) {
        let text = try String(scriptValue: scriptValue)
        guard let url = URL(string: text) else {
            throw ScriptConversionError(expected: Self.scriptTypeName, got: "'\(text)'")
        }
        self = url
    }

    /// Its text.
    public var scriptValue: ScriptValue { .text(absoluteString) }
}
