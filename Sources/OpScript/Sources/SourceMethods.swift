internal import LuaVM
internal import Scheduling

func sourceSetEventHandler(_ raw: OpaquePointer) -> Int32 { setHandler(raw, SourceValue.eventHandler) }

func sourceSetRegistrationHandler(_ raw: OpaquePointer) -> Int32 {
    setHandler(raw, SourceValue.registrationHandler)
}

func sourceSetCancelHandler(_ raw: OpaquePointer) -> Int32 { setHandler(raw, SourceValue.cancelHandler) }

private func setHandler(_ raw: OpaquePointer, _ place: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let source = try runtime.sources.requireSource(state, 1)
        guard state.isNil(2) || runtime.waits.isCallable(state, 2) else {
            throw LuaRaise(argument: 2, "function expected, got \(runtime.kindName(state, 2))")
        }
        // After the end of the source, nothing would release the handler.
        guard !source.machine.isRetired else { return 0 }
        state.setTop(2)
        let isThere = !state.isNil(2)
        _ = state.setUserValue(1, place)
        if place == SourceValue.eventHandler {
            runtime.sources.follow(source.machine.handlerChanged(isThere: isThere), source)
        }
        return 0
    }
}

func sourceActivate(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        try runtime.sources.activate(try runtime.sources.requireSource(state, 1))
        return 0
    }
}

func sourceResume(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let source = try runtime.sources.requireSource(state, 1)
        if source.machine.isInactive, !source.machine.isSuspended {
            try runtime.sources.activate(source)
            return 0
        }
        guard let orders = source.machine.resumed() else {
            // The end of a source ends its suspension too.
            if source.machine.isCancelled { return 0 }
            throw .misuse("the \(source.description) is not suspended: it was resumed once too often")
        }
        runtime.sources.follow(orders, source)
        return 0
    }
}

func sourceSuspend(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let source = try runtime.sources.requireSource(state, 1)
        runtime.sources.follow(source.machine.suspended(), source)
        return 0
    }
}

func sourceCancel(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        runtime.sources.cancelSource(try runtime.sources.requireSource(state, 1))
        return 0
    }
}

/// `source:mergeData(n)`
func sourceMergeData(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let source = try runtime.sources.requireSource(state, 1)
        guard !source.kind.comesFromOutside else {
            let makers = DataSource.makers.map { "'\($0.name)'" }
            throw .misuse(
                "nothing can be merged into the \(source.description), only into sources made by "
                    + "\(makers.dropLast().joined(separator: ", ")) and \(makers.last ?? "")"
            )
        }
        guard let number = state.wholeNumber(2) else {
            throw LuaRaise(argument: 2, "integer expected, got \(runtime.operations.noInteger(state, 2))")
        }
        guard number >= 0 else { throw LuaRaise(argument: 2, "at least 0 expected, got \(number)") }
        runtime.sources.happened(source, number)
        return 0
    }
}
