public import CLua

extension LuaState {
    /// Pushes a userdata that keeps a Swift object alive, with its metatable. [-0, +1, m]
    ///
    /// - Parameter weight: How many bytes the object holds outside of Lua. Limits of memory count them until the box is
    ///   collected, and the collector works as if Lua had allocated them.
    public func pushBox(
        _ object: AnyObject,
        _ metatable: LuaMetatable,
        userValues: Int32 = 0,
        weight: Int = 0
    ) {
        let userValues = max(0, min(userValues, 1000))
        let object = Unmanaged.passRetained(object).toOpaque()
        clua_push_box(raw, metatable.identity, object, userValues, max(0, weight))
        metatable.push(self)
        lua_setmetatable(raw, -2)
        if weight > 0 { clua_charge(raw) }
    }

    /// The object in a box that was made with this metatable; nil for anything else, and after finalization.
    /// [-0, +0, -]
    ///
    /// `type` must be the type that was boxed with this metatable, or a superclass of it.
    @inlinable
    public func box<Object: AnyObject>(_ index: Int32, _ metatable: LuaMetatable, as type: Object.Type)
        -> Object?
    {
        guard let pointer = clua_box(raw, index, metatable.identity) else { return nil }
        return unsafeDowncast(Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue(), to: Object.self)
    }

    /// Calls a closure with the object in a box, without counting references to it; therefore the box has to
    /// stay on the stack. [-0, +0, -]
    ///
    /// `type` as in ``box(_:_:as:)``.
    @inlinable
    public func withBox<Object: AnyObject, Result>(
        _ index: Int32,
        _ metatable: LuaMetatable,
        as type: Object.Type,
        _ body: (Object) -> Result
    ) -> Result? {
        guard let pointer = clua_box(raw, index, metatable.identity) else { return nil }
        return Unmanaged<Object>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
    }

    /// Pushes a plain userdata of zeroed bytes, without metatable. [-0, +1, m]
    @discardableResult
    public func newUserdata(size: Int, userValues: Int32 = 0) -> UnsafeMutableRawPointer {
        let size = max(0, min(size, 1 << 30))
        guard let memory = lua_newuserdatauv(raw, size, max(0, min(userValues, 1000))) else {
            preconditionFailure("Lua gave no memory for a userdata of \(size) bytes")
        }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        return memory
    }

    /// Pushes a userdata for a plain value, with its metatable; to be initialized at once, with the metatable's
    /// identity as its first word. [-0, +1, m]
    public func newUserdata<Value>(
        of type: Value.Type,
        _ metatable: LuaMetatable,
        userValues: Int32
    ) -> UnsafeMutablePointer<Value> {
        guard let memory = lua_newuserdatauv(raw, MemoryLayout<Value>.stride, userValues) else {
            preconditionFailure("Lua gave no memory for a userdata")
        }
        metatable.push(self)
        lua_setmetatable(raw, -2)
        return memory.bindMemory(to: Value.self, capacity: 1)
    }

    /// A userdata is about to be kept in a table of the host; the collector counts it.
    /// [-0, +0, m]
    @inlinable
    @inline(__always)
    public func noteKept() { clua_note_kept(raw) }

    /// A userdata is no longer kept. [-0, +0, -]
    @inlinable
    @inline(__always)
    public func noteDropped() { clua_note_dropped(raw) }

    /// Puts `false` at a place of a table that keeps userdata. [-0, +0, -]
    public func drop(keptAt place: Int, of table: LuaReference) {
        clua_drop_kept(raw, table.slot, lua_Integer(place))
    }

    /// The memory of a userdata whose first word is the identity of this metatable; nil for anything else. [-0, +0, -]
    ///
    /// The creator of such a userdata stores that word; the userdata is at least 16 bytes long.
    @inlinable
    public func userdata(_ index: Int32, _ metatable: LuaMetatable) -> UnsafeMutableRawPointer? {
        clua_userdata(raw, index, metatable.identity)
    }

    /// The memory of any full userdata. [-0, +0, -]
    @inlinable
    public func anyUserdata(_ index: Int32) -> UnsafeMutableRawPointer? {
        lua_type(raw, index) == LUA_TUSERDATA ? lua_touserdata(raw, index) : nil
    }

    /// The address of the metatable of a value, to compare with `LuaMetatable.identity`. [-0, +0, -]
    @inlinable
    public func metatableIdentity(_ index: Int32) -> UnsafeRawPointer? { clua_metatable_identity(raw, index) }

    /// Pushes a user value of a full userdata, from 1; `nil` if there is none. [-0, +1, -]
    @inlinable
    @discardableResult
    public func getUserValue(_ index: Int32, _ number: Int32 = 1) -> LuaType {
        LuaType(rawValue: lua_getiuservalue(raw, index, number)) ?? .none
    }

    /// Sets a user value of a full userdata to the value on top; false if there is none. [-1, +0, -]
    @inlinable
    @discardableResult
    public func setUserValue(_ index: Int32, _ number: Int32 = 1) -> Bool {
        lua_setiuservalue(raw, index, number) != 0
    }

    // MARK: files

    /// The descriptor of a file of Lua's library.
    public enum File: Equatable, Sendable {
        /// An open file, with the number of bytes that it has read ahead.
        case open(descriptor: Int32, buffered: Int)
        case closed
    }

    /// The file of Lua's library at an index; nil for anything else. [-0, +0, m]
    public func file(_ index: Int32) -> File? {
        guard ensureSpace(3) else { return nil }
        var buffered = 0
        let descriptor = clua_file(raw, index, &buffered)
        if descriptor == Int32(CLUA_NO_FILE) { return nil }
        return descriptor < 0 ? .closed : .open(descriptor: descriptor, buffered: buffered)
    }

    // MARK: property tables

    /// Replaces a table by an `__index` function; its values are returned as they are, integers are passed to the
    /// getter. [-1, +1, m]
    ///
    /// Names that the table does not have go to `fallback` (object at 1, key at 2), or read as `nil` without one.
    /// The functions must check the object themselves: a script with `debug` may call them with anything.
    public func pushIndex(getter: LuaAccessor?, fallback: LuaFunction? = nil) {
        clua_push_index(raw, getter, fallback)
    }

    /// Replaces a table of name → integer by a `__newindex` function; the value is at index 3. [-1, +1, m]
    ///
    /// Names that the table does not have go to `fallback` (object at 1, key at 2), or raise without one.
    public func pushNewIndex(setter: LuaAccessor?, fallback: LuaFunction? = nil) {
        clua_push_newindex(raw, setter, fallback)
    }

    /// Sets functions as fields of the table on top. [-0, +0, m]
    public func setFunctions(_ functions: [(StaticString, LuaFunction)]) {
        for (name, function) in functions {
            push(function)
            rawSet(-2, name)
        }
    }
}
