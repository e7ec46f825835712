internal import LuaVM
internal import Synchronization

/// The states in which isolates run: made when needed, and reused. Callable from any thread.
final class IsolatePool: Sendable {
    private let configuration: ScriptEngine.Configuration
    private let meter: LimitMeter
    private let secrets: Secrets
    private let refusedNames: [String]
    private let idle = Mutex(Idle())

    /// Guarded by `idle`.
    // @unchecked because a machine is handed over under the lock, and used by one thread at a time.
    private struct Idle: @unchecked Sendable {
        var machines: [IsolateMachine] = []
    }

    /// If this many states are idle, others are closed after their call.
    private static let limit = 16

    init(
        _ configuration: ScriptEngine.Configuration,
        _ meter: LimitMeter,
        _ secrets: Secrets,
        refusedNames: [String]
    ) {
        self.configuration = configuration
        self.meter = meter
        self.secrets = secrets
        self.refusedNames = refusedNames
    }

    /// Calls a copy of a function in a state of its own, on the calling thread.
    ///
    /// - Parameter onStopper: Gets, before the call begins, the object that stops it.
    func call(
        _ capture: LuaCapture,
        _ arguments: [ScriptValue],
        _ thread: ThreadIdentity?,
        _ onStopper: (LuaStopper) -> Void
    ) throws -> [ScriptValue] {
        try meter.isolates.begin()
        defer { meter.isolates.end() }
        let taken = idle.withLock { idle in Handover(machine: idle.machines.popLast()) }
        let machine =
            try taken.machine ?? IsolateMachine(configuration, meter, secrets, refusedNames: refusedNames)
        let stopper = LuaStopper(machine.vm)
        onStopper(stopper)
        defer { giveBack(machine) }
        return try machine.call(capture, arguments, thread, stopper)
    }

    // @unchecked to take a machine out of the lock: no other thread has it.
    private struct Handover: @unchecked Sendable {
        let machine: IsolateMachine?
    }

    private func giveBack(_ machine: IsolateMachine) {
        guard machine.isReusable else { return }
        let given = Handover(machine: machine)
        idle.withLock { idle in
            if idle.machines.count < Self.limit, let machine = given.machine { idle.machines.append(machine) }
        }
    }
}
