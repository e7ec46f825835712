/// A mistake that tests plant into the machine, to see that the conformance scenarios catch it.
///
/// Each stands at one place of the machine, as `has(.name)`. There are none in release builds: there it is the constant
/// `false`.
package enum PlantedDefect: String, Sendable, CaseIterable {
    /// What comes after a barrier does not wait for it.
    case barrierOvertaken
    /// A new priority of what is ready already counts for nothing.
    case priorityChangeForgotten
    /// Of equal ones the one goes first that became ready first, and not the one that was added first.
    case orderOfReadiness
    /// A queue that is suspended while something executes in it starts one more.
    case startsWhileSuspended
    /// What depends on a cancelled one waits for ever.
    case cancelledKeepsDependents
    /// A resource is not given back by a failure.
    case resourceKeptOnFailure
    /// An attempt that failed keeps its slot while the next one takes another.
    case slotLostBetweenAttempts
    /// A slot that comes free wakes nobody as long as something else executes in the queue.
    case lostWakeUp
    /// One that is cancelled when its turn has come runs nevertheless.
    case cancelledStarts
    /// One more executes than the width says.
    case widthOffByOne
    /// The next attempt comes without its delay.
    case delayForgotten
    /// A group ends before the last one inside.
    case groupEndsEarly

    // Lost wake-ups, which the checker of the protocol finds.

    /// A lane that has the next share of threads and nothing to start with it keeps it.
    case unusedTurnKept
    /// A share of threads that comes free, or is left when one starts, wakes nobody.
    case freedShareWakesNobody
    /// A worker that takes something and leaves more behind does not wake the next one.
    case leftWorkWakesNobody
    /// The resumption of a queue wakes one of its lanes only.
    case resumptionWakesOneLane
    /// A thread that begins leaves the mark that a wake is in flight.
    case wakeInFlightKept
    /// The share of a body that was seen to block is offered to nobody.
    case blockedShareKept
    /// The slot of an operation that was cancelled while it executed wakes nobody.
    case cancelledSlotWakesNobody
    /// A worker whose search is over sleeps without a last look.
    case searchEndsUnseen
    /// Where so many closures run as may, the end of one wakes nobody.
    case freedJobWakesNobody
    /// A worker that leaves does so although somebody is waking it.
    case calledWorkerLeaves
    /// A thread that the system refused counts as on its way.
    case refusedThreadExpected

    /// A lane that gets no thread keeps the next share of threads from the others.
    case turnLeftWithoutThread

    /// The lost wake-ups. No scenario finds them, since a simulation has no workers.
    package static let ofWaking: [PlantedDefect] = [
        .unusedTurnKept, .freedShareWakesNobody, .leftWorkWakesNobody, .resumptionWakesOneLane,
        .wakeInFlightKept, .blockedShareKept, .cancelledSlotWakesNobody, .searchEndsUnseen,
        .freedJobWakesNobody, .calledWorkerLeaves, .refusedThreadExpected,
        .turnLeftWithoutThread,
    ]

    /// Whether this build has places for them.
    package static var isPossible: Bool {
        #if DEBUG
        true
        #else
        false
        #endif
    }
}

extension SchedulerMachine {
    /// Plants a defect, where the build has places for one.
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
