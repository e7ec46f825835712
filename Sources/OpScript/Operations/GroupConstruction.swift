internal import LuaVM
internal import Scheduling

/// `GroupOperation { … }`
func makeGroupOperation(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.removeFirst()
        guard state.isTable(1) else {
            throw LuaRaise(
                argument: 1,
                "table of operations expected, got \(runtime.operations.kindName(state, 1))"
            )
        }
        state.setTop(1)
        let options = OptionTable(runtime, state, 1, of: "GroupOperation")
        let width = try options.wholeNumber("maxConcurrentOperationCount", atLeast: -1) ?? -1
        let view = runtime.operations.newOperation(state, .group, .group)
        let made = state.top
        runtime.operations.set(name: "group", of: view, at: made, state)
        try runtime.operations.constructing(view) { () throws(LuaRaise) in
            try runtime.operations.setOptions(options, view, at: made, state)
            try options.refuseOthers(allowingArray: true)
        }
        let id = view.pointee.id
        let name = runtime.operations.name(state, made, view)
        let inner = runtime.queues.makeQueue(name: name, kind: .inner, width: width)
        inner.owner = id
        runtime.operations.attachment(id).inner = inner
        runtime.scheduler.feed { $0.groupCreated(id, inner: inner.id) }
        let count = state.rawLength(1)
        guard state.ensureSpace(forList: count) else {
            throw LuaRaise(argument: 1, "too many operations in one list")
        }
        let first = state.top + 1
        try runtime.operations.constructing(view) { () throws(LuaRaise) in
            for place in stride(from: 1, through: count, by: 1) {
                _ = state.rawGet(1, place)
                try runtime.operations.wrapFunction(state, argument: 1, place: place)
            }
            if count > 0 { try runtime.operations.submit(state, first...state.top, to: inner) }
        }
        state.setTop(made)
        return 1
    }
}

/// `group:addOperation(op)`
func groupAddOperation(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let view = try runtime.operations.requireOperation(state, 1)
        guard view.pointee.type == .group,
            let inner = runtime.operations.entry(view.pointee.id)?.pointee.attachment?.inner
        else {
            throw .misuse(
                view.pointee.type == .group
                    ? "'\(runtime.operations.name(state, 1, view))' has already finished"
                    : "'addOperation' is for queues and groups; '\(runtime.operations.name(state, 1, view))' "
                        + "is neither"
            )
        }
        if view.pointee.isFinished {
            throw .misuse("'\(runtime.operations.name(state, 1, view))' has already finished")
        }
        state.setTop(2)
        try runtime.operations.wrapFunction(state, argument: 2, place: nil)
        try runtime.operations.submit(state, 2...2, to: inner)
        state.setTop(2)
        return 1
    }
}
