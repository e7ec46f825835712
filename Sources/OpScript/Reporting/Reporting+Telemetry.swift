internal import LuaVM
internal import Scheduling

// Reports the life of operations to the host's backends. Called only if there are any.

extension Reporting {
    /// The audience for the operations of a request; nil if it has no backends.
    func audience(of backends: TelemetryBackends?) -> TelemetryAudience? {
        guard let backends else { return nil }
        if let telemetry { return telemetry.audience(of: backends) }
        let telemetry = Telemetry(meters, engineNumber: link.number)
        self.telemetry = telemetry
        return telemetry.audience(of: backends)
    }

    /// Ends the telemetry: no submitted operation reports again.
    func closeTelemetry() {
        audience = nil
        guard let telemetry else { return }
        telemetry.close()
        meters = telemetry.meters
        self.telemetry = nil
    }

    /// The operation at an index is about to be added to a queue, or started by hand.
    @inline(never)
    func tellSubmission(
        _ telemetry: Telemetry,
        _ view: OperationPointer,
        _ queue: String,
        _ index: Int32,
        _ state: LuaState
    ) {
        let id = view.pointee.id
        let origin = telemetry.submitted(
            id,
            name: runtime.operations.name(state, index, view),
            queue: link.secrets.hidden(in: queue),
            createdAt: runtime.operations.createdAt(view),
            parent: runtime.bodies.current?.operation,
            audience: runtime.bodies.current?.request?.audience ?? audience,
            now: scheduler.clock.now
        )
        guard let entry = runtime.operations.entry(id) else { return }
        // The body was made before the submission, when there was no origin yet.
        entry.pointee.body?.origin = origin
    }

    /// The same for several.
    func tellSubmission(
        _ telemetry: Telemetry,
        of indices: ClosedRange<Int32>,
        _ queue: String,
        _ state: LuaState
    ) {
        for index in indices {
            guard let view = runtime.operations.operation(state, index) else { continue }
            tellSubmission(telemetry, view, queue, index, state)
        }
    }

    /// An operation has an outcome.
    @inline(never)
    func tellEnd(_ telemetry: Telemetry, _ view: OperationPointer) {
        let state = vm.main
        defer { state.pop() }
        guard runtime.operations.pushOperation(view.pointee.id, state) else { return }
        var problem: ScriptError?
        if view.pointee.flags.contains(.hasError) {
            problem = runtime.operations.error(of: view, at: -1, state)?.scriptError(hiding: link.secrets)
            if problem == nil {
                state.getValue(.outcome, of: view, at: -1)
                problem = ScriptError(.failed, runtime.errorText(state, -1))
                state.pop()
            }
        }
        telemetry.finished(
            view.pointee.id,
            view.pointee.outcome,
            error: problem,
            now: scheduler.clock.now
        )
    }
}
