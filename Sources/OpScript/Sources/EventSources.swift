/// `DispatchSource`: starts sources, takes what happened to them, and calls their handlers.
///
/// Owns the sources that are active. Called by the binding of `DispatchSource`, and through the link by whatever
/// watches for events.
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
