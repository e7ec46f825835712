/// Observing of properties, and `Progress`, whose observers are notified soon, at a limited rate.
///
/// Owns the numbers of observations, and each progress whose observers have to be notified. Called by every
/// part that changes something observable.
final class Observers: RuntimePart {
    let globals: ScriptGlobals
    let queues: Queues
    let operations: Operations

    /// The number of the last observation whose function is in the userdata of the observed object.
    var lastObservation = 0
    /// Progress whose observers will be notified after a pause.
    var pendingProgress: [ObjectIdentifier: ScriptProgress] = [:]

    init(_ foundation: RuntimeFoundation, globals: ScriptGlobals, queues: Queues, operations: Operations) {
        self.globals = globals
        self.queues = queues
        self.operations = operations
        super.init(foundation)
    }

    /// Forgets each progress whose observers still have to be notified, and returns all of them.
    func takePendingProgress() -> [ScriptProgress] {
        defer { pendingProgress = [:] }
        return Array(pendingProgress.values)
    }
}
