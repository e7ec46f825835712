public import CLua

/// A coroutine of the host, in which bodies run that may wait.
///
/// A body runs under a base call that catches errors: close variables may wait while an error unwinds, frames
/// are recorded where it was raised, and the root can be reused at once, even after a failure. Its creator
/// keeps it anchored.
@frozen
public struct LuaRoot {
    /// The stack of the root: results, the error, or the values to deliver.
    public let state: LuaState

    /// Wraps the stack of a root.
    @inlinable
    public init(state: LuaState) { self.state = state }

    /// The outcome of a run of a root.
    @frozen
    public enum Outcome: Equatable, Sendable {
        /// The body has finished; all values on the root's stack are results.
        case finished(Int)
        /// The body waits for `deliver`.
        case waiting
        /// The body was stopped in the middle of its code, because of ``LuaWatch/pause(at:)``; `resume` continues it.
        case paused
        /// The error is the only value on its stack; `LuaVM.takeFrames()` returns the place where it was
        /// raised.
        case failed
    }

    /// Pushes a new root; it lives as long as the value is anchored. [-0, +1, m]
    public static func push(_ state: LuaState) -> LuaRoot {
        LuaRoot(state: LuaState(clua_push_root(state.raw)))
    }

    /// Makes a new root, which lives as long as it stays where it is put in a table. [-0, +0, m]
    public static func make(_ state: LuaState, in table: LuaReference, at place: Int) -> LuaRoot {
        LuaRoot(state: LuaState(clua_keep_root(state.raw, table.slot, lua_Integer(place))))
    }

    /// Releases the root at a place in a table. [-0, +0, -]
    public static func drop(_ state: LuaState, in table: LuaReference, at place: Int) {
        clua_drop_root(state.raw, table.slot, lua_Integer(place))
    }

    /// Runs the function that is a user value of a userdata, with the userdata as its argument, on an idle root with
    /// nothing on its stack.
    ///
    /// The userdata is at a place in a table. If it has no such user value, the call fails as a call of nil does.
    public func startBody(_ userValue: Int32, in table: LuaReference, at place: Int) -> Outcome {
        outcome(clua_root_start_body(state.raw, table.slot, lua_Integer(place), userValue))
    }

    /// Runs the function at index 1 of an idle root, with the values above it as arguments.
    ///
    /// The root's stack must hold only these: remove the results before it is used again (`clear()`).
    ///
    /// - Parameter mayWait: Whether a wait in it is possible; otherwise it raises an error.
    @inlinable
    public func start(mayWait: Bool = true) -> Outcome {
        outcome(clua_root_start(state.raw, mayWait ? 1 : 0))
    }

    /// Continues a paused body.
    public func resume() -> Outcome { outcome(clua_root_deliver(state.raw, 0)) }

    /// Runs the function at index 1 and, when that has returned without a wait, the functions that `next` pushes: at
    /// each call a function with its arguments. `next` returns the number of values it pushed; 0 ends the series.
    ///
    /// `next` is no longer called once limits have to be checked or a script holds the root as a value. Results are
    /// dropped.
    ///
    /// - Parameter table: Available to `next` while the series lasts.
    public func start(over table: LuaReference, then next: LuaFunction) -> Outcome {
        outcome(clua_root_start_series(state.raw, table.slot, next))
    }

    /// Ends the wait: the boolean and the values above it, `count` in all, are on top of the root's stack.
    ///
    /// `true, values…` become the results of the function that waited; `false, error` is raised there.
    @inlinable
    public func deliver(_ count: Int32) -> Outcome { outcome(clua_root_deliver(state.raw, count)) }

    /// Ends the wait with the error that a closure pushes.
    public func fail(_ pushError: (LuaState) -> Void) -> Outcome {
        _ = state.ensureSpace(8)
        state.push(false)
        pushError(state)
        return deliver(2)
    }

    /// Removes everything from the stack of an idle root.
    @inlinable
    public func clear() { lua_settop(state.raw, 0) }

    /// Whether it waits.
    @inlinable
    public var isWaiting: Bool { clua_root_is_waiting(state.raw) != 0 }

    /// Whether a script holds it as a value (`coroutine.running()`): then it must not run another body.
    @inlinable
    public var isExposed: Bool { clua_root_is_exposed(state.raw) != 0 }

    @inlinable
    func outcome(_ code: Int32) -> Outcome {
        switch code {
        case 0: .finished(Int(lua_gettop(state.raw)))
        case 1: .waiting
        case 3: .paused
        default: .failed
        }
    }
}
