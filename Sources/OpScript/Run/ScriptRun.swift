internal import LuaVM
internal import Scheduling

/// A run of a script, from the request to the report, and the requests of the host beside it.
///
/// Owns the requests, their outcomes, and the driver that runs the script instead. Called by the runner of the script
/// thread, and through the link by the host.
final class ScriptRun: RuntimePart {
    /// The purpose of the current session.
    var session = ScriptSession.none
    /// Requests of the host that have begun and have not been answered.
    var asks: [ObjectIdentifier: (Ask, ScriptTask)] = [:]
    /// Starts `async` closures as the caller of the run would.
    var taskSpawner: TaskSpawner?
    /// The driver that runs the script instead; nil for most runs.
    var driver: DriverSession?
    /// The function that serves the lines of a person; nil unless the run is one for them.
    var prompt: LuaReference?
    /// The moment of the scheduler's clock that scripts see as 0; a driver moves it.
    var clockOrigin: Int64 = 0
    var isClosing = false
}
