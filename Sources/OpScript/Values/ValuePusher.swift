internal import LuaVM

extension ValueWorld {
    /// Pushes a copy of a value. [-0, +1, -]
    func push(_ value: ScriptValue, _ state: LuaState) {
        switch value {
        case .nil: state.pushNil()
        case .null: pushNull(state)
        case .boolean(let flag): state.push(flag)
        case .integer(let number): state.push(Int(number))
        case .number(let number): state.push(number)
        case .string(let bytes): state.push(bytes: bytes)
        case .data(let data): pushData(data, state)
        case .object(let object): pushHostObject(object, state)
        case .array(let elements):
            guard state.ensureSpace(6) else { return state.pushNil() }
            state.newTable(array: elements.count)
            for (offset, element) in elements.enumerated() {
                push(element, state)
                state.rawSet(-2, offset + 1)
            }
            if elements.isEmpty { markArray(state) }
        case .table(let table):
            guard state.ensureSpace(6) else { return state.pushNil() }
            state.newTable(fields: table.entries.count)
            for entry in table.entries {
                push(entry.key, state)
                push(entry.value, state)
                // Keys are strings, numbers and booleans; a NaN is refused and dropped.
                do throws(LuaError) { try state.rawSet(-3) } catch { continue }
            }
        }
    }
}
