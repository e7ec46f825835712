internal import LuaVM

/// `Thread` and `isolate`: Lua that runs on other threads.
///
/// Owns the threads that execute, and the Lua states of isolates. Called by their bindings.
final class Threads: RuntimePart {
    let works: Works
    let globals: ScriptGlobals
    let operations: Operations
    let waits: Waits

    /// The states in which isolates run.
    private(set) lazy var isolates = IsolatePool(
        configuration,
        link.meter,
        link.secrets,
        refusedNames: globals.typeNames
    )
    /// Threads that execute, by number.
    var executing: [Int: ScriptedThread] = [:]
    /// The script thread has number 1.
    var lastThreadNumber = 1
    let mainThread = ScriptedThread(nil, ThreadIdentity(name: "main", number: 1), place: .unknown)

    init(
        _ foundation: RuntimeFoundation,
        works: Works,
        globals: ScriptGlobals,
        operations: Operations,
        waits: Waits
    ) {
        self.works = works
        self.globals = globals
        self.operations = operations
        self.waits = waits
        super.init(foundation)
    }
}
