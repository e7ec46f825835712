public import CLua

extension LuaState {
    /// Pushes `nil`. [-0, +1, -]
    @inlinable
    public func pushNil() { lua_pushnil(raw) }

    /// Pushes a boolean. [-0, +1, -]
    @inlinable
    public func push(_ value: Bool) { lua_pushboolean(raw, value ? 1 : 0) }

    /// Pushes an integer. [-0, +1, -]
    @inlinable
    public func push(_ value: Int) { lua_pushinteger(raw, lua_Integer(value)) }

    /// Pushes a float. [-0, +1, -]
    @inlinable
    public func push(_ value: Double) { lua_pushnumber(raw, value) }

    /// Pushes an address. [-0, +1, -]
    @inlinable
    public func push(lightUserdata pointer: UnsafeMutableRawPointer?) { lua_pushlightuserdata(raw, pointer) }

    /// Pushes text. [-0, +1, m]
    @inlinable
    public func push(_ text: String) {
        var text = text
        text.withUTF8 { push(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Pushes text that is known at compile time. [-0, +1, m]
    @inlinable
    public func push(_ text: StaticString) {
        if text.hasPointerRepresentation {
            push(bytes: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        } else {
            push(String(describing: text))
        }
    }

    /// Pushes a string of any bytes. [-0, +1, m]
    @inlinable
    public func push(bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else {
            lua_pushlstring(raw, "", 0)
            return
        }
        lua_pushlstring(raw, start.assumingMemoryBound(to: CChar.self), bytes.count)
    }

    /// Pushes a string of any bytes. [-0, +1, m]
    @inlinable
    public func push(bytes: [UInt8]) { bytes.withUnsafeBytes { push(bytes: $0) } }

    /// Pushes the coroutine itself. [-0, +1, -]
    @inlinable
    public func pushThread() { lua_pushthread(raw) }

    /// Pushes the table of globals. [-0, +1, -]
    @inlinable
    public func pushGlobals() { clua_push_globals(raw) }

    /// Pushes a new table; absurd size hints are clamped. [-0, +1, m]
    @inlinable
    public func newTable(array: Int = 0, fields: Int = 0) {
        lua_createtable(raw, Int32(max(0, min(array, 1 << 24))), Int32(max(0, min(fields, 1 << 24))))
    }

    /// Pushes a function that runs `function`, with upvalues taken from the top. [-upvalues, +1, m]
    @inlinable
    public func push(_ function: LuaFunction, upvalues: Int32 = 0) {
        clua_push_function(raw, function, upvalues)
    }

    /// Pushes a function that runs `function` with at most so many arguments. [-0, +1, m]
    ///
    /// With more arguments, at least one of which is not nil, it runs `refuse`, which finds `most` in
    /// ``upvalue(_:)`` 1.
    ///
    /// - Parameter most: 0 to 5.
    @inlinable
    public func push(_ function: LuaFunction, atMost most: Int, orElse refuse: LuaFunction) {
        clua_push_limited_function(raw, function, Int32(clamping: most), refuse)
    }

    /// Pushes a continuation for `LuaReply.waitThen` and `.callThen`. [-0, +1, -]
    @inlinable
    public func push(continuation: LuaContinuation) { clua_push_continuation(raw, continuation) }

    /// Pushes a new coroutine whose stack is empty. [-0, +1, m]
    @inlinable
    public func newThread() -> LuaState { LuaState(lua_newthread(raw)) }
}
