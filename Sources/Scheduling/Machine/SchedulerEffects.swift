/// What the machine's inputs have left behind for the shell since the shell last took it.
///
/// The shell checks it at the end of each stay in the lock, and acts on most of it after leaving the lock.
struct SchedulerEffects: ~Copyable {
    /// What happened, for the reader.
    let events = PlainBuffer<SchedulerEvent>()
    /// What the shell has to do.
    var actions: [SchedulerAction] = []
    /// Operations with a handle that have finished.
    let ended = PlainBuffer<OperationID>()
    /// One of them has a completion block.
    var callsHost = false
    /// Bit n: something of lane n became startable.
    var lanesToWake: UInt16 = 0
    /// A queue became empty.
    var emptiesQueue = false
    /// An operation became ready that goes before claimed ones of its queue: those have to return to the ready list.
    var overtakesClaims = false
    /// Timers that have to be armed by a caller that knows the time.
    var timersToArm: [SchedulerMachine.TimerToArm] = []

    /// Whether nothing is left to do except reading the events.
    @inline(__always)
    var isSettled: Bool {
        lanesToWake == 0 && ended.isEmpty && actions.isEmpty && timersToArm.isEmpty && !emptiesQueue
            && !overtakesClaims
    }
}
