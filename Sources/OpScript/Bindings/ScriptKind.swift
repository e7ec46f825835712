/// The values that are allowed for an argument of a call, for an option in a table, or for a property.
///
/// The functions check their values themselves; a kind describes those checks. The tests try each kind with values of
/// all sorts, and docs/contract.md prints its sentence.
struct ScriptKind: Hashable, Sendable {
    /// One sort of values.
    enum Form: Hashable, Sendable {
        /// Also nil.
        case anything
        /// A value that can be a key of a table.
        case key
        case `nil`
        case boolean
        case number(NumberRange)
        /// 3 and 3.0, but not "3".
        case wholeNumber(ClosedRange<Int>)
        case string
        /// A string that is the name of something that exists, or is written as the words say.
        case name(String)
        case oneOf([String])
        case function
        /// A function, or a value with `__call`.
        case callable
        /// A function that is written in Lua.
        case luaFunction
        case object(Object)
        case anyTable
        /// A list whose elements are as the words say.
        case list(String, mayBeEmpty: Bool = true)
        /// A table of names with whole numbers from 0.
        case amounts
        /// A table of named options: those of ``ScriptContract/options`` with the key.
        case options(String, mayBeEmpty: Bool = true)
        /// A table of named options after a whole number from 1, which the words describe.
        case numberWithOptions(String, String)
        /// Such a table in place of this argument and those after it.
        case optionsAlone(String)
    }

    enum NumberRange: Hashable, Sendable {
        case any, finite
        case from(Double), finiteFrom(Double), above(Double), finiteAbove(Double)
        case within(ClosedRange<Double>)

        func contains(_ number: Double) -> Bool {
            switch self {
            case .any: !number.isNaN
            case .finite: number.isFinite
            case .from(let least): number >= least
            case .finiteFrom(let least): number >= least && number.isFinite
            case .above(let limit): number > limit
            case .finiteAbove(let limit): number > limit && number.isFinite
            case .within(let range): range.contains(number)
            }
        }
    }

    /// Objects, by what messages call them.
    enum Object: String, CaseIterable, Sendable {
        case operation, workItem, operationQueue, dispatchQueue, group, progress, isolate, data, file, `class`
        /// Any userdata.
        case object
    }

    let forms: [Form]
    /// A further condition, which depends on more than the value.
    private(set) var condition: String?

    init(_ forms: Form..., where condition: String? = nil) {
        self.forms = forms
        self.condition = condition
    }

    private init(forms: [Form], _ condition: String?) {
        self.forms = forms
        self.condition = condition
    }

    /// The same kind, which also takes nil.
    var orNil: ScriptKind { ScriptKind(forms: forms + [.nil], condition) }

    /// The kind for people: `a number from 0 (not NaN), or nil`.
    var sentence: String {
        let parts = forms.map(\.sentence)
        let all =
            parts.count == 1
            ? parts[0] : parts.dropLast().joined(separator: ", ") + ", or " + (parts.last ?? "")
        return condition.map { "\(all): \($0)" } ?? all
    }
}

extension ScriptKind.Form {
    var sentence: String {
        switch self {
        case .anything: "any value"
        case .key: "any value but nil and NaN"
        case .nil: "nil"
        case .boolean: "a boolean"
        case .number(let range): range.sentence
        case .wholeNumber(let range):
            switch (range.lowerBound, range.upperBound) {
            case (.min, .max): "a whole number"
            case (let least, .max): "a whole number from \(least)"
            case (let least, let most): "a whole number from \(least) to \(most)"
            }
        case .string: "a string"
        case .name(let what): what
        case .oneOf(let names):
            names.count == 1
                ? "\"\(names[0])\""
                : "one of " + names.map { "\"\($0)\"" }.joined(separator: ", ")
        case .function: "a function"
        case .callable: "a function or another callable value"
        case .luaFunction: "a function that is written in Lua"
        case .object(let object): object.sentence
        case .anyTable: "a table"
        case .list(let elements, let mayBeEmpty): "a list of \(elements)\(mayBeEmpty ? "" : ", not empty")"
        case .amounts: "a table of names with whole numbers from 0"
        case .options(let key, _): "a table of \(ScriptContract.link(toOptions: key))"
        case .numberWithOptions(let number, let key):
            "a table with \(number) and \(ScriptContract.link(toOptions: key))"
        case .optionsAlone(let key):
            "in place of this and the rest, a table of \(ScriptContract.link(toOptions: key))"
        }
    }
}

extension ScriptKind.NumberRange {
    fileprivate var sentence: String {
        switch self {
        case .any: "a number (not NaN)"
        case .finite: "a finite number"
        case .from(let least): "a number from \(format(seconds: least)) (not NaN)"
        case .finiteFrom(let least): "a finite number from \(format(seconds: least))"
        case .above(let limit): "a number above \(format(seconds: limit)) (not NaN)"
        case .finiteAbove(let limit): "a finite number above \(format(seconds: limit))"
        case .within(let range):
            "a number from \(format(seconds: range.lowerBound)) to \(format(seconds: range.upperBound))"
        }
    }
}

extension ScriptKind.Object {
    fileprivate var sentence: String {
        switch self {
        case .operation: "an operation"
        case .workItem: "a work item"
        case .operationQueue: "an operation queue"
        case .dispatchQueue: "a dispatch queue"
        case .group: "a group"
        case .progress: "a progress"
        case .isolate: "an isolate"
        case .data: "Data"
        case .file: "an open file of Lua's library"
        case .class: "a class of operations"
        case .object: "an object"
        }
    }
}
