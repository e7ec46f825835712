internal import LuaVM

/// Values that only some operations have: a name of their own, and fields. Both are in one user value, since
/// most operations have neither, and few have both.
extension Operations {
    /// The key of the name among the fields.
    private static let nameKey: StaticString = "\0ownName"

    // MARK: The name

    /// Makes the string on top the name of the operation at an index. [-1, +0, m]
    func takeName(of view: OperationPointer, at index: Int32, _ state: LuaState) {
        let index = state.absolute(index)
        view.pointee.flags.insert(.hasName)
        if let body = entry(view.pointee.id)?.pointee.body, body.mayRunPrograms {
            body.setShownName(state.string(-1))
        }
        if hasTickets { runtime.journaling.nameChanged(view, state.string(-1)) }
        guard view.pointee.flags.contains(.hasFields) else {
            state.setValue(.traits, of: view, at: index)
            return
        }
        state.getValue(.traits, of: view, at: index)
        state.insert(-2)
        state.rawSet(-2, Self.nameKey)
        state.pop()
    }

    /// Restores the default name, which describes the operation. [-0, +0, -]
    func removeName(of view: OperationPointer, at index: Int32, _ state: LuaState) {
        view.pointee.flags.remove(.hasName)
        if let body = entry(view.pointee.id)?.pointee.body, body.mayRunPrograms { body.setShownName(nil) }
        if hasTickets { runtime.journaling.nameChanged(view, nil) }
        if view.pointee.flags.contains(.hasFields) { return }
        state.removeValue(.traits, of: view, at: index)
    }

    /// Pushes the name of an operation that has one. [-0, +1, -]
    func pushName(_ state: LuaState, _ index: Int32, _ view: OperationPointer) -> LuaType {
        let type = state.getValue(.traits, of: view, at: index)
        guard type == .table else { return type }
        let name = state.rawGet(-1, Self.nameKey)
        state.remove(-2)
        return name
    }

    // MARK: Fields

    /// Pushes a field of the table of fields, which few operations have. [-0, +1, -]
    @discardableResult
    func getField(_ name: StaticString, of index: Int32, _ view: OperationPointer, _ state: LuaState)
        -> LuaType
    {
        guard view.pointee.flags.contains(.hasFields),
            state.getValue(.traits, of: view, at: index) == .table
        else {
            if view.pointee.flags.contains(.hasFields) { state.pop() }
            state.pushNil()
            return .nil
        }
        let type = state.rawGet(-1, name)
        state.remove(-2)
        return type
    }

    /// The seconds that an attempt of the operation at an index may execute; nil for no limit. [-0, +0, -]
    func timeout(of view: OperationPointer, at index: Int32, _ state: LuaState) -> Double? {
        guard view.pointee.flags.contains(.hasFields) else { return nil }
        defer { state.pop() }
        return getField("timeout", of: index, view, state) == .nil ? nil : state.number(-1)
    }

    /// From 0 to 1; 0.5 by default. [-0, +0, -]
    func threadPriority(of view: OperationPointer, at index: Int32, _ state: LuaState) -> Double {
        guard view.pointee.flags.contains(.hasFields) else { return 0.5 }
        defer { state.pop() }
        return getField("threadPriority", of: index, view, state) == .nil ? 0.5 : state.number(-1) ?? 0.5
    }

    /// Sets a field. [-0, +0, m]
    func setField(
        _ name: StaticString,
        of index: Int32,
        _ view: OperationPointer,
        _ state: LuaState,
        push: (LuaState) -> Void
    ) {
        let index = state.absolute(index)
        pushFields(of: index, view, state)
        push(state)
        state.rawSet(-2, name)
        state.pop()
    }

    /// Pushes the table of fields; makes it if there is none. [-0, +1, m]
    func pushFields(of index: Int32, _ view: OperationPointer, _ state: LuaState) {
        let index = state.absolute(index)
        if view.pointee.flags.contains(.hasFields) {
            state.getValue(.traits, of: view, at: index)
            return
        }
        state.newTable(fields: 2)
        if view.pointee.flags.contains(.hasName) {
            state.getValue(.traits, of: view, at: index)
            state.rawSet(-2, Self.nameKey)
        }
        state.pushValue(-1)
        state.setValue(.traits, of: view, at: index)
        view.pointee.flags.insert(.hasFields)
    }
}
