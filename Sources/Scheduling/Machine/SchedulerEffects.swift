/// What inputs of the machine leave behind for the shell, since the shell last took it.
///
/// The shell looks at the end of each stay in the lock, and acts on most of it after leaving the lock.
struct SchedulerEffects: ~Copyable {
    /// What happened, for the reader.
    let events = PlainBuffer<SchedulerEvent>()
    /// What the shell has to do.
    var actions: [SchedulerAction] = []
    /// Bit n: something of lane n became startable.
    var lanesToWake: UInt16 = 0
    /// A queue became empty.
    var emptiesQueue = false
    /// An operation became ready that goes before claimed ones of its queue: these have to return to the ready list.
    var overtakesClaims = false
    /// Timers that have to be armed by somebody who knows what time it is.
    var timersToArm: [SchedulerMachine.TimerToArm] = []

    /// Whether there is nothing to do but to read the events.
    @inline(__always)
    var isSettled: Bool {
        lanesToWake == 0 && actions.isEmpty && timersToArm.isEmpty && !emptiesQueue && !overtakesClaims
    }
}
