/// An operator of Lua that a host object may have.
public enum ScriptOperator: String, Sendable, CaseIterable {
    /// `a == b`, also `~=`; without it, two values are equal if they are one object.
    case equal = "__eq"
    /// `a < b`, also `>`.
    case lessThan = "__lt"
    /// `a <= b`, also `>=`; without it, `not (b < a)`.
    case lessThanOrEqual = "__le"
    /// `a + b`.
    case add = "__add"
    /// `a - b`.
    case subtract = "__sub"
    /// `a * b`.
    case multiply = "__mul"
    /// `a / b`.
    case divide = "__div"
    /// `a % b`.
    case remainder = "__mod"
    /// `-a`.
    case negate = "__unm"
    /// `a .. b`.
    case concatenate = "__concat"
    /// `#a`.
    case length = "__len"
    /// `tostring(a)`.
    case description = "__tostring"
    /// `a(…)`.
    case call = "__call"
}

/// Declares the members that scripts may use on the instances of a class or an actor; see
/// ``ScriptEngine/expose(_:as:_:)``.
///
/// Closures take and return the same types as those of `register`. A closure that is not `async` is called
/// where Lua runs, and should be short. An `async` method is a Swift task, for which its caller waits as for
/// `await`: other Lua code runs meanwhile, and cancelling the caller cancels the task. An error that a
/// closure throws is raised, and is the same error in Swift again.
public struct ScriptTypeBuilder<Object: AnyObject & Sendable> {
    let name: String
    private(set) var members: [String: ExposedType.Member] = [:]
    private(set) var functions: [String: ExposedType.Operator] = [:]
    private(set) var initializer: ExposedType.Operator?
    private(set) var operators: [ScriptOperator: ExposedType.Operator] = [:]
    /// Definitions of `async` methods, for the catalogue.
    private(set) var definitions: [WorkDefinition] = []
    private(set) var weight: (@Sendable (AnyObject) -> Int)?
    private(set) var problem: ScriptError?

    init(name: String) { self.name = name }

    // MARK: Properties

    /// A property that scripts may read: `object.name`.
    public mutating func property<Value: Sendable>(
        _ name: String,
        get: @escaping @Sendable (Object) throws -> Value
    ) {
        guard let converter = converter(Value.self, name) else { return }
        add(
            .property(
                get: { object, _ in try converter.encode(get(unsafeDowncast(object, to: Object.self))) },
                set: nil
            ),
            name
        )
    }

    /// A property that scripts may read and set: `object.name = value`.
    public mutating func property<Value: Sendable>(
        _ name: String,
        get: @escaping @Sendable (Object) throws -> Value,
        set: @escaping @Sendable (Object, Value) throws -> Void
    ) {
        guard let converter = converter(Value.self, name) else { return }
        add(
            .property(
                get: { object, _ in try converter.encode(get(unsafeDowncast(object, to: Object.self))) },
                set: ExposedType.Setter(takesHandles: converter.takesHandles) { object, arguments in
                    let value = try converter.decode(arguments[0])
                    try set(unsafeDowncast(object, to: Object.self), value)
                    return .nil
                }
            ),
            name
        )
    }

    // MARK: Methods

