internal import LuaVM

/// The userdata of Swift objects, so that one object is one Lua value for as long as that value is in use.
final class SharedObjects {
    /// Maps addresses of objects to their userdata, weakly.
    private let table: LuaReference

    init(_ vm: LuaVM) { table = vm.makeTable(weak: "v") }

    /// Pushes the userdata of an object. [-0, +1, m]
    ///
    /// - Parameter make: Pushes a new userdata, if none is alive.
    func push(_ object: AnyObject, _ state: LuaState, orMake make: () -> Void) {
        let address = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
        table.push(state)
        if state.rawGet(-1, address: address) == .userdata {
            state.remove(-2)
            return
        }
        state.pop()
        make()
        state.pushValue(-1)
        state.rawSet(-3, address: address)
        state.remove(-2)
    }
}
