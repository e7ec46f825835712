internal import LuaVM

/// The module `json`.
enum JSONBinding {
    static let functions: [ScriptMethod] = [
        .init("decode", "text", jsonDecode),
        .init("encode", "value [, { pretty = true }]", jsonEncode),
    ]

    /// [-0, +1, -]
    static func install(_ runtime: ScriptRuntime, _ state: LuaState) {
        state.newTable()
        state.setMethods(functions, areMethods: false)
        runtime.globals.pushNull(state)
        state.rawSet(-2, "null")
    }
}

private func jsonDecode(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard let text = state.bytes(1) ?? state.box(1, runtime.metatables.data, as: ScriptData.self)?.bytes
        else {
            throw LuaRaise(argument: 1, "string expected, got \(runtime.kindName(state, 1))")
        }
        do throws(ScriptError) {
            runtime.push(try ScriptValue(json: text), state)
        } catch {
            throw LuaRaise(error)
        }
        return 1
    }
}

private func jsonEncode(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard state.top >= 1 else { throw LuaRaise(argument: 1, "value expected, got no value") }
        var isPretty = false
        if !state.isNoneOrNil(2) {
            guard state.isTable(2) else {
                throw LuaRaise(argument: 2, "table expected, got \(runtime.kindName(state, 2))")
            }
            let options = OptionTable(runtime, state, 2, of: "json.encode")
            isPretty = try options.boolean("pretty") ?? false
            try options.refuseOthers()
        }
        let value: ScriptValue
        var reader = ValueReader(runtime, state)
        do throws(ScriptConversionError) {
            value = try reader.read(1)
        } catch {
            throw error.isMemory
                ? LuaRaise(error, error.description) : LuaRaise(argument: 1, error.description)
        }
        do throws(ScriptError) {
            state.push(bytes: try value.json(pretty: isPretty))
        } catch {
            throw LuaRaise(error)
        }
        return 1
    }
}
