internal import Scheduling

/// A run of a script, from the request to the report, and the requests of the host beside it.
///
/// Owns what was asked for, what becomes of it, and who runs the script instead (the driver). Called by the runner of
/// the script thread, and through the link by the host.
final class ScriptRun: RuntimePart {
    /// What it is open for.
    var session = ScriptSession.none
    /// Requests of the host that have begun and are not answered.
    var asks: [ObjectIdentifier: (Ask, ScriptTask)] = [:]
    /// Starts `async` closures as the caller of the run would.
    var taskSpawner: TaskSpawner?
    /// What runs the script instead of this; nil for most.
    var driver: DriverSession?
    var isClosing = false
}
