/// `DispatchSource`: starts sources, takes in their events, and calls their handlers.
///
/// Owns the active sources. Called by the binding of `DispatchSource`, and through the link by the monitor that watches
/// for events.
final class EventSources: RuntimePart {
    let globals: ScriptGlobals
    let queues: Queues
    let operations: Operations
    let bodies: Bodies

    let table = SourceTable()

    init(
        _ foundation: RuntimeFoundation,
        globals: ScriptGlobals,
        queues: Queues,
        operations: Operations,
        bodies: Bodies
    ) {
        self.globals = globals
        self.queues = queues
        self.operations = operations
        self.bodies = bodies
        super.init(foundation)
    }
}
