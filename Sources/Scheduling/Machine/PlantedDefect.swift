/// A mistake that tests plant into the machine, to see that the conformance scenarios catch it.
///
/// Each stands at one place of the machine, as `has(.name)`. There are none in release builds: there it is the constant `false`.
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
