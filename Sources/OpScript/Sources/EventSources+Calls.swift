internal import LuaVM
internal import Scheduling

extension EventSources {
    /// Adds an operation that makes a source's call to the source's queue.
    func submitCall(of source: EventSource) {
        let state = vm.main
        let base = state.top
        defer { state.setTop(base) }
        _ = state.ensureSpace(8)
        let view = operations.newOperation(state, .main, .operation)
        let made = state.top
        pushSource(source, state)
        let pushed = state.top
        state.pushValue(pushed)
        state.push(callHandlerInBody, upvalues: 1)
        state.setValue(.body, of: view, at: made)
        state.pushValue(pushed)
        state.push(handlerBodyEnded, upvalues: 1)
        state.setValue(.completionBlock, of: view, at: made)
        view.pointee.flags.insert(.hasCompletion)
        operations.set(name: source.description, of: view, at: made, state)
        do throws(LuaRaise) {
            try operations.submit(state, made, to: source.queue)
            source.callCount += 1
            operations.entry(view.pointee.id)?.pointee.isSourceCall = true
        } catch {
            // The queue takes no more operations: it belongs to a group that has finished.
            agenda.turns.append(.source(source))
        }
    }
}

/// The body of the operation that calls a handler; its upvalue is the source.
private func callHandlerInBody(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    state.setTop(0)
    guard let source = runtime.sources.source(state, LuaState.upvalue(1)),
        runtime.sources.pushHandler(of: source, state)
    else { return 0 }
    state.pushValue(LuaState.upvalue(1))
    state.insert(1)
    state.push(continuation: endHandlerInBody)
    return LuaReply.callThen(1)
}

private func endHandlerInBody(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    if let source = runtime.sources.source(state, 1) { runtime.sources.handlerEnded(source) }
    guard !state.boolean(base) else { return 0 }
    // An error of a handler counts as a callback's error, not as a failure of an operation that the script never saw.
    state.setTop(base + 1)
    let error =
        runtime.errorValue(forRaised: state, frames: runtime.vm.takeFrames())
        ?? ErrorValue(
            .failed,
            runtime.errorText(state, -1),
            underlyingValue: runtime.reference(to: -1, state)
        )
    runtime.loop.callbackFailed("source", error)
    return 0
}

/// Called if the operation has ended; if it was cancelled before its body ran, the source requests the call
/// again.
private func handlerBodyEnded(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    let view = runtime.operations.operation(state, 1)
    let hasRun = view.map { $0.pointee.outcome == .succeeded } ?? true
    guard let source = runtime.sources.source(state, LuaState.upvalue(1)) else { return 0 }
    source.callCount -= 1
    if !hasRun { runtime.sources.follow(source.machine.callWasLost(), source) }
    return 0
}
