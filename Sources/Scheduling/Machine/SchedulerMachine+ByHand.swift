extension SchedulerMachine {
    /// An operation outside any queue was started by hand.
    ///
    /// A cancelled operation finishes at once. One whose lane is the reader's executes from now on; the caller runs it.
    /// All others go to the hidden queue.
    mutating func startedByHand(_ id: OperationID) throws(SchedulingFailure) {
        guard let record = store.live(id) else { throw .unknownOperation }
        if record.pointee.flags.contains(.gate) { throw .isGate(id) }
        switch record.pointee.phase {
        case .created: break
        case .finished: throw .alreadyFinished(id)
        case .executing: throw .alreadyExecuting(id)
        case .waiting, .ready, .claimed, .offered, .ending, .free: throw .alreadyInQueue(id)
        }
        if record.pointee.flags.contains(.cancelled) {
            end(id.slot, .cancelled)
            drainEndings()
            return
        }
        guard record.pointee.unfinishedDependencies == 0 else { throw .notReady(id) }
        let (verdict, cause) = verdict(id.slot)
        if verdict != .run {
            end(id.slot, verdict == .skip ? .skipped : .skippedQuietly, cause: cause)
            drainEndings()
            return
        }
        record.pointee.flags.insert(.startedByHand)
        if record.pointee.lane == .reader {
            record.pointee.phase = .executing
            record.pointee.attempt &+= 1
            if record.pointee.extras != .max, extras[Int(record.pointee.extras)].timeout > 0 {
                let timeout = extras[Int(record.pointee.extras)].timeout
                effects.timersToArm.append(TimerToArm(payload: .timeout(id), delay: timeout))
            }
            report(.started, id.slot)
        } else {
            try operationAdded(AdditionSpec(id), to: Self.hiddenQueue)
        }
    }
}
