internal import CLua

/// Interrupts a machine from other threads, by a signal (`SIGURG`) to the thread that runs it.
public final class LuaWatch: @unchecked Sendable {
    // @unchecked because the pointer never changes, lives as long as this object, and its memory is atomic; `enter`,
    // `leave`, `step` and `detach` are for the thread of the machine.
    private let watch: OpaquePointer

    /// Makes a watch over a machine; on its thread.
    public init(_ vm: LuaVM) {
        guard let watch = clua_watch_open(vm.context) else {
            preconditionFailure("no memory for the watch over a Lua state")
        }
        self.watch = watch
    }

    deinit { clua_watch_free(watch) }

    /// Detaches the watch before the machine is closed. On its thread.
    public func detach() { clua_watch_detach(watch) }

    /// Notes that this thread will run the machine, and unblocks the signal for good.
    public func enter() { clua_watch_enter(watch) }

    /// Notes that this thread no longer runs the machine.
    public func leave() { clua_watch_leave(watch) }

    /// Code that runs at a moment, in nanoseconds of the monotonic clock, is paused there or soon after, if it can
    /// yield. On the thread that has entered.
    public func pause(at moment: Int64) { clua_watch_pause_at(watch, moment) }

    /// No code is paused any more. On the thread that has entered.
    public func pauseNever() { clua_watch_pause_never(watch) }

    /// Notes that a slice begins or ends.
    public func step() { clua_watch_step(watch) }

    /// How often a slice has begun or ended: odd while one runs. From any thread.
    public var slice: UInt64 { clua_watch_slice(watch) }

    /// Interrupts a slice, if it still runs, with the limit of time. From any thread.
    public func expire(_ slice: UInt64) { clua_watch_expire(watch, slice) }

    /// Interrupts the running code and all later code. From any thread.
    public func stop() { clua_watch_stop(watch) }
}
