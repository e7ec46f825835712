/// Observing of properties, and `Progress`, which tells its observers soon and not at once.
///
/// Owns the numbers of observations, and the progress whose observers are told soon. Called by every part that changes
/// something observable.
final class Observers: RuntimePart {
    let globals: ScriptGlobals
    let queues: Queues
    let operations: Operations

    /// The number of the observation that was made last of those whose functions lie with what they observe.
    var lastObservation = 0
    /// Progress whose observers are told soon.
    var pendingProgress: [ObjectIdentifier: ScriptProgress] = [:]

    init(_ foundation: RuntimeFoundation, globals: ScriptGlobals, queues: Queues, operations: Operations) {
        self.globals = globals
        self.queues = queues
        self.operations = operations
        super.init(foundation)
    }
}
