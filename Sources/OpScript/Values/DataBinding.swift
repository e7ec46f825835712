internal import LuaVM

/// The interface of `Data` to a script: `#d`, `d:sub(i, j)`, `d:string()`.
enum DataBinding {
    static let methods: [ScriptMethod] = [
        .init("sub", "i [, j]", dataSub), .init("string", "", dataString),
    ]

    static func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        let state = vm.main
        state.newTable()
        state.setFunctions([("__len", dataLength), ("__tostring", dataToString)])
        state.newTable()
        state.setMethods(methods, areMethods: true)
        state.pushIndex(getter: nil, fallback: dataOther)
        state.rawSet(-2, "__index")
        return LuaMetatable(state, name: "Data", isBox: true)
    }
}

extension ScriptRuntime {
    fileprivate func requireData(_ state: LuaState) throws(LuaRaise) -> ScriptData {
        if let data = state.box(1, metatables.data, as: ScriptData.self) { return data }
        throw LuaRaise(argument: 1, "Data expected, got \(kindName(state, 1))")
    }
}

private func dataLength(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    state.push(state.box(1, runtime(raw).metatables.data, as: ScriptData.self)?.bytes.count ?? 0)
    return 1
}

private func dataToString(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let count = state.box(1, runtime(raw).metatables.data, as: ScriptData.self)?.bytes.count ?? 0
    state.push("Data (\(count) bytes)")
    return 1
}

/// The bytes from `i` to `j`, counted as `string.sub` counts.
private func dataSub(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let data = try runtime.requireData(state)
        guard let first = state.wholeNumber(2) else {
            throw LuaRaise(argument: 2, "integer expected, got \(runtime.operations.noInteger(state, 2))")
        }
        var last = -1
        if !state.isNoneOrNil(3) {
            guard let value = state.wholeNumber(3) else {
                throw LuaRaise(argument: 3, "integer expected, got \(runtime.operations.noInteger(state, 3))")
            }
            last = value
        }
        data.push(from: first, to: last, state)
        return 1
    }
}

extension ScriptData {
    /// Pushes the bytes from `first` to `last` as a string, counted as `string.sub` counts. [-0, +1, -]
    func push(from first: Int, to last: Int, _ state: LuaState) {
        let count = bytes.count
        let start = first < 0 ? max(1, count + max(first, -count - 1) + 1) : max(1, first)
        let end = last < 0 ? (last < -count ? 0 : count + last + 1) : min(last, count)
        if start > end { return state.push("") }
        bytes.withUnsafeBytes {
            state.push(bytes: UnsafeRawBufferPointer(rebasing: $0[(start - 1)..<end]))
        }
    }
}

private func dataString(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.push(bytes: try runtime.requireData(state).bytes)
        return 1
    }
}

private func dataOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        throw runtime.operations.noSuchProperty(state, of: "Data", among: ["sub", "string"])
    }
}
