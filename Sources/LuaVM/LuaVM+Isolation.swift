internal import CLua
internal import Synchronization

/// A universe that runs one function after the other, none of which sees what another left behind.
extension LuaVM {
    /// Seals the libraries, once: from then on each `beginIsolation` starts from them as they are now.
    ///
    /// - Parameter refusing: Names of globals that raise an error which says why they are not there.
    public func seal(refusing names: [String]) {
        let state = main
        state.withBalancedStack {
            state.newTable(fields: names.count)
            for name in names {
                state.push(true)
                state.rawSet(-2, name)
            }
            if clua_seal(state.raw, -1) != LUA_OK {
                preconditionFailure("Lua's libraries cannot be sealed: \(state.string(-1) ?? "?")")
            }
            state.pop()
        }
    }

    /// Makes new globals over the sealed libraries, for all that is loaded from now on, and pushes them. [-0, +1, m]
    public func pushFreshGlobals() {
        warningsEnabled = false
        clua_push_fresh_globals(main.raw)
    }

    /// Pushes a library, or a function of it, by name: `string`, `table.insert`; nil where there is none. [-0, +1, m]
    public func pushLibraryValue(_ name: String) { clua_push_library_value(main.raw, name) }

    /// Whether something was done that the next function would see: it must not be used again.
    public var isTainted: Bool {
        get { context.pointee.is_tainted != 0 }
        set { context.pointee.is_tainted = newValue ? 1 : 0 }
    }
}

/// Stops what a universe runs, from any thread.
///
/// A signal to the thread that runs it arms a hook there, so that nothing is paid as long as nobody stops it.
public final class LuaStopper: @unchecked Sendable {
    // @unchecked because the machine in `state` is used only by the thread between `enter` and `leave`, and for
    // `clua_stop`, which is made for other threads and called only while a thread is there, under the lock.
    private let state: Mutex<State>

    private struct State: @unchecked Sendable {
        /// Let go of at the end, since others may keep the stopper.
        var vm: LuaVM?
        var isEntered = false
        var isStopped = false
    }

    /// Makes a stopper for one run of a machine.
    public init(_ vm: LuaVM) { state = Mutex(State(vm: vm)) }

    /// The calling thread begins to run the machine; false when it was to be stopped before.
    public func enter() -> Bool {
        state.withLock { state in
            guard !state.isStopped, let vm = state.vm, clua_enter_thread(vm.context) != 0 else {
                return false
            }
            state.isEntered = true
            return true
        }
    }

    /// The calling thread is done. From here on a stop does nothing.
    public func leave() {
        state.withLock { state in
            if state.isEntered, let vm = state.vm { clua_leave_thread(vm.context) }
            state.isEntered = false
            state.vm = nil
        }
    }

    /// Whether somebody wanted it stopped.
    public var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Stops what runs with an error that scripts cannot catch; what has not begun does not begin. From any thread.
    public func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            if state.isEntered, let vm = state.vm { clua_stop(vm.context, LuaLimit.time.rawValue) }
        }
    }
}
