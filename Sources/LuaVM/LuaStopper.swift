internal import Synchronization

/// Stops the running code of a universe, from any thread.
///
/// A signal to the thread that runs it arms a hook there, so that it costs nothing until something stops the run.
public final class LuaStopper: Sendable {
    private let watch: LuaWatch
    private let state = Mutex(State.waiting)

    private enum State {
        case waiting
        case entered
        case stopped
        case left
    }

    /// Makes a stopper for one run of a machine; on its thread.
    public init(_ vm: LuaVM) { watch = LuaWatch(vm) }

    /// Enters the machine on the calling thread; false if it has already been stopped.
    public func enter() -> Bool {
        state.withLock { state in
            guard case .waiting = state else { return false }
            state = .entered
            watch.enter()
            return true
        }
    }

    /// Notes that the calling thread, which has entered, is done. From now on, a stop has no effect.
    public func leave() {
        state.withLock { state in
            watch.leave()
            watch.detach()
            if case .entered = state { state = .left }
        }
    }

    /// Whether the run was stopped before it was done.
    public var isStopped: Bool {
        state.withLock { state in
            if case .stopped = state { true } else { false }
        }
    }

    /// Stops the running code with an error that scripts cannot catch; a run that has not begun never begins.
    /// From any thread.
    public func stop() {
        state.withLock { state in
            switch state {
            case .waiting: state = .stopped
            case .entered:
                state = .stopped
                watch.stop()
            case .stopped, .left: break
            }
        }
    }
}
