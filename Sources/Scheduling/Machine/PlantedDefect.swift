/// A mistake that tests plant into the machine, to see that the conformance scenarios catch it.
///
/// Each is checked at one place of the machine, as `has(.name)`. In release builds, that call is the constant
/// `false`.
package enum PlantedDefect: String, Sendable, CaseIterable {
    /// Operations after a barrier do not wait for it.
    case barrierOvertaken
    /// A new priority of an operation that is ready already has no effect.
    case priorityChangeForgotten
    /// Among equal operations, the one that became ready first goes first, not the one that was added first.
    case orderOfReadiness
    /// A queue that is suspended while something executes in it starts one more.
    case startsWhileSuspended
    /// The dependents of a cancelled operation wait forever.
    case cancelledKeepsDependents
    /// A failed operation does not give its resources back.
    case resourceKeptOnFailure
    /// An attempt that failed keeps its slot while the next one takes another.
    case slotLostBetweenAttempts
    /// A freed slot wakes no worker as long as something else executes in the queue.
    case lostWakeUp
    /// An operation that is cancelled when its turn has come runs nevertheless.
    case cancelledStarts
    /// One more operation executes than the width allows.
    case widthOffByOne
    /// The next attempt starts without its delay.
    case delayForgotten
    /// An operation that waits for its turn below a target keeps its resources from later ones.
    case turnKeepsResource
    /// A group ends before the last operation inside.
    case groupEndsEarly

    // Lost wake-ups, which the checker of the protocol finds.

    /// A worker that takes something and leaves more behind does not wake the next one.
    case leftWorkWakesNobody
    /// Resuming a queue wakes only one of its lanes.
    case resumptionWakesOneLane
    /// A thread that begins does not clear the mark that a wake-up is in flight.
    case wakeInFlightKept
    /// The share of a body that was seen to block is not offered to other bodies.
    case blockedShareKept
    /// The slot of an operation that was cancelled while it executed wakes no worker.
    case cancelledSlotWakesNobody
    /// A worker whose search is over sleeps without a last check.
    case searchEndsUnseen
    /// When as many closures run as the limit allows, the end of one wakes no worker.
    case freedJobWakesNobody
    /// A worker exits although another thread is waking it.
    case calledWorkerLeaves
    /// A thread that the system refused is counted as on its way.
    case refusedThreadExpected

    /// The lost wake-ups. No scenario finds them, since a simulation has no workers.
    package static let ofWaking: [PlantedDefect] = [
        .leftWorkWakesNobody, .resumptionWakesOneLane,
        .wakeInFlightKept, .blockedShareKept, .cancelledSlotWakesNobody, .searchEndsUnseen,
        .freedJobWakesNobody, .calledWorkerLeaves, .refusedThreadExpected,
    ]

    /// Whether defects can be planted in this build.
    package static var isPossible: Bool {
        #if DEBUG
        true
        #else
        false
        #endif
    }
}

extension SchedulerMachine {
    /// Plants a defect, if this build allows it.
    mutating func plant(_ defect: PlantedDefect?) {
        #if DEBUG
        plantedDefect = defect
        #endif
    }

    /// Whether a defect was planted.
    @inline(__always)
    func has(_ defect: PlantedDefect) -> Bool {
        #if DEBUG
        plantedDefect == defect
        #else
        false
        #endif
    }
}
