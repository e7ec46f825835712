/// An operation that could start although nothing is on its way to start it.
package struct LeftBehind: Equatable {
    package var operation: OperationID
    package var queue: QueueID
    package var lane: ExecutionLane
}

/// The rule that all wake-ups of workers together maintain: nothing that could start is left behind while all workers
/// that could start it sleep.
///
/// The rule examines each queue, not the round robin, since a queue that is missing there is a way to break the rule.
/// Only checks use it; the scheduler itself does not.
extension SchedulerCore {
    /// The lanes that have a worker about to look for work, as noted by the shell: a worker searches or was
    /// woken, a thread was requested, or another thread is about to act on a wake-up.
    var notedLanesAwake: UInt16 {
        var awake = effects.lanesToWake
        for lane in shell.lanes.indices
        where shell.lanes[lane].isSearching || shell.lanes[lane].isWakeInFlight {
            awake |= 1 << UInt16(lane)
        }
        return awake
    }

    /// An operation that could start now and for which no worker is on its way; nil if the rule holds.
    ///
    /// A worker that runs a body is not awake: the body may run forever. An exception applies to queues with a width
    /// while the service thread watches: workers with short bodies count as awake (`isServedSoon`).
    ///
    /// A lane to which the system refused a thread asks again every few milliseconds.
    ///
    /// - Parameter awake: Bit n: a worker of lane n is awake or about to be.
    /// - Complexity: O(queues).
    func leftBehind(awake: UInt16) -> LeftBehind? {
        inspect { machine in
            guard machine.closureExecutingCount < machine.jobLimit else { return nil }
            for queue in 0..<machine.queues.count where machine.queues[queue].count > 0 {
                let isShared = machine.queues[queue].width < 0
                for lane in ExecutionLane.allCases where lane != .reader {
                    let isMissed =
                        !lane.isWorker
                        || awake & lane.bit == 0 && mayWake(lane)
                            && (isShared ? machine.hasShare(lane) : !isServedSoon(lane))
                    guard isMissed, let operation = machine.startable(queue, lane) else { continue }
                    return LeftBehind(
                        operation: operation,
                        queue: QueueID(index: UInt32(queue)),
                        lane: lane
                    )
                }
            }
            return nil
        }
    }

    /// Whether a worker can be woken, or a thread requested.
    private func mayWake(_ lane: ExecutionLane) -> Bool {
        let threads = shell.lanes[Int(lane.rawValue)]
        return shell.lanesWithoutThread & lane.bit == 0
            && (threads.threadCount < threadsPerLane || !threads.idle.isEmpty)
    }
}
