public import CLua

extension LuaState {
    // MARK: raw access; the value at the index must be a table

    /// Pushes `t[n]`. [-0, +1, -]
    @inlinable
    @discardableResult
    public func rawGet(_ index: Int32, _ key: Int) -> LuaType {
        LuaType(rawValue: lua_rawgeti(raw, index, lua_Integer(key))) ?? .none
    }

    /// Replaces the key on top by `t[key]`. [-1, +1, -]
    @inlinable
    @discardableResult
    public func rawGet(_ index: Int32) -> LuaType { LuaType(rawValue: lua_rawget(raw, index)) ?? .none }

    /// Pushes `t[name]`. [-0, +1, m]
    @inlinable
    @discardableResult
    public func rawGet(_ index: Int32, _ name: StaticString) -> LuaType {
        let index = lua_absindex(raw, index)
        push(name)
        return LuaType(rawValue: lua_rawget(raw, index)) ?? .none
    }

    /// Pushes `t[name]`. [-0, +1, m]
    @inlinable
    @discardableResult
    public func rawGet(_ index: Int32, _ name: String) -> LuaType {
        let index = lua_absindex(raw, index)
        push(name)
        return LuaType(rawValue: lua_rawget(raw, index)) ?? .none
    }

    /// Pushes `t[pointer]`. [-0, +1, -]
    @inlinable
    @discardableResult
    public func rawGet(_ index: Int32, address: UnsafeRawPointer) -> LuaType {
        LuaType(rawValue: lua_rawgetp(raw, index, address)) ?? .none
    }

    /// Sets `t[n]` to the value on top. [-1, +0, m]
    @inlinable
    public func rawSet(_ index: Int32, _ key: Int) { lua_rawseti(raw, index, lua_Integer(key)) }

    /// Sets `t[name]` to the value on top. [-1, +0, m]
    @inlinable
    public func rawSet(_ index: Int32, _ name: StaticString) {
        let index = lua_absindex(raw, index)
        push(name)
        lua_rotate(raw, -2, 1)
        lua_rawset(raw, index)
    }

    /// Sets `t[name]` to the value on top. [-1, +0, m]
    @inlinable
    public func rawSet(_ index: Int32, _ name: String) {
        let index = lua_absindex(raw, index)
        push(name)
        lua_rotate(raw, -2, 1)
        lua_rawset(raw, index)
    }

    /// Sets `t[pointer]` to the value on top. [-1, +0, m]
    @inlinable
    public func rawSet(_ index: Int32, address: UnsafeRawPointer) { lua_rawsetp(raw, index, address) }

    /// Sets `t[key]` with key and value on top; throws for a nil or NaN key. [-2, +0, -]
    public func rawSet(_ index: Int32) throws(LuaError) {
        try check(clua_raw_set(raw, index))
    }

    /// Replaces the key on top by the next key and its value; false, with nothing pushed, at the end. [-1, +2 or 0, -]
    ///
    /// For traversals that start with `nil` and assign no new field meanwhile. If a finalizer of the script does so, or
    /// removes the field of the key, the traversal ends; ``next(_:)`` throws instead.
    @inlinable
    public func nextUnchecked(_ index: Int32) -> Bool { clua_next_unprotected(raw, index) > 0 }

    /// The same, but detects that the field of the key is gone: nil, with nothing pushed. [-1, +2 or 0, -]
    @inlinable
    public func nextField(_ index: Int32) -> Bool? {
        let outcome = clua_next_unprotected(raw, index)
        return outcome < 0 ? nil : outcome > 0
    }

    /// Calls a closure for each pair: key at -2, value at -1; both are removed after the call. [-0, +0, -]
    ///
    /// The closure must leave the stack as it was, assign no new field, and not change the key in place.
    @inlinable
    public func forEachPair<Failure: Error>(
        _ index: Int32,
        _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        let index = lua_absindex(raw, index)
        lua_pushnil(raw)
        while clua_next_unprotected(raw, index) > 0 {
            do {
                try body()
            } catch {
                lua_settop(raw, -3)
                throw error
            }
            lua_settop(raw, -2)
        }
    }

