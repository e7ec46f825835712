/// Observing of properties, and `Progress`, whose observers are told soon, at a limited rate.
///
/// Owns the numbers of observations, and the progress with observers that are to be told. Called by every part that
/// changes something observable.
final class Observers: RuntimePart {
    let globals: ScriptGlobals
    let queues: Queues
    let operations: Operations

    /// The number of the last observation whose function is in the userdata of the observed object.
    var lastObservation = 0
    /// Progress whose observers are told after a pause.
    var pendingProgress: [ObjectIdentifier: ScriptProgress] = [:]

    init(_ foundation: RuntimeFoundation, globals: ScriptGlobals, queues: Queues, operations: Operations) {
        self.globals = globals
        self.queues = queues
        self.operations = operations
        super.init(foundation)
    }

    /// Forgets the progress whose observers are still to be told, and returns it.
    func takePendingProgress() -> [ScriptProgress] {
        defer { pendingProgress = [:] }
        return Array(pendingProgress.values)
    }
}
