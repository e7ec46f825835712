internal import CLua

/// A metatable that Swift knows: values are recognised by its address.
///
/// Anchored until the machine is closed. Boxes made with it release their Swift object when collected.
public struct LuaMetatable {
    /// The address of the table.
    public let identity: UnsafeRawPointer
    /// The reference that anchors the table; it is never dropped.
    private let slot: Int32

    /// Takes the table on top. [-1, +0, m]
    ///
    /// - Parameters:
    ///   - name: The name of such values in messages; it also keeps scripts from reading the metatable
    ///     (`__metatable`).
    ///   - isBox: Whether values hold Swift objects, which the metatable's `__gc` then releases.
    public init(_ state: LuaState, name: String, isBox: Bool) {
        state.push(name)
        state.rawSet(-2, "__name")
        state.push(name)
        state.rawSet(-2, "__metatable")
        if isBox { clua_add_box_finalizer(state.raw) }
        guard let identity = state.identity(-1) else {
            preconditionFailure("the metatable '\(name)' is not a table")
        }
        self.identity = identity
        slot = clua_make_reference(state.raw)
    }

    /// Makes a metatable of functions (`__index`, `__tostring`, …), as box or not. [-0, +0, m]
    public init(
        _ vm: LuaVM,
        name: String,
        isBox: Bool = true,
        functions: [(StaticString, LuaFunction)] = []
    ) {
        vm.main.newTable(fields: functions.count + 3)
        vm.main.setFunctions(functions)
        self.init(vm.main, name: name, isBox: isBox)
    }

    /// Pushes the table. [-0, +1, -]
    public func push(_ state: LuaState) { clua_push_reference(state.raw, slot) }
}
