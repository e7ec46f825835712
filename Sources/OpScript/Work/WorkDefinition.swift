/// A Swift closure as it was registered.
struct WorkDefinition: Sendable {
    let name: String
    let summary: String
    /// Names and types of what a script gives.
    let parameters: [(name: String, type: String)]
    let isAsync: Bool
    /// Checks and converts arguments.
    ///
    /// It throws `ArgumentMismatch` for what does not fit.
    let prepare: @Sendable ([ScriptValue]) throws -> WorkInvocation
    /// Checks one argument, counted from 0, without keeping it.
    let check: @Sendable (Int, ScriptValue) throws -> Void
}

/// An argument does not fit its parameter.
struct ArgumentMismatch: Error {
    /// Counted from 1.
    let argument: Int
    let error: ScriptConversionError
}
