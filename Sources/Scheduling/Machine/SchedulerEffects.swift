/// The consequences of the machine's inputs that the shell has not taken yet.
///
/// The shell checks it at the end of each critical section, and acts on most of it after leaving the lock.
struct SchedulerEffects: ~Copyable {
    /// The events, for the reader.
    let events = PlainBuffer<SchedulerEvent>()
    /// The actions, for the shell.
    var actions: [SchedulerAction] = []
    /// Operations with a handle that have finished.
    let ended = PlainBuffer<OperationID>()
    /// One of them has a completion block.
    var callsHost = false
    /// Bit n: an operation of lane n became startable.
    var lanesToWake: UInt16 = 0
    /// A queue became empty.
    var emptiesQueue = false
    /// An operation became ready that goes before claimed operations of its queue, so those have to return to
    /// the ready list.
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
