internal import LuaVM
internal import Scheduling

/// `sleep(seconds)`
func scriptSleep(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard let seconds = try runtime.waits.seconds(state, 1) else {
            throw LuaRaise(argument: 1, "number expected, got \(state.type(1).name)")
        }
        return try runtime.waits.sleep(seconds, state)
    }
}

/// Continues after a wait that returns nothing.
func endWithNothing(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    if state.boolean(base) { return 0 }
    state.pushValue(base + 1)
    return LuaReply.raise
}

/// `await(operation)`; the table `await` itself is the first argument.
func scriptAwait(_ raw: OpaquePointer) -> Int32 {
    LuaState(raw).remove(1)
    return waitForOne(raw, giveOutcome)
}

/// `pawait(operation)`
func scriptProtectedAwait(_ raw: OpaquePointer) -> Int32 {
    waitForOne(raw, giveProtectedOutcome)
}

func waitForOne(
    _ raw: OpaquePointer,
    _ give: @escaping @convention(c) (OpaquePointer, Int32) -> Int32
) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        if state.isTable(1) {
            throw LuaRaise(argument: 1, "operation expected, got table; for a list use await.all { … }")
        }
        let view = try runtime.operations.requireOperation(state, 1)
        let task = try runtime.waits.waitingTask(state)
        try runtime.operations.submitForAwait(state, 1)
        if view.pointee.flags.contains(.isSettled) {
            state.setTop(1)
            state.push(true)
            return give(raw, 2)
        }
        guard state.canWait else { return LuaReply.wait }
        runtime.waits.beginWait(task, .operations([view.pointee.id], any: false), state)
        state.setTop(1)
        state.push(continuation: give)
        return LuaReply.waitThen
    }
}

func giveOutcome(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    guard state.boolean(base) else {
        state.pushValue(base + 1)
        return LuaReply.raise
    }
    return runtime(raw).waits.pushOutcome(state, 1)
}

private func giveProtectedOutcome(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    guard state.boolean(base) else {
        state.pushValue(base + 1)
        return LuaReply.raise
    }
    let place = state.top + 1
    let count = runtime(raw).waits.pushOutcome(state, 1)
    state.push(count >= 0)
    state.insert(place)
    return count >= 0 ? count + 1 : 2
}

/// `await.all { … }`
func scriptAwaitAll(_ raw: OpaquePointer) -> Int32 {
    waitForList(raw, any: false, giveAll)
}

/// `await.any { … }`
func scriptAwaitAny(_ raw: OpaquePointer) -> Int32 {
    waitForList(raw, any: true, giveAny)
}

/// `await.settled { … }`
func scriptAwaitSettled(_ raw: OpaquePointer) -> Int32 {
    waitForList(raw, any: false, giveSettled)
}

private func waitForList(
    _ raw: OpaquePointer,
    any: Bool,
    _ give: @escaping @convention(c) (OpaquePointer, Int32) -> Int32
) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        guard state.isTable(1) else {
            throw LuaRaise(
                argument: 1,
                "table of operations expected, got \(runtime.operations.kindName(state, 1))"
            )
        }
        if state.hasOnlyNames(1) {
            throw LuaRaise(argument: 1, "list of operations expected, got a table that has only names")
        }
        let count = state.rawLength(1)
        if any, count == 0 {
            throw LuaRaise(argument: 1, "a list with at least one operation expected, got an empty table")
        }
        let task = try runtime.waits.waitingTask(state)
        state.setTop(1)
        // A copy: changes that the script makes to its table meanwhile have no effect.
        state.newTable(array: count)
        var views: [OperationPointer] = []
        views.reserveCapacity(count)
        for place in stride(from: 1, through: count, by: 1) {
            _ = state.rawGet(1, place)
            guard let view = runtime.operations.operation(state, -1) else {
                throw LuaRaise(
                    argument: 1,
                    "operation expected at [\(place)], got \(runtime.operations.kindName(state, -1))"
                )
            }
            views.append(view)
            state.rawSet(2, place)
        }
        try runtime.operations.submitForAwait(views, in: 2, state)
        let open = views.compactMap { $0.pointee.flags.contains(.isSettled) ? nil : $0.pointee.id }
        let first = any ? firstEnded(views) : nil
        if open.isEmpty || first != nil {
            state.push(first ?? 0)
            state.push(true)
            return give(raw, 4)
        }
        guard state.canWait else { return LuaReply.wait }
        let wait = runtime.waits.beginWait(task, .operations(open, any: any), state)
        // For `any`: the wait knows which operation it was.
        state.push(0)
        if any { runtime.waits.anyWaits[ObjectIdentifier(task)] = wait }
        state.push(continuation: give)
        return LuaReply.waitThen
    }
}

/// The place in a list, from 1, of the operation that finished first, among those that are settled.
private func firstEnded(_ views: [OperationPointer]) -> Int? {
    views.indices.filter { views[$0].pointee.flags.contains(.isSettled) }
        .min { views[$0].pointee.endNumber < views[$1].pointee.endNumber }
        .map { $0 + 1 }
}

/// Stack: list, copy, first, continuation, ok, …
private func giveAll(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    guard state.boolean(base) else {
        state.pushValue(base + 1)
        return LuaReply.raise
    }
    let count = state.rawLength(2)
    state.newTable(array: count)
    let results = state.top
    var failure: Int32?
    for place in stride(from: 1, through: count, by: 1) {
        let top = state.top
        _ = state.rawGet(2, place)
        let given = runtime.waits.pushOutcome(state, top + 1)
        if given < 0 {
            if failure == nil {
                failure = state.top
                continue
            }
        } else if given > 0 {
            // The first result is right above the operation.
            state.setTop(top + 2)
            state.rawSet(results, place)
        }
        state.setTop(max(top, failure ?? 0))
    }
    if let failure {
        state.pushValue(failure)
        return LuaReply.raise
    }
    state.pushValue(results)
    return 1
}

private func giveAny(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    let wait = runtime.bodies.current.flatMap {
        runtime.waits.anyWaits.removeValue(forKey: ObjectIdentifier($0))
    }
    guard state.boolean(base) else {
        state.pushValue(base + 1)
        return LuaReply.raise
    }
    var place = state.integer(3) ?? 0
    if place == 0, let id = wait?.firstFinished {
        for candidate in stride(from: 1, through: state.rawLength(2), by: 1) where place == 0 {
            _ = state.rawGet(2, candidate)
            if runtime.operations.operation(state, -1)?.pointee.id == id { place = candidate }
            state.pop()
        }
    }
    _ = state.rawGet(2, place)
    if let view = runtime.operations.operation(state, -1) { runtime.operations.handedOut(view) }
    state.push(place)
    return 2
}

private func giveSettled(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    guard state.boolean(base) else {
        state.pushValue(base + 1)
        return LuaReply.raise
    }
    for place in stride(from: 1, through: state.rawLength(2), by: 1) {
        _ = state.rawGet(2, place)
        if let view = runtime.operations.operation(state, -1) { runtime.operations.handedOut(view) }
        state.pop()
    }
    state.pushValue(2)
    return 1
}
