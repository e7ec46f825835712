/// The declared members that scripts may use on the instances of a class or an actor of the host.
final class ExposedType: Sendable {
    /// A named member.
    enum Member: Sendable {
        case property(get: Call, set: Setter?)
        /// Runs on the script thread and returns its result.
        case method(Method)
        /// Runs as a Swift task while its caller waits; has the name of its definition in the catalogue.
        case asyncMethod(String)
    }

    /// Calls a closure of the host with the arguments of the script.
    typealias Call = @Sendable (AnyObject, ArgumentList) throws -> ScriptValue

    struct Method: Sendable {
        let parameters: [WorkDefinition.Parameter]
        let call: Call
    }

    struct Setter: Sendable {
        let takesHandles: Bool
        let call: Call
    }

    /// Implements an operator; takes both operands, or the only one, as the script gave them.
    struct Operator: Sendable {
        let parameters: [WorkDefinition.Parameter]
        let call: @Sendable (ArgumentList) throws -> ScriptValue
    }

    /// The name of the type in scripts.
    let name: String
    let identity: ObjectIdentifier
    let isInstance: @Sendable (AnyObject) -> Bool
    let members: [String: Member]
    /// Functions of the type itself.
    let functions: [String: Operator]
    let initializer: Operator?
    let operators: [ScriptOperator: Operator]
    /// How many bytes an instance holds.
    let weight: (@Sendable (AnyObject) -> Int)?

    init(
        name: String,
        identity: ObjectIdentifier,
        isInstance: @escaping @Sendable (AnyObject) -> Bool,
        members: [String: Member],
        functions: [String: Operator],
        initializer: Operator?,
        operators: [ScriptOperator: Operator],
        weight: (@Sendable (AnyObject) -> Int)?
    ) {
        self.name = name
        self.identity = identity
        self.isInstance = isInstance
        self.members = members
        self.functions = functions
        self.initializer = initializer
        self.operators = operators
        self.weight = weight
    }
}

/// Carries an instance of a class that scripts know only through its exposed members.
final class ExposedObject: ScriptObject, @unchecked Sendable {
    // @unchecked because each function that creates one takes only `Sendable` values: `register`, `expose`,
    // `call`, `set`.
    static let scriptTypeName = "object"
    static let scriptPropertyNames: [String] = []

    let instance: AnyObject

    init(_ instance: AnyObject) { self.instance = instance }

    func scriptProperty(_ name: String) -> ScriptValue? { nil }

    /// The Swift name of the instance's type.
    var typeName: String { String(describing: type(of: instance)) }
}
