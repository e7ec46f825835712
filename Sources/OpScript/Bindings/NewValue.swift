internal import LuaVM

/// The value that a script gives a property, and the error messages for an unsuitable value.
struct NewValue {
    let runtime: ScriptRuntime
    let state: LuaState
    let property: StaticString
    /// The stack index of the object.
    let object: Int32
    /// The stack index of the value.
    let index: Int32

    init(
        _ runtime: ScriptRuntime,
        _ state: LuaState,
        for property: StaticString,
        of object: Int32,
        at index: Int32
    ) {
        self.runtime = runtime
        self.state = state
        self.property = property
        self.object = object
        self.index = index
    }

    var isNil: Bool { state.isNoneOrNil(index) }

    /// `bad value for 'timeout' (number of seconds expected, got table)`
    func expected(_ what: String) -> LuaRaise {
        bad("\(what) expected, got \(runtime.operations.kindName(state, index))")
    }

    /// `bad value for 'timeout' (…)`
    func bad(_ text: String) -> LuaRaise { LuaRaise(.argument, "bad value for '\(property)' (\(text))") }

    func boolean() throws(LuaRaise) -> Bool {
        guard state.type(index) == .boolean else { throw expected("boolean") }
        return state.boolean(index)
    }

    func string() throws(LuaRaise) -> String {
        guard let text = state.string(index) else { throw expected("string") }
        return text
    }

    func wholeNumber() throws(LuaRaise) -> Int {
        guard let number = state.wholeNumber(index) else {
            throw bad("integer expected, got \(runtime.operations.noInteger(state, index))")
        }
        return number
    }

    /// - Parameter what: The description of the expected value, for the message.
    func number(_ what: String = "number") throws(LuaRaise) -> Double {
        guard let number = state.number(index), !number.isNaN else { throw expected(what) }
        return number
    }
}
