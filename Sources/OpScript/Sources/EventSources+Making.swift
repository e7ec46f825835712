internal import LuaVM
internal import Scheduling

extension EventSources {
    /// Makes a source and pushes it.
    func makeSource(_ kind: any SourceKind, _ queue: ScriptQueue, _ state: LuaState) {
        let source = EventSource(kind, number: table.takeNumber(), queue: queue)
        source.place = state.place(level: 1)
        pushSource(source, state)
        queues.pushQueue(queue, state)
        _ = state.setUserValue(-2, SourceValue.queue)
    }

    /// The queue at an index, the last argument of all functions that make sources; the main queue if there is none.
    func sourceQueue(_ state: LuaState, _ index: Int32) throws(LuaRaise) -> ScriptQueue {
        if state.isNoneOrNil(index) { return queues.mainQueue }
        if let queue = queue(state, index) { return queue }
        throw LuaRaise(argument: index, "queue expected, got \(operations.kindName(state, index))")
    }

    /// The queue at an index, of either kind.
    func queue(_ state: LuaState, _ index: Int32) -> ScriptQueue? {
        runtime.dispatch.anyDispatchQueue(state, index) ?? queues.scriptQueue(state, index)
    }

    /// Reads a list of names, or one name; raises an error for a name that is not among `names`.
    ///
    /// - Parameter foreign: Names that other systems have, and the names to use instead.
    func flags(
        _ state: LuaState,
        _ index: Int32,
        _ names: [String],
        _ foreign: [String: String] = [:]
    ) throws(LuaRaise) -> [String] {
        func checked(_ position: Int32) throws(LuaRaise) -> String {
            guard let name = state.string(position) else {
                throw LuaRaise(
                    argument: index,
                    "names of events expected, got \(operations.kindName(state, position))"
                )
            }
            if names.contains(name) { return name }
            if let reason = foreign[name] { throw LuaRaise(argument: index, reason) }
            throw LuaRaise(
                argument: index,
                "there is no event '\(name)'\(suggestion(for: name, among: names))"
            )
        }
        if state.type(index) == .string { return [try checked(index)] }
        guard state.isTable(index) else {
            throw LuaRaise(
                argument: index,
                "table of events expected, got \(operations.kindName(state, index))"
            )
        }
        var result: [String] = []
        for place in stride(from: 1, through: state.rawLength(index), by: 1) {
            _ = state.rawGet(index, place)
            result.append(try checked(state.top))
            state.pop()
        }
        guard !result.isEmpty else {
            throw LuaRaise(argument: index, "at least one event expected, got none")
        }
        return result
    }
}