    // MARK: metatables

    /// Pushes the metatable; false, with nothing pushed, when there is none. [-0, +1 or 0, -]
    @inlinable
    public func pushMetatable(_ index: Int32) -> Bool { lua_getmetatable(raw, index) != 0 }

    /// Makes the table (or nil) on top the metatable of a value. [-1, +0, m]
    @inlinable
    public func setMetatable(_ index: Int32) { lua_setmetatable(raw, index) }

    // MARK: access with metamethods

    /// Replaces the key on top by `t[key]`. [-1, +1, -]
    @discardableResult
    public func get(_ index: Int32) throws(LuaError) -> LuaType {
        try check(clua_get(raw, index))
        return type(-1)
    }

    /// Pushes `t[name]`. [-0, +1, -]
    @discardableResult
    public func getField(_ index: Int32, _ name: String) throws(LuaError) -> LuaType {
        var name = name
        let status = name.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                clua_get_field(raw, index, $0.baseAddress ?? emptyText, $0.count)
            }
        }
        try check(status)
        return type(-1)
    }

    /// Sets `t[key]`, with key and value on top. [-2, +0, -]
    public func set(_ index: Int32) throws(LuaError) {
        try check(clua_set(raw, index))
    }

    /// Sets `t[name]` to the value on top. [-1, +0, -]
    public func setField(_ index: Int32, _ name: String) throws(LuaError) {
        var name = name
        let status = name.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                clua_set_field(raw, index, $0.baseAddress ?? emptyText, $0.count)
            }
        }
        try check(status)
    }

    /// Sets a global to the value on top, without metamethods. [-1, +0, m]
    public func setGlobal(_ name: String) {
        clua_push_globals(raw)
        lua_rotate(raw, -2, 1)
        rawSet(-2, name)
        pop()
    }

    /// Pushes a global, without metamethods. [-0, +1, m]
    @discardableResult
    public func getGlobal(_ name: String) -> LuaType {
        clua_push_globals(raw)
        let type = rawGet(-1, name)
        remove(-2)
        return type
    }

    /// Replaces the key on top by the next key and its value; false, with nothing pushed, at the end. [-1, +2 or 0, -]
    public func next(_ index: Int32) throws(LuaError) -> Bool {
        var more: Int32 = 0
        try check(clua_next(raw, index, &more))
        return more != 0
    }

    /// The length as `#` returns it. [-0, +0, -]
    public func length(_ index: Int32) throws(LuaError) -> Int {
        var length: lua_Integer = 0
        try check(clua_length(raw, index, &length))
        return Int(truncatingIfNeeded: length)
    }

    /// Equality as `==` finds it. [-0, +0, -]
    public func equal(_ first: Int32, _ second: Int32) throws(LuaError) -> Bool {
        try compare(first, second, LUA_OPEQ)
    }

    /// Order as `<` finds it. [-0, +0, -]
    public func less(_ first: Int32, _ second: Int32) throws(LuaError) -> Bool {
        try compare(first, second, LUA_OPLT)
    }

    /// Concatenates values as `..` does. [-n, +1, -]
    public func concatenate(_ count: Int32) throws(LuaError) {
        try check(clua_concat(raw, count))
    }

    /// The text that `tostring` returns, bytes repaired to UTF-8. [-0, +0, -]
    public func describe(_ index: Int32) throws(LuaError) -> String {
        try check(clua_describe(raw, index))
        defer { pop() }
        return string(-1) ?? ""
    }

    private func compare(_ first: Int32, _ second: Int32, _ operation: Int32) throws(LuaError) -> Bool {
        var result: Int32 = 0
        try check(clua_compare(raw, first, second, operation, &result))
        return result != 0
    }

    /// Throws the error on top for a status other than 0. [-0 or 1, +0, -]
    func check(_ status: Int32) throws(LuaError) {
        if status != LUA_OK { throw LuaError.taken(from: self, status: status) }
    }

    private var emptyText: UnsafePointer<CChar> {
        UnsafeRawPointer(StaticString("").utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
