public import CLua

extension LuaState {
    // MARK: types

    /// The type at an index. [-0, +0, -]
    @inlinable
    public func type(_ index: Int32) -> LuaType { LuaType(rawValue: lua_type(raw, index)) ?? .none }

    /// Whether there is no value, or `nil`. [-0, +0, -]
    @inlinable
    public func isNoneOrNil(_ index: Int32) -> Bool { lua_type(raw, index) <= 0 }

    /// Whether it is `nil`. [-0, +0, -]
    @inlinable
    public func isNil(_ index: Int32) -> Bool { lua_type(raw, index) == 0 }

    /// Whether it is a function. [-0, +0, -]
    @inlinable
    public func isFunction(_ index: Int32) -> Bool { lua_type(raw, index) == LUA_TFUNCTION }

    /// Whether it is a table. [-0, +0, -]
    @inlinable
    public func isTable(_ index: Int32) -> Bool { lua_type(raw, index) == LUA_TTABLE }

    /// Whether it is a number of the integer kind. [-0, +0, -]
    @inlinable
    public func isInteger(_ index: Int32) -> Bool { lua_isinteger(raw, index) != 0 }

    /// The name of the type as messages should show it: the metatable's `__name`, or else the type. [-0, +0, -]
    public func typeName(_ index: Int32) -> String {
        let index = absolute(index)
        if lua_checkstack(raw, 3) != 0, lua_getmetatable(raw, index) != 0 {
            defer { pop(2) }
            push("__name")
            lua_rawget(raw, -2)
            if let name = string(-1) { return name }
        }
        return type(index).name
    }

    // MARK: plain values

    /// Whether it is neither `nil` nor `false`. [-0, +0, -]
    @inlinable
    public func boolean(_ index: Int32) -> Bool { lua_toboolean(raw, index) != 0 }

    /// The value of a number of the integer kind; a float, even 3.0, gives nil. [-0, +0, -]
    @inlinable
    public func integer(_ index: Int32) -> Int? {
        var value: lua_Integer = 0
        return clua_integer(raw, index, &value) != 0 ? Int(truncatingIfNeeded: value) : nil
    }

    /// The value of any whole number: 3 and 3.0, not "3". [-0, +0, -]
    @inlinable
    public func wholeNumber(_ index: Int32) -> Int? {
        guard lua_type(raw, index) == LUA_TNUMBER else { return nil }
        var isWhole: Int32 = 0
        let value = lua_tointegerx(raw, index, &isWhole)
        return isWhole != 0 ? Int(truncatingIfNeeded: value) : nil
    }

    /// The value of any whole number, and of a text that is one, as Lua's own functions take it: 3, 3.0 and "3".
    /// [-0, +0, -]
    public func convertedInteger(_ index: Int32) -> Int? {
        var isWhole: Int32 = 0
        let value = lua_tointegerx(raw, index, &isWhole)
        return isWhole != 0 ? Int(truncatingIfNeeded: value) : nil
    }

    /// The value of any number; a numeric string gives nil. [-0, +0, -]
    @inlinable
    public func number(_ index: Int32) -> Double? {
        var value: lua_Number = 0
        return clua_number(raw, index, &value) != 0 ? value : nil
    }

    // MARK: strings

    /// Calls a closure with the bytes of a string, in place; nil for any other type. [-0, +0, -]
    ///
    /// The bytes stay valid only while the string is on the stack, so the closure must not remove it.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ index: Int32,
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        var count = 0
        guard let bytes = clua_string(raw, index, &count) else { return nil }
        return try body(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// A string as text; bytes that are not UTF-8 are repaired; nil for any other type. [-0, +0, -]
    @inlinable
    public func string(_ index: Int32) -> String? {
        withBytes(index) { String(decoding: $0, as: UTF8.self) }
    }

    /// A string as bytes; nil for any other type. [-0, +0, -]
    @inlinable
    public func bytes(_ index: Int32) -> [UInt8]? {
        withBytes(index) { [UInt8]($0) }
    }

    // MARK: identity and size

    /// The address of a table, function, userdata, coroutine or string. [-0, +0, -]
    @inlinable
    public func identity(_ index: Int32) -> UnsafeRawPointer? { lua_topointer(raw, index) }

    /// The length of a string, table or userdata, without metamethods. [-0, +0, -]
    @inlinable
    public func rawLength(_ index: Int32) -> Int { Int(truncatingIfNeeded: lua_rawlen(raw, index)) }

    /// Equality without metamethods. [-0, +0, -]
    @inlinable
    public func rawEqual(_ first: Int32, _ second: Int32) -> Bool { lua_rawequal(raw, first, second) != 0 }

    /// The coroutine at an index. [-0, +0, -]
    @inlinable
    public func thread(_ index: Int32) -> LuaState? { lua_tothread(raw, index).map(LuaState.init) }

    /// The address in a light userdata. [-0, +0, -]
    @inlinable
    public func lightUserdata(_ index: Int32) -> UnsafeMutableRawPointer? {
        lua_type(raw, index) == LUA_TLIGHTUSERDATA ? lua_touserdata(raw, index) : nil
    }

    /// The address in an upvalue of the running host function, from 1, which is known to be a light userdata.
    /// [-0, +0, -]
    @inlinable
    @inline(__always)
    public func addressUpvalue(_ number: Int32) -> UnsafeMutableRawPointer? {
        lua_touserdata(raw, clua_upvalue_index(number))
    }

    /// A short text of any value for messages, without metamethods: strings in quotes, others by type. [-0, +0, -]
    public func summary(_ index: Int32) -> String {
        switch type(index) {
        case .nil, .none: return "nil"
        case .boolean: return boolean(index) ? "true" : "false"
        case .number:
            if let integer = integer(index) { return String(integer) }
            guard let number = number(index) else { return "number" }
            return number.isNaN ? "NaN" : "\(number)"
        case .string:
            let text = string(index) ?? ""
            return text.utf8.count > 40 ? "'\(text.prefix(37))...'" : "'\(text)'"
        default: return typeName(index)
        }
    }
}
