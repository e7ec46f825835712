/// A Swift closure as it was registered.
final class WorkDefinition: Sendable {
    /// One thing that a script gives.
    struct Parameter: Sendable {
        let name: String
        let type: String
        let isOptional: Bool
        /// Checks and converts a value; what comes out is of the closure's own type.
        let decode: @Sendable (ScriptValue) throws(ScriptConversionError) -> any Sendable
    }

    /// The closure; its arguments are what the parameters' `decode` gave, in order.
    enum Body: Sendable {
        case sync(@Sendable ([any Sendable], WorkContext) throws -> ScriptValue)
        case async(@Sendable ([any Sendable], WorkContext) async throws -> ScriptValue)
    }

    let name: String
    let summary: String
    let parameters: [Parameter]
    let body: Body

    init(name: String, summary: String, parameters: [Parameter], body: Body) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
        self.body = body
    }

    var isAsync: Bool {
        if case .async = body { return true }
        return false
    }

    /// Checks and converts all arguments.
    func prepare(_ arguments: [ScriptValue]) throws(ArgumentMismatch) -> [any Sendable] {
        var values: [any Sendable] = []
        values.reserveCapacity(parameters.count)
        for (place, parameter) in parameters.enumerated() {
            let isMissing = place >= arguments.count
            do throws(ScriptConversionError) {
                values.append(try parameter.decode(isMissing ? .nil : arguments[place]))
            } catch {
                var error = error
                if isMissing, error.path.isEmpty { error.got = "no value" }
                throw ArgumentMismatch(argument: place + 1, error: error)
            }
        }
        if arguments.count > parameters.count { try refuseMore(arguments) }
        return values
    }

    /// Checks one argument, counted from 0, without keeping it.
    func check(_ place: Int, _ value: ScriptValue) throws(ArgumentMismatch) {
        guard place < parameters.count else { return try refuse(place, value) }
        do throws(ScriptConversionError) {
            _ = try parameters[place].decode(value)
        } catch {
            throw ArgumentMismatch(argument: place + 1, error: error)
        }
    }

    private func refuseMore(_ arguments: [ScriptValue]) throws(ArgumentMismatch) {
        for place in arguments.indices.dropFirst(parameters.count) { try refuse(place, arguments[place]) }
    }

    private func refuse(_ place: Int, _ value: ScriptValue) throws(ArgumentMismatch) {
        if case .nil = value { return }
        throw ArgumentMismatch(
            argument: place + 1,
            error: ScriptConversionError(expected: "no value", value: value)
        )
    }
}

/// An argument does not fit its parameter.
struct ArgumentMismatch: Error {
    /// Counted from 1.
    let argument: Int
    let error: ScriptConversionError
}
