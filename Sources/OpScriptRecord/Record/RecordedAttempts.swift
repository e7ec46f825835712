/// The attempts of the operations of a record, by index.
///
/// The first indices are the numbers of the operations, and stand for their last attempts, which most operations have
/// alone. After these come the attempts that another one followed.
struct RecordedAttempts {
    private let storage: RecordStorage
    private let endOfRun: Int64
    /// For each operation: the indices of its earlier attempts, the first one first.
    private var earlier: [Int: [Int]] = [:]

    init(_ record: RunRecord) {
        storage = record.storage
        endOfRun = record.begin + record.duration
        for place in 0..<storage.earlierAttempts.count {
            let operation = Int(storage.earlierAttempts[place].operation)
            earlier[operation, default: []].append(storage.rows.count + place)
        }
    }

    /// How many indices there are.
    var count: Int { storage.rows.count + storage.earlierAttempts.count }

    /// An attempt; nil if an operation has not begun, or none of its attempts has begun after the earlier ones.
    subscript(index: Int) -> AttemptRow? {
        guard index < storage.rows.count else { return storage.earlierAttempts[index - storage.rows.count] }
        let row = storage.rows.pointer(index).pointee
        guard row.started != OperationRow.never else { return nil }
        if !earlier.isEmpty, earlier[index]?.count == Int(row.attempts) { return nil }
        return AttemptRow(
            of: UInt32(index),
            row,
            submitted: storage.submissionMoments[index],
            ended: row.ended
        )
    }

    /// The text of the failure of an attempt that another one followed, if it is known.
    func failure(_ index: Int) -> String? {
        index < storage.rows.count ? nil : storage.attemptFailures[index - storage.rows.count]
    }

    /// The number of the operation of an attempt.
    func operation(_ index: Int) -> Int {
        index < storage.rows.count
            ? index : Int(storage.earlierAttempts[index - storage.rows.count].operation)
    }

    /// The indices of all attempts of an operation, the first one first.
    func indices(of number: Int) -> [Int] {
        (earlier[number] ?? []) + (self[number] == nil ? [] : [number])
    }

    /// The attempts of an operation, the first one first.
    func attempts(of number: Int) -> [AttemptRow] {
        if earlier.isEmpty { return self[number].map { [$0] } ?? [] }
        return indices(of: number).compactMap { self[$0] }
    }

    /// The end of an attempt; one that has not ended lasts until the end of the run.
    func end(of attempt: AttemptRow) -> Int64 {
        attempt.ended == OperationRow.never ? max(endOfRun, attempt.started) : attempt.ended
    }

    /// The waits of an operation, by cause, with nanoseconds above 0.
    func waits(of number: Int) -> [(ReleaseCause, Int64)] {
        let row = storage.rows.pointer(number).pointee
        guard row.added != OperationRow.never else { return [] }
        var result: [(ReleaseCause, Int64)] = []
        var reached = row.added
        func wait(_ cause: ReleaseCause, until moment: Int64) {
            guard moment != OperationRow.never, moment > reached else { return }
            result.append((cause, moment - reached))
            reached = moment
        }
        for attempt in attempts(of: number) {
            wait(attempt.readyCause == .addition ? .script : attempt.readyCause, until: attempt.ready)
            if attempt.startCause == .script, attempt.startedBy != OperationRow.nothing {
                // Until that operation ended, its slot was missing; then the queue was suspended.
                wait(.slot, until: storage.rows.pointer(Int(attempt.startedBy)).pointee.ended)
            }
            wait(attempt.startWait, until: attempt.handedOver)
            wait(.node, until: attempt.started)
            reached = max(reached, end(of: attempt))
        }
        if row.attempts > 0, self[number] == nil {
            wait(.delay, until: row.ended)
        } else if row.attempts == 0 {
            let released = row.ready == OperationRow.never ? row.ended : row.ready
            wait(row.readyCause == .addition ? .script : row.readyCause, until: released)
        }
        return result
    }
}
