public import CLua

extension LuaState {
    /// The index of the value on top, which is the number of values. [-0, +0, -]
    @inlinable
    public var top: Int32 { lua_gettop(raw) }

    /// Sets the height of the stack; new places hold `nil`. [-?, +?, -]
    @inlinable
    public func setTop(_ index: Int32) { lua_settop(raw, index) }

    /// Removes values from the top. [-n, +0, -]
    @inlinable
    public func pop(_ count: Int32 = 1) { lua_settop(raw, -count - 1) }

    /// The same place counted from the bottom. [-0, +0, -]
    @inlinable
    public func absolute(_ index: Int32) -> Int32 { lua_absindex(raw, index) }

    /// Pushes a copy. [-0, +1, -]
    @inlinable
    public func pushValue(_ index: Int32) { lua_pushvalue(raw, index) }

    /// Moves the value on top down to an index. [-1, +1, -]
    @inlinable
    public func insert(_ index: Int32) { lua_rotate(raw, index, 1) }

    /// Removes the value at an index. [-1, +0, -]
    @inlinable
    public func remove(_ index: Int32) { clua_remove(raw, index) }

    /// Removes the first value, if there is one: scripts may call the function of `__call` without the type itself.
    /// [-1 or 0, +0, -]
    @inlinable
    public func removeFirst() { if top > 0 { remove(1) } }

    /// Replaces the value at an index by the value on top. [-1, +0, -]
    @inlinable
    public func replace(_ index: Int32) { clua_replace(raw, index) }

    /// Copies the value at one index to another index. [-0, +0, -]
    @inlinable
    public func copy(from: Int32, to: Int32) { lua_copy(raw, from, to) }

    /// Rotates the values from an index to the top. [-0, +0, -]
    @inlinable
    public func rotate(_ index: Int32, by count: Int32) { lua_rotate(raw, index, count) }

    /// Makes room for values; false when the stack would be too large. [-0, +0, -]
    @inlinable
    public func ensureSpace(_ count: Int32) -> Bool { lua_checkstack(raw, count) != 0 }

    /// Moves values to another stack of the same universe. [-n, +0, -]
    @inlinable
    public func move(_ count: Int32, to other: LuaState) { lua_xmove(raw, other.raw, count) }

    /// The pseudo index of the i-th upvalue of the running host function, from 1. [-0, +0, -]
    @inlinable
    public static func upvalue(_ index: Int32) -> Int32 { clua_upvalue_index(index) }

    /// The pseudo index of the registry.
    @inlinable
    public static var registry: Int32 { clua_registry_index() }

    /// Runs a closure and restores the height of the stack, plus `results`, on every exit. [-0, +results, -]
    ///
    /// In debug builds, traps if the closure returns normally and leaves another number of values than announced.
    @inlinable
    public func withBalancedStack<Result, Failure: Error>(
        _ results: Int32 = 0,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let height = lua_gettop(raw)
        do {
            let result = try body()
            assert(
                lua_gettop(raw) == height + results,
                "the stack holds \(lua_gettop(raw) - height) new values instead of \(results)"
            )
            lua_settop(raw, height + results)
            return result
        } catch {
            lua_settop(raw, height)
            throw error
        }
    }
}
