/// A type whose values cross between scripts and Swift.
public protocol ScriptConvertible: Sendable {
    /// The name of such a value in scripts: `"integer"`, `"string"`, `"array of string"`.
    static var scriptTypeName: String { get }

    /// Creates a value from a script's value.
    ///
    /// - Throws: ``ScriptConversionError`` if the value does not fit, with the path inside tables.
    init(scriptValue: ScriptValue) throws(ScriptConversionError)

    /// The value that a script receives for this value.
    var scriptValue: ScriptValue { get }
}

/// The reason why a script's value does not fit a Swift type.
public struct ScriptConversionError: Error, Sendable, CustomStringConvertible {
    /// The expected value: `"integer"`; empty if `got` is a complete sentence.
    public var expected: String
    /// The actual value: `"string"`, `"no value"`, or a complete sentence.
    public var got: String
    /// The place inside tables, from the outside in: `"options.width"`, `"[3]"`; empty for the value itself.
    public var path: String
    /// Whether the value would fit, but not into the memory that is left.
    var isMemory = false

    /// Makes an error.
    public init(expected: String, got: String, path: String = "") {
        self.expected = expected
        self.got = got
        self.path = path
    }

    /// Makes an error for a value that is of the wrong type.
    public init(expected: String, value: ScriptValue) {
        self.init(expected: expected, got: value.typeName)
    }

    /// The same error seen from one table further out.
    public func inside(field name: String) -> ScriptConversionError {
        let rest = path.isEmpty || path.hasPrefix("[") ? path : "." + path
        var outer = ScriptConversionError(expected: expected, got: got, path: name + rest)
        outer.isMemory = isMemory
        return outer
    }

    /// The code of the error that a script gets.
    var code: ScriptError.Code { isMemory ? .limit : .argument }

    /// The same error seen from one array further out; `index` counts from 1.
    public func inside(index: Int) -> ScriptConversionError {
        inside(field: "[\(index)]")
    }

    /// The place in front of a sentence: `field 'options.width': `; empty for the value itself.
    var place: String {
        if path.isEmpty { return "" }
        // The whole path to a very deep place would not help.
        return "field '\(path.count > 80 ? path.prefix(80) + "…" : path)': "
    }

    /// `integer expected, got string`, preceded by the field if there is one.
    public var description: String {
        return expected.isEmpty ? place + got : "\(place)\(expected) expected, got \(got)"
    }
}
