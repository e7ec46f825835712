internal import LuaVM

/// A Lua state with the functions that it needs to exchange values: the script's, or that of an isolate.
protocol ValueWorld: AnyObject {
    /// The name in messages of the world that a value leaves: `the script thread`.
    static var home: String { get }
    /// Recognises `Data`.
    var dataMetatable: LuaMetatable { get }
    /// Recognises objects of the host.
    var objectMetatable: LuaMetatable { get }
    /// Makes two references to one object the same value.
    var sharedObjects: SharedObjects { get }

    func isOperation(_ state: LuaState, _ index: Int32) -> Bool
    /// The box in which the result of the operation at an index will be.
    func resultBox(_ state: LuaState, _ index: Int32) -> ResultBox
    func isNull(_ state: LuaState, _ index: Int32) -> Bool
    func isMarkedArray(_ state: LuaState, _ index: Int32) -> Bool
    /// The text of the error value at an index.
    func errorText(_ state: LuaState, _ index: Int32) -> String?
    /// The name of a value in messages.
    func kindName(_ state: LuaState, _ index: Int32) -> String
    /// A handle that Swift may keep, for the function or operation at an index; nil if this world has none.
    func handle(_ state: LuaState, _ index: Int32) -> (any ScriptObject)?
    /// Pushes the value that a handle represents; false if it is not a handle of this world. [-0, +1 or 0, -]
    func pushHandle(_ object: any ScriptObject, _ state: LuaState) -> Bool
    /// The members of an object of the host that may be used.
    func exposure(of instance: AnyObject) -> Exposure?
    func pushNull(_ state: LuaState)
    /// Pushes the userdata of an object that has none yet. [-0, +1, -]
    func makeObject(_ object: any ScriptObject, _ state: LuaState)
    /// Marks the empty table on top as an array, so that it comes back as one.
    func markArray(_ state: LuaState)
}

extension ValueWorld {
    /// The value of the `Data` or host object at an index; nil for anything else.
    func sharedValue(_ state: LuaState, _ index: Int32) -> ScriptValue? {
        if let data = state.box(index, dataMetatable, as: ScriptData.self) { return .data(data) }
        if let box = state.box(index, objectMetatable, as: HostObjectBox.self) { return .object(box.object) }
        return nil
    }

    func pushData(_ data: ScriptData, _ state: LuaState) {
        sharedObjects.push(data, state) { state.pushBox(data, self.dataMetatable, weight: data.bytes.count) }
    }

    func pushHostObject(_ object: any ScriptObject, _ state: LuaState) {
        // A handle turns back into the script's value. A handle of another engine is an object like any other.
        if pushHandle(object, state) { return }
        sharedObjects.push((object as? ExposedObject)?.instance ?? object, state) {
            self.makeObject(object, state)
        }
    }

    func makeObject(_ object: any ScriptObject, _ state: LuaState) {
        let instance = (object as? ExposedObject)?.instance ?? object
        HostObjectBox(object, exposure(of: instance)).push(objectMetatable, state)
    }
}

extension ScriptRuntime: ValueWorld {
    static let home = "the script thread"

    var sharedObjects: SharedObjects { globals.sharedObjects }
    var dataMetatable: LuaMetatable { metatables.data }
    var objectMetatable: LuaMetatable { metatables.hostObject }

    func isOperation(_ state: LuaState, _ index: Int32) -> Bool { operations.operation(state, index) != nil }

    func resultBox(_ state: LuaState, _ index: Int32) -> ResultBox {
        operations.operation(state, index).map { operations.makeResultBox(of: $0, state, index) }
            ?? ResultBox()
    }

    func errorText(_ state: LuaState, _ index: Int32) -> String? { errorValue(state, index)?.message }

    func handle(_ state: LuaState, _ index: Int32) -> (any ScriptObject)? {
        if let view = operations.operation(state, index) {
            return ScriptOperation(
                reference(to: index, state),
                name: operations.name(state, index, view),
                link
            )
        }
        return state.isFunction(index) ? ScriptFunction(reference(to: index, state), link) : nil
    }

    func isNull(_ state: LuaState, _ index: Int32) -> Bool { globals.isNull(state, index) }

    func isMarkedArray(_ state: LuaState, _ index: Int32) -> Bool { globals.isMarkedArray(state, index) }

    func kindName(_ state: LuaState, _ index: Int32) -> String { operations.kindName(state, index) }

    func pushNull(_ state: LuaState) { globals.pushNull(state) }

    func markArray(_ state: LuaState) { globals.markArray(state) }

    func makeObject(_ object: any ScriptObject, _ state: LuaState) { hostObjects.makeObject(object, state) }

    func exposure(of instance: AnyObject) -> Exposure? { hostObjects.exposure(of: instance) }

    func pushHandle(_ object: any ScriptObject, _ state: LuaState) -> Bool {
        if let function = object as? ScriptFunction, function.reference.belongs(to: vm) {
            function.reference.push(state)
            return true
        }
        if let operation = object as? ScriptOperation, operation.reference.belongs(to: vm) {
            operation.reference.push(state)
            return true
        }
        return false
    }
}

extension IsolateMachine {
    func handle(_ state: LuaState, _ index: Int32) -> (any ScriptObject)? { nil }

    func pushHandle(_ object: any ScriptObject, _ state: LuaState) -> Bool { false }

    func exposure(of instance: AnyObject) -> Exposure? { nil }
}
