/// A value that can cross between a script and Swift closures on any thread.
///
/// Strings are bytes: a NUL ends nothing, and UTF-8 is not repaired. Integers and floats are distinct, as in
/// Lua 5.4. Tables are copied when they cross, so that no two threads ever share one.
public enum ScriptValue: Sendable {
    /// Lua's `nil`.
    case `nil`
    /// `json.null`: an explicit null that a table can contain.
    case null
    /// A boolean.
    case boolean(Bool)
    /// A 64-bit integer.
    case integer(Int64)
    /// A float.
    case number(Double)
    /// A string of any bytes.
    case string([UInt8])
    /// A table with the keys 1…n.
    case array([ScriptValue])
    /// Any other table, also an empty one.
    case table(ScriptTable)
    /// A large byte buffer that is shared and not copied.
    case data(ScriptData)
    /// An object of the host.
    case object(any ScriptObject)

    /// A string value from Swift text.
    @inlinable
    public static func text(_ text: String) -> ScriptValue {
        .string(Array(text.utf8))
    }

    /// Lua's name of the value's type, as it appears in error messages.
    public var typeName: String {
        switch self {
        case .nil: "nil"
        case .null: "null"
        case .boolean: "boolean"
        case .integer, .number: "number"
        case .string: "string"
        case .array, .table: "table"
        case .data: "Data"
        case .object(let object):
            (object as? ExposedObject)?.typeName ?? type(of: object).scriptTypeName
        }
    }
}

/// A table with arbitrary keys, in the order in which its entries were read.
public struct ScriptTable: Sendable {
    /// A key with its value.
    public struct Entry: Sendable {
        /// A string, an integer, a float or a boolean.
        public var key: ScriptValue
        /// The value of the key.
        public var value: ScriptValue

        /// Makes an entry.
        public init(key: ScriptValue, value: ScriptValue) {
            self.key = key
            self.value = value
        }
    }

    /// All entries.
    public var entries: [Entry]

    /// Makes a table of entries.
    public init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    /// The value of a named field, or nil if there is none; setting nil removes it.
    ///
    /// - Complexity: O(*n*) in the number of entries.
    public subscript(name: String) -> ScriptValue? {
        get {
            entries.first { $0.hasName(name) }?.value
        }
        set {
            let index = entries.firstIndex { $0.hasName(name) }
            switch (index, newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): entries.append(Entry(key: .text(name), value: value))
            case (nil, nil): break
            }
        }
    }
}

extension ScriptTable.Entry {
    fileprivate func hasName(_ name: String) -> Bool {
        guard case .string(let bytes) = key else { return false }
        return bytes.elementsEqual(name.utf8)
    }
}

extension ScriptTable: ExpressibleByDictionaryLiteral {
    /// Makes a table of named fields.
    public init(dictionaryLiteral elements: (String, ScriptValue)...) {
        entries = elements.map { Entry(key: .text($0.0), value: $0.1) }
    }
}

extension ScriptValue: Equatable {
    /// Compares as Lua's `==` does, but tables by their contents and objects by identity.
    public static func == (left: ScriptValue, right: ScriptValue) -> Bool {
        switch (left, right) {
        case (.nil, .nil), (.null, .null): true
        case (.boolean(let a), .boolean(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.string(let a), .string(let b)): a == b
        case (.array(let a), .array(let b)): a == b
        case (.table(let a), .table(let b)):
            a.entries.count == b.entries.count
                && a.entries.allSatisfy { entry in
                    b.entries.contains { $0.key == entry.key && $0.value == entry.value }
                }
        case (.data(let a), .data(let b)): a === b
        case (.object(let a), .object(let b)):
            ((a as? ExposedObject)?.instance ?? a) === ((b as? ExposedObject)?.instance ?? b)
        default: false
        }
    }
}
