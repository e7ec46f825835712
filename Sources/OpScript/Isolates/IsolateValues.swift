internal import LuaVM

/// `Data` and objects of the host inside an isolate: they look as they do outside.
enum IsolateValues {
    static func makeDataMetatable(_ vm: LuaVM) -> LuaMetatable {
        let state = vm.main
        state.newTable()
        state.setFunctions([("__len", isolateDataLength), ("__tostring", isolateDataToString)])
        state.newTable()
        state.setFunctions([("sub", isolateDataSub), ("string", isolateDataString)])
        state.rawSet(-2, "__index")
        return LuaMetatable(state, name: "Data", isBox: true)
    }

    static func makeObjectMetatable(_ vm: LuaVM) -> LuaMetatable {
        let state = vm.main
        state.newTable()
        state.setFunctions([("__index", isolateObjectGet), ("__tostring", isolateObjectToString)])
        return LuaMetatable(state, name: "object", isBox: true)
    }
}

/// The machine that a host function of an isolate belongs to.
private func machine(_ raw: OpaquePointer) -> IsolateMachine {
    guard let host = LuaState(raw).host else {
        preconditionFailure("a function of an isolate was called without its machine")
    }
    return Unmanaged<IsolateMachine>.fromOpaque(host).takeUnretainedValue()
}

private func data(_ raw: OpaquePointer) -> ScriptData? {
    LuaState(raw).box(1, machine(raw).dataMetatable, as: ScriptData.self)
}

private func object(_ raw: OpaquePointer) -> (any ScriptObject)? {
    LuaState(raw).box(1, machine(raw).objectMetatable, as: HostObjectBox.self)?.object
}

private func isolateDataLength(_ raw: OpaquePointer) -> Int32 {
    LuaState(raw).push(data(raw)?.bytes.count ?? 0)
    return 1
}

private func isolateDataToString(_ raw: OpaquePointer) -> Int32 {
    LuaState(raw).push("Data (\(data(raw)?.bytes.count ?? 0) bytes)")
    return 1
}

private func isolateDataSub(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard let data = data(raw) else { return state.raise(argument: 1, expected: "Data") }
    guard let first = state.wholeNumber(2) else { return state.raise(argument: 2, expected: "integer") }
    var last = -1
    if !state.isNoneOrNil(3) {
        guard let given = state.wholeNumber(3) else { return state.raise(argument: 3, expected: "integer") }
        last = given
    }
    data.push(from: first, to: last, state)
    return 1
}

private func isolateDataString(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard let data = data(raw) else { return state.raise(argument: 1, expected: "Data") }
    state.push(bytes: data.bytes)
    return 1
}

private func isolateObjectGet(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    guard let object = object(raw) else { return state.raise(argument: 1, expected: "object") }
    if let name = state.string(2), let value = object.scriptProperty(name) {
        machine(raw).push(value, state)
        return 1
    }
    let type = type(of: object)
    let key = state.string(2) ?? state.summary(2)
    let hint = suggestion(for: key, among: type.scriptPropertyNames)
    return state.raise(message: "\(type.scriptTypeName) has no property '\(key)'\(hint)")
}

private func isolateObjectToString(_ raw: OpaquePointer) -> Int32 {
    LuaState(raw).push(object(raw).map { type(of: $0).scriptTypeName } ?? "object")
    return 1
}
