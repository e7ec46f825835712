/// Attempts that have failed, and of which the reader decides whether another one follows.
///
/// Until then the operation executes: it holds its slot and its resources, but no thread.
extension SchedulerMachine {
    /// Whether the reader decides about the attempt of an operation, which has failed.
    func isJudged(_ record: UnsafeMutablePointer<OperationRecord>) -> Bool {
        record.pointee.flags.contains(.reports) && hasAttemptsLeft(record)
            && extras(of: record)?.retry?.isJudged ?? false
    }

    /// The body of the operation has ended; the reader is asked.
    mutating func awaitJudgement(_ record: UnsafeMutablePointer<OperationRecord>, _ slot: UInt32) {
        cancelTimers(record)
        dischargeThread(record)
        record.pointee.flags.insert(.judged)
        report(.attemptFailed, slot)
    }

    /// The reader has decided whether another attempt follows.
    ///
    /// - Parameter hasOtherError: Whether another error counts in place of the time limit, if that was exceeded.
    mutating func attemptJudged(_ id: OperationID, again: Bool, hasOtherError: Bool) {
        guard let record = store.live(id), record.pointee.phase == .executing,
            record.pointee.flags.contains(.judged)
        else { return }
        record.pointee.flags.remove(.judged)
        if record.pointee.flags.contains(.cancelled) {
            carryOutAlone(record, id.slot, .cancelled)
        } else if again, retry(id.slot) {
            drainEndings()
        } else {
            if hasOtherError { record.pointee.flags.remove(.timedOut) }
            carryOutAlone(record, id.slot, .failed)
        }
    }

    /// The number of the attempt that has just failed, if another one follows and events report it.
    func failedAttempt(of id: OperationID) -> UInt32? {
        guard let record = store.live(id), record.pointee.flags.isSuperset(of: [.retrying, .reports]) else {
            return nil
        }
        return record.pointee.attempt
    }
}
