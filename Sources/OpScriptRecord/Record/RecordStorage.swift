/// The memory of a record: rows in chunks, each name once.
final class RecordStorage: @unchecked Sendable {
    // @unchecked because only the recorder changes it, on one thread at a time (the script thread), and hands
    // it over when the run has ended. From then on it does not change.
    let rows = ChunkedList<OperationRow>()
    let dependencies = ChunkedList<DependencyRow>()
    let earlierAttempts = ChunkedList<AttemptRow>()
    /// The texts of the failures of earlier attempts, by their places.
    var attemptFailures: [Int: String] = [:]
    /// The time and the memory that the programs of operations took, by the numbers of the operations.
    var usages: [Int: RecordedUsage] = [:]
    /// When the last attempts of operations were submitted to a cluster, by the numbers of the operations.
    var submissionMoments: [Int: Int64] = [:]
    /// How operations would be submitted to a cluster, by their numbers; only in plans.
    var submissions: [Int: RecordedSubmission] = [:]
    var names: [String] = []
    var places: [String] = []
    var queues: [RecordedQueue] = []
    var failures: [RecordedFailure] = []

    /// The dependencies of an operation, in the order in which they were made.
    func dependencies(of number: Int) -> [RecordedDependency] {
        var result: [RecordedDependency] = []
        var place = rows.pointer(number).pointee.lastDependency
        while place != OperationRow.nothing {
            let row = dependencies[Int(place)]
            result.append(RecordedDependency(operation: Int(row.other), condition: row.condition))
            place = row.previous
        }
        result.reverse()
        return result
    }

    /// The present attempt of an operation was submitted to a cluster at the moment that its start had until now.
    ///
    /// - Returns: When it was submitted.
    @discardableResult
    func noteSubmission(_ row: UnsafeMutablePointer<OperationRow>, _ number: UInt32) -> Int64 {
        if let known = submissionMoments[Int(number)] { return known }
        submissionMoments[Int(number)] = row.pointee.started
        return row.pointee.started
    }

    /// The present attempt of an operation ends. If it is on no node of its cluster, it has only waited.
    @inline(__always)
    func noteWaitInVain(_ row: UnsafeMutablePointer<OperationRow>, _ number: UInt32, until ended: Int64) {
        guard row.pointee.runner == RecordedRunner.cluster.code else { return }
        noteSubmission(row, number)
        row.pointee.started = ended
    }

    func text(_ index: UInt32) -> String? {
        index == OperationRow.nothing ? nil : names[Int(index)]
    }

    /// The operation of a row, with moments counted from `begin`.
    func operation(_ number: Int, from begin: Int64) -> RecordedOperation {
        let row = rows[number]
        func moment(_ value: Int64) -> Int64? { value == OperationRow.never ? nil : value - begin }
        return RecordedOperation(
            number: number,
            identity: row.identity,
            name: text(row.name) ?? text(row.work) ?? "operation",
            work: text(row.work),
            place: row.place == OperationRow.nothing ? "" : places[Int(row.place)],
            queue: row.queue == OperationRow.nothing ? nil : Int(row.queue),
            isStep: row.isStep,
            dependencies: dependencies(of: number),
            attempts: Int(row.attempts),
            made: row.made - begin,
            added: moment(row.added),
            ready: moment(row.ready),
            submitted: submissionMoments[number].map { $0 - begin },
            started: moment(row.started),
            ended: moment(row.ended),
            delivered: moment(row.delivered),
            runner: RecordedRunner(code: row.runner),
            outcome: RecordedOutcome(rawValue: row.outcome),
            addition: release(row.addedCause, row.addedBy),
            readiness: release(row.readyCause, row.readyBy),
            start: release(row.startCause, row.startedBy)
        )
    }

    private func release(_ cause: ReleaseCause, _ by: UInt32) -> RecordedRelease {
        RecordedRelease(cause: cause, operation: by == OperationRow.nothing ? nil : Int(by))
    }
}
