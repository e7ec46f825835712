internal import LuaVM
internal import Scheduling
internal import Synchronization

extension ScriptOperation {
    /// Calls `body` once, on any thread, when the operation has finished and its callbacks have been called.
    ///
    /// Passes nil if the engine ends before that. An operation that is in no queue is not added to one.
    package func whenFinished(_ body: @escaping @Sendable (Outcome?) -> Void) {
        let notice = EndNotice(body)
        // If the engine is gone, the notice is released with the closure that was not posted.
        link.post { [reference] runtime in runtime.hostObjects.tellHost(of: reference, notice) }
    }
}

/// Reports an end once: when it happens, or when nothing is left that could report it.
private final class EndNotice: Sendable {
    private let body: Mutex<(@Sendable (ScriptOperation.Outcome?) -> Void)?>

    init(_ body: @escaping @Sendable (ScriptOperation.Outcome?) -> Void) { self.body = Mutex(body) }

    deinit { tell(nil) }

    func tell(_ outcome: ScriptOperation.Outcome?) { body.withLock { $0.take() }?(outcome) }
}

extension HostObjects {
    fileprivate func tellHost(of reference: LuaReference, _ notice: EndNotice) {
        let state = vm.main
        reference.push(state)
        defer { state.pop() }
        guard let view = runtime.operations.operation(state, -1) else { return }
        if view.pointee.isFinished, view.pointee.flags.contains(.isSettled) {
            notice.tell(outcome(of: view))
        } else {
            // The view lives until its operation has been served.
            runtime.operations.attachment(view.pointee.id).afterEnd.append(
                .tell { [unowned self] in notice.tell(outcome(of: view)) }
            )
        }
    }

    private func outcome(of view: OperationPointer) -> ScriptOperation.Outcome? {
        ScriptOperation.Outcome(rawValue: outcomeName(view.pointee.outcome))
    }
}
