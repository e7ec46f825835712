internal import CLua

extension LuaState {
    /// Whether it is a function that was written in Lua. [-0, +0, -]
    public func isLuaFunction(_ index: Int32) -> Bool {
        isFunction(index) && lua_iscfunction(raw, index) == 0
    }

    /// The place where a Lua function begins: `job.lua:12`. [-0, +0, -]
    public func definition(_ index: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(LUA_IDSIZE)) { buffer in
            guard isLuaFunction(index), let text = buffer.baseAddress else { return "?" }
            let line = clua_definition(raw, index, text)
            return "\(String(cString: text)):\(line)"
        }
    }

    /// The compiled form of a Lua function, without its upvalues; nil for any other value. [-0, +0, -]
    func dump(_ index: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        let isDumped = withUnsafeMutablePointer(to: &bytes) { clua_dump(raw, index, appendDumped, $0) }
        return isDumped != 0 ? bytes : nil
    }

    /// Pushes the function of a compiled form, with new upvalues. [-0, +1, -]
    ///
    /// Only for bytes that `dump` in this program returned: other bytes can crash Lua.
    func undump(_ bytes: [UInt8]) throws(LuaError) {
        try check(
            bytes.withUnsafeBytes { buffer in
                guard let start = buffer.baseAddress else { return clua_undump(raw, "", 0) }
                return clua_undump(raw, start.assumingMemoryBound(to: CChar.self), buffer.count)
            }
        )
    }

    /// Pushes an upvalue of a function, from 1, and returns its name; nil, with nothing pushed, after the last.
    /// [-0, +1 or 0, -]
    func pushUpvalue(of function: Int32, _ number: Int32) -> String? {
        lua_getupvalue(raw, function, number).map { String(cString: $0) }
    }

    /// Sets an upvalue of a function to the value on top. [-1, +0, -]
    func setUpvalue(of function: Int32, _ number: Int32) {
        if lua_setupvalue(raw, function, number) == nil { pop() }
    }

    /// Gives a chunk the value on top as its first upvalue, which is its environment; other chunks keep theirs.
    /// [-1, +0, m]
    public func replaceFirstUpvalue(of chunk: Int32) {
        if lua_setupvalue(raw, chunk, 1) == nil { pop() }
    }

    /// Identifies an upvalue; functions that share it have the same identity. [-0, +0, -]
    func upvalueIdentity(of function: Int32, _ number: Int32) -> UnsafeRawPointer? {
        UnsafeRawPointer(lua_upvalueid(raw, function, number))
    }

    /// Makes an upvalue of a function refer to an upvalue of another one. [-0, +0, -]
    func joinUpvalue(of function: Int32, _ number: Int32, to other: Int32, _ otherNumber: Int32) {
        lua_upvaluejoin(raw, function, number, other, otherNumber)
    }
}

private func appendDumped(
    _ state: OpaquePointer?,
    _ bytes: UnsafeRawPointer?,
    _ count: Int,
    _ target: UnsafeMutableRawPointer?
) -> Int32 {
    let buffer = UnsafeRawBufferPointer(start: bytes, count: count)
    target?.assumingMemoryBound(to: [UInt8].self).pointee.append(contentsOf: buffer)
    return 0
}
