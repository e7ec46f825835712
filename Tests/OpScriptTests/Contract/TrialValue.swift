@testable import OpScript

/// A value that the tests give every argument, option and property.
struct TrialValue {
    enum Sort {
        case `nil`, boolean, luaFunction, hostFunction, coroutine
        case number(Double)
        case integer(Int)
        case string(String)
        case emptyTable, table, namesTable
        /// An empty table with `__call`.
        case callableTable
        case `class`
        /// The other kinds of the object; an isolate, for example, can be called.
        case object(Set<ScriptKind.Object>)
    }

    let name: String
    /// The Lua expression that makes it.
    let lua: String
    let value: Sort

    private init(_ name: String, _ lua: String? = nil, _ value: Sort) {
        self.name = name
        self.lua = lua ?? name
        self.value = value
    }

    static let all: [TrialValue] = [
        TrialValue("nil", .nil), TrialValue("false", .boolean), TrialValue("true", .boolean),
        TrialValue("0", .integer(0)), TrialValue("1", .integer(1)), TrialValue("-1", .integer(-1)),
        TrialValue("1.5", .number(1.5)), TrialValue("2.0", .number(2)), TrialValue("-0.5", .number(-0.5)),
        TrialValue("NaN", "0 / 0", .number(.nan)), TrialValue("infinity", "math.huge", .number(.infinity)),
        TrialValue("-infinity", "-math.huge", .number(-.infinity)),
        TrialValue("2^53", .number(0x1p53)), TrialValue("1e300", .number(1e300)),
        TrialValue("the largest integer", "math.maxinteger", .integer(.max)),
        TrialValue("the smallest integer", "math.mininteger", .integer(.min)),
        TrialValue("an empty string", "''", .string("")), TrialValue("'text'", .string("text")),
        TrialValue("a zero byte", "'\\0'", .string("\0")), TrialValue("'1'", .string("1")),
        TrialValue("an empty table", "{}", .emptyTable), TrialValue("{ 1 }", .table),
        TrialValue("{ nonsense = 1 }", .namesTable),
        TrialValue("a callable table", "setmetatable({}, { __call = nothing })", .callableTable),
        TrialValue("a function", "function() end", .luaFunction),
        TrialValue("a host function", "os.clock", .hostFunction),
        TrialValue("a coroutine", "coroutine.create(nothing)", .coroutine),
        TrialValue("an operation", "Operation(nothing)", .object([.operation])),
        TrialValue("a work", "work.compute.primes(10)", .object([.operation])),
        TrialValue("a group operation", "GroupOperation {}", .object([.operation])),
        TrialValue("a class", "ownClass()", .class),
        TrialValue("an operation queue", "OperationQueue()", .object([.operationQueue])),
        TrialValue("the main queue", "OperationQueue.main", .object([.operationQueue, .dispatchQueue])),
        TrialValue("a dispatch queue", "DispatchQueue 'own'", .object([.dispatchQueue])),
        TrialValue("a group", "DispatchGroup()", .object([.group])),
        TrialValue("a work item", "DispatchWorkItem(nothing)", .object([.workItem])),
        TrialValue("a semaphore", "DispatchSemaphore(0)", .object([])),
        TrialValue("a timer", "Timer { interval = 1, block = nothing }", .object([])),
        TrialValue("a source", "DispatchSource.userDataAdd()", .object([])),
        TrialValue("a progress", "Progress(1)", .object([.progress])),
        TrialValue("a thread", "Thread { isolate = nothing }", .object([])),
        TrialValue("an isolate", "isolate(nothing)", .object([.isolate])),
        TrialValue("an error", "select(2, pcall(sleep, 'x'))", .object([])),
        TrialValue("Data", "data", .object([.data])),
        TrialValue("json.null", .object([])),
        TrialValue("a closed file", "closedFile()", .object([])),
    ]

    private init(_ name: String, _ value: Sort) { self.init(name, nil, value) }
}

extension ScriptKind {
    func takes(_ value: TrialValue.Sort) -> Bool { forms.contains { $0.takes(value) } }
}

extension ScriptKind.Form {
    fileprivate func takes(_ value: TrialValue.Sort) -> Bool {
        switch (self, value) {
        case (.anything, _), (.nil, .nil), (.boolean, .boolean), (.string, .string): true
        case (.key, .nil): false
        case (.key, .number(let number)): !number.isNaN
        case (.key, _): true
        case (.number(let range), .integer(let number)): range.contains(Double(number))
        case (.number(let range), .number(let number)): range.contains(number)
        case (.wholeNumber(let range), .integer(let number)): range.contains(number)
        case (.wholeNumber(let range), .number(let number)): Int(exactly: number).map(range.contains) ?? false
        case (.oneOf(let names), .string(let text)): names.contains(text)
        case (.function, .luaFunction), (.function, .hostFunction), (.luaFunction, .luaFunction): true
        case (.callable, .luaFunction), (.callable, .hostFunction), (.callable, .callableTable): true
        case (.callable, .class), (.object(.class), .class): true
        case (.callable, .object(let objects)): objects.contains(.isolate)
        case (.object(.object), .object): true
        case (.object(let object), .object(let objects)): objects.contains(object)
        case (.anyTable, .emptyTable), (.anyTable, .table), (.anyTable, .namesTable),
            (.anyTable, .callableTable), (.anyTable, .class):
            true
        case (.list(_, let mayBeEmpty), .emptyTable), (.list(_, let mayBeEmpty), .callableTable): mayBeEmpty
        case (.options(_, let mayBeEmpty), .emptyTable), (.options(_, let mayBeEmpty), .callableTable):
            mayBeEmpty
        case (.numberWithOptions, .table): true
        case (.amounts, .emptyTable), (.amounts, .namesTable), (.amounts, .callableTable): true
        default: false
        }
    }
}
