internal import LuaVM
internal import Scheduling

/// The objects that every part of a runtime uses.
final class RuntimeFoundation {
    let configuration: ScriptEngine.Configuration
    let hasJournal: Bool
    let showsPrograms: Bool
    let scheduler: Scheduler
    let vm: LuaVM
    let metatables: Metatables
    let link: ScriptLink
    let agenda = Agenda()
    let runState = RunState()

    init(_ configuration: ScriptEngine.Configuration, _ scheduler: Scheduler, _ vm: LuaVM, _ link: ScriptLink)
    {
        self.configuration = configuration
        hasJournal = configuration.journal != nil
        showsPrograms = configuration.programDisplay != nil
        self.scheduler = scheduler
        self.vm = vm
        self.link = link
        metatables = Metatables(vm)
    }
}

/// A part of a script's runtime: it owns the state of one concern, and is confined to the script thread.
///
/// Other parts change its state by its functions only. It holds the parts below it that it calls, as constants;
/// ``ScriptRuntime`` has the order. The few calls to parts above it go through `runtime`.
class RuntimePart {
    private final let foundation: RuntimeFoundation
    final let scheduler: Scheduler
    final let vm: LuaVM
    final let metatables: Metatables
    final let link: ScriptLink
    final let agenda: Agenda
    final let runState: RunState
    // unowned(unsafe) because the runtime owns its parts, and parts run only in `ScriptRuntime.init`, `pump` and
    // `close`, whose caller keeps the runtime. Set once, when the runtime is made.
    private final unowned(unsafe) var joined: ScriptRuntime?

    /// Kept once for all parts: it is large. `_read` because a getter would copy all of it for one setting.
    final var configuration: ScriptEngine.Configuration {
        @inline(__always) _read { yield foundation.configuration }
    }

    // Two settings that each operation asks for: to compare the settings themselves would copy objects of the host, or
    // the whole configuration.

    /// Whether the run has a journal.
    final var hasJournal: Bool { foundation.hasJournal }

    /// Whether the output of programs is shown by the host.
    final var showsPrograms: Bool { foundation.showsPrograms }

    /// The runtime, for a call of a part above this one. Each use counts references, so the hot path avoids it.
    final var runtime: ScriptRuntime {
        guard let joined else { preconditionFailure("a part was called before its runtime had all parts") }
        return joined
    }

    init(_ foundation: RuntimeFoundation) {
        self.foundation = foundation
        scheduler = foundation.scheduler
        vm = foundation.vm
        metatables = foundation.metatables
        link = foundation.link
        agenda = foundation.agenda
        runState = foundation.runState
    }

    /// Called when the runtime has all its parts.
    final func join(_ runtime: ScriptRuntime) { joined = runtime }
}
