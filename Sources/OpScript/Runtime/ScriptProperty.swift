internal import LuaVM

/// The properties of a type that scripts see; a case's name is what scripts write.
protocol ScriptProperty: RawRepresentable<String>, CaseIterable, Equatable, Sendable {
    /// All of them, by the numbers under which the metatable knows them.
    static var all: [Self] { get }
    /// Those that a script may set.
    static var settable: [Self] { get }
}

extension ScriptProperty {
    static var names: [String] { all.map(\.rawValue) }

    static var settableNames: [String] { settable.map(\.rawValue) }
}

/// How the properties and methods of a type are reached.
struct ScriptAccess {
    var methods: [(StaticString, LuaFunction)]
    /// Reads a property by its number.
    var getter: LuaAccessor
    /// Reads what is neither property nor method.
    var otherGetter: LuaFunction
    /// Sets a property by its number.
    var setter: LuaAccessor
    /// Sets what is no settable property.
    var otherSetter: LuaFunction
    var text: LuaFunction

    /// Makes the metatable of a type.
    func makeMetatable<Property: ScriptProperty>(
        _ vm: LuaVM,
        _ name: String,
        _ properties: Property.Type,
        isBox: Bool = true
    ) -> LuaMetatable {
        let state = vm.main
        // With much more room than it needs: Lua mostly finds `__index` where it looks first then.
        state.newTable(fields: 64)
        state.setFunctions([("__tostring", text)])
        state.newTable(fields: Property.all.count + methods.count)
        state.setFunctions(methods)
        pushNumbers(of: Property.all, state)
        state.pushIndex(getter: getter, fallback: otherGetter)
        state.rawSet(-2, "__index")
        state.newTable(fields: Property.settable.count)
        pushNumbers(of: Property.settable, state)
        state.pushNewIndex(setter: setter, fallback: otherSetter)
        state.rawSet(-2, "__newindex")
        return LuaMetatable(state, name: name, isBox: isBox)
    }

    /// Puts names with their numbers into the table on top.
    private func pushNumbers<Property: ScriptProperty>(of properties: [Property], _ state: LuaState) {
        for property in properties {
            guard let number = Property.all.firstIndex(of: property) else { continue }
            state.push(number)
            state.rawSet(-2, property.rawValue)
        }
    }
}
