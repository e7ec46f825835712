/// Hands out the results of a call, one after the other, as values of the types that the host wants.
struct ResultCursor {
    private let values: [ScriptValue]
    private var place = 0

    /// - Parameter answer: The answer to a request for several values.
    init(_ answer: ScriptValue) {
        guard case .array(let values) = answer else { preconditionFailure("several values were wanted") }
        self.values = values
    }

    /// The next result; nil of the script if there is none.
    mutating func next<Value>(_ type: Value.Type) throws -> Value {
        let value = place < values.count ? values[place] : .nil
        place += 1
        return try decode(value, valueConverter(type), "result \(place)")
    }
}
