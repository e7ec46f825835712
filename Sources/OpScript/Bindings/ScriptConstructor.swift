internal import LuaVM

/// A global that makes objects of a type: a callable table with functions and values of its own. It refuses names that
/// it does not know.
struct ScriptConstructor: Sendable {
    typealias Push = @Sendable (ScriptRuntime, LuaState) -> Void

    let name: StaticString
    /// Its parameters, as the manual writes them.
    let parameters: String
    /// Makes an object; the constructor itself is the first argument.
    let call: LuaFunction
    var functions: [ScriptMethod] = []
    /// Values that stay the same: each is made when a script first uses it, and is then kept in the table.
    var constants: [(StaticString, Push)] = []
    /// Values that are looked up each time.
    var lookups: [(StaticString, Push)] = []
    /// The function that sets a new member of the table; nil if scripts may set any member.
    var setMember: LuaFunction?
    /// Names that other code puts into the table, for suggestions.
    var otherNames: [String] = []
    /// Names that other systems have, and the names to use instead.
    var foreignNames: [String: String] = [:]

    /// The names that a wrong name is compared with.
    private var names: [String] {
        functions.map(\.name.description) + constants.map { $0.0.description }
            + lookups.map { $0.0.description } + otherNames
    }

    /// Puts the constructors of all types into the table at an index.
    static func installAll(_ runtime: ScriptRuntime, _ state: LuaState, into types: Int32) {
        for number in ScriptTypeNumber.allCases {
            for (place, constructor) in ScriptType.all[number.rawValue].constructors.enumerated() {
                constructor.push(runtime, state, number.rawValue << 8 | place)
                state.rawSet(types, constructor.name)
            }
        }
    }

    /// Pushes the constructor. [-0, +1, m]
    private func push(_ runtime: ScriptRuntime, _ state: LuaState, _ number: Int) {
        Self.pushTable(state, ScriptMethod(name, parameters, call), functions)
        if setMember != nil {
            // Its members are inherited, and so is the name of the class.
            state.push(name)
            state.rawSet(-2, "\0name")
        }
        guard state.pushMetatable(-1) else { return }
        state.push(number)
        state.push(getConstructorMember, upvalues: 1)
        state.rawSet(-2, "__index")
        if let setMember {
            state.push(setMember)
            state.rawSet(-2, "__newindex")
        }
        state.pop()
    }

    /// Pushes a callable table. [-0, +1, m]
    static func pushTable(
        _ state: LuaState,
        _ call: ScriptMethod,
        _ functions: [ScriptMethod] = [],
        named given: String? = nil
    ) {
        let name = given ?? call.name.description
        state.newTable(fields: functions.count)
        state.setMethods(functions, areMethods: false)
        state.newTable(fields: 6)
        state.pushCall(call)
        state.rawSet(-2, "__call")
        state.push(name)
        state.rawSet(-2, "__name")
        state.push(name)
        state.rawSet(-2, "__metatable")
        state.push(name)
        state.push(constructorToString, upvalues: 1)
        state.rawSet(-2, "__tostring")
        state.setMetatable(-2)
    }

    /// Pushes the value that is looked up under the name at index 2. [-0, +1, -]
    fileprivate func lookUp(_ runtime: ScriptRuntime, _ state: LuaState) throws(LuaRaise) {
        let key = state.string(2)
        if let key, let constant = constants.first(where: { $0.0.description == key }) {
            constant.1(runtime, state)
            state.pushValue(-1)
            if state.type(1) == .table { state.rawSet(1, key) } else { state.pop() }
            return
        }
        if let key, let lookup = lookups.first(where: { $0.0.description == key }) {
            return lookup.1(runtime, state)
        }
        if let key, let reason = foreignNames[key] { throw .misuse("\(name) has no '\(key)': \(reason)") }
        throw runtime.operations.noSuchProperty(state, of: name.description, among: names)
    }
}

private func getConstructorMember(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let number = state.wholeNumber(LuaState.upvalue(1)) ?? 0
        try ScriptType.all[number >> 8].constructors[number & 0xff].lookUp(runtime, state)
        return 1
    }
}

func constructorToString(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    state.pushValue(LuaState.upvalue(1))
    return 1
}