    /// A method: `object:name(…)`; the closure's first argument is the object.
    public mutating func method<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ body: @escaping @Sendable (Object, repeat each Argument) throws -> Result
    ) {
        guard let converter = converter(Result.self, name) else { return }
        var layout = ArgumentLayout()
        repeat layout.append((each Argument).self, named: [], of: member(name))
        guard isGood(layout, name) else { return }
        let places = layout
        let method = ExposedType.Method(parameters: layout.parameters) { object, arguments in
            try places.withFilled(arguments) { memory in
                var cursor = ArgumentCursor(memory)
                return try converter.encode(
                    body(unsafeDowncast(object, to: Object.self), repeat cursor.take((each Argument).self))
                )
            }
        }
        add(.method(method), name)
    }

    /// The same for an `async` closure: its caller in Lua waits for the result.
    public mutating func method<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ body: @escaping @Sendable (Object, repeat each Argument) async throws -> Result
    ) {
        guard let converter = converter(Result.self, name) else { return }
        var layout = ArgumentLayout()
        layout.append(Object.self, named: [], of: member(name))
        repeat layout.append((each Argument).self, named: [], of: member(name))
        if let problem = layout.problem { return note(problem.message) }
        let places = layout
        let call: @Sendable (KeptArguments) async throws -> ScriptValue = { arguments in
            let memory = UnsafeMutableRawPointer.allocate(byteCount: places.size, alignment: places.alignment)
            defer { memory.deallocate() }
            try arguments.lend { try places.fill(memory, $0) }
            var cursor = ArgumentCursor(memory)
            let object = cursor.take(Object.self)
            return try converter.encode(try await body(object, repeat cursor.take((each Argument).self)))
        }
        definitions.append(
            WorkDefinition(
                name: member(name),
                summary: "",
                parameters: layout.parameters,
                takesContext: layout.parameters.count < layout.places.count,
                body: .async(call),
                isMethod: true
            )
        )
        add(.asyncMethod(member(name)), name)
    }

    // MARK: The type itself

    /// The initializer: `Type(…)` in a script.
    public mutating func initializer<each Argument: Sendable>(
        _ body: @escaping @Sendable (repeat each Argument) throws -> Object
    ) {
        guard initializer == nil else { return note("'\(name)' has two initializers") }
        initializer = operation(name, body)
    }

    /// A function of the type: `Type.name(…)` in a script.
    public mutating func function<each Argument: Sendable, Result: Sendable>(
        _ name: String,
        _ body: @escaping @Sendable (repeat each Argument) throws -> Result
    ) {
        guard isFree(name), functions[name] == nil else {
            return note("'\(self.name).\(name)' is declared twice, or is not a name")
        }
        functions[name] = operation("\(self.name).\(name)", body)
    }

    /// Implements an operator; the closure takes the operands in order, at least one of which is an instance. A `call`
    /// takes the object and the arguments.
    ///
    /// ```swift
    /// type.implement(.add) { (a: Vector, b: Vector) in a + b }
    /// type.implement(.description) { (a: Vector) in "(\(a.x), \(a.y))" }
    /// ```
    public mutating func implement<each Operand: Sendable, Result: Sendable>(
        _ symbol: ScriptOperator,
        _ body: @escaping @Sendable (repeat each Operand) throws -> Result
    ) {
        guard operators[symbol] == nil else { return note("'\(name)' has two implementations of \(symbol)") }
        operators[symbol] = operation("\(name) \(symbol)", body)
    }

    /// Declares how many bytes an instance holds, at least 0. Without this, an instance counts like any small
    /// object.
    ///
    /// Lua's collector works as if a script had allocated these bytes itself, and `memoryLimit` counts them; see
    /// ``ScriptObject/scriptWeight``. Called on the script thread, once for each instance that becomes a value of a
    /// script.
    public mutating func weight(_ bytes: @escaping @Sendable (Object) -> Int) {
        guard weight == nil else { return note("'\(name)' has two weights") }
        weight = { bytes(unsafeDowncast($0, to: Object.self)) }
    }

    // MARK: Parts

    private mutating func operation<each Operand: Sendable, Result: Sendable>(
        _ what: String,
        _ body: @escaping @Sendable (repeat each Operand) throws -> Result
    ) -> ExposedType.Operator? {
        guard let converter = converter(Result.self, what) else { return nil }
        var layout = ArgumentLayout()
        repeat layout.append((each Operand).self, named: [], of: what)
        guard isGood(layout, what) else { return nil }
        let places = layout
        return ExposedType.Operator(parameters: layout.parameters) { arguments in
            try places.withFilled(arguments) { memory in
                var cursor = ArgumentCursor(memory)
                return try converter.encode(body(repeat cursor.take((each Operand).self)))
            }
        }
    }

    private func member(_ name: String) -> String { "\(self.name):\(name)" }

    private mutating func add(_ member: ExposedType.Member, _ name: String) {
        guard isFree(name) else {
            return note("'\(self.name)' has no place for '\(name)': it is declared already, or is not a name")
        }
        members[name] = member
    }

    private func isFree(_ name: String) -> Bool {
        ScriptEngine.isName(name) && !name.contains(".") && members[name] == nil
    }

    private mutating func converter<Value>(_ type: Value.Type, _ what: String) -> ScriptConverter<Value>? {
        if let converter = ScriptConverter<Value>.make() { return converter }
        note(
            "'\(what)' of '\(name)' has the type \(type), which cannot cross: make it Codable or ScriptConvertible"
        )
        return nil
    }

    private mutating func isGood(_ layout: ArgumentLayout, _ what: String) -> Bool {
        if let problem = layout.problem {
            note(problem.message)
            return false
        }
        if layout.parameters.count < layout.places.count {
            note("'\(what)' of '\(name)' takes a WorkContext, which only async methods have")
            return false
        }
        return true
    }

    private mutating func note(_ text: String) {
        if problem == nil { problem = ScriptError(.misuse, text) }
    }
}

extension ArgumentLayout {
    /// Converts arguments into memory that lasts while `body` takes them.
    func withFilled(
        _ arguments: ArgumentList,
        _ body: (UnsafeMutableRawPointer) throws -> ScriptValue
    ) throws -> ScriptValue {
        try withMemory { memory in
            try withUnsafePointer(to: arguments) { try fill(memory, WorkArguments($0, nil)) }
            return try body(memory)
        }
    }
}
