/// The reasons for the length of a run: a chain of pieces without a gap, from its beginning to its end.
///
/// It is followed backwards from the end, through the cause of each operation's start. The lengths of the
/// pieces add up to the length of the run.
public struct CriticalPath: Sendable, Hashable {
    /// A piece of the path.
    public struct Piece: Sendable, Hashable {
        /// The kind of a piece.
        public enum Kind: Sendable, Hashable {
            /// An operation ran.
            case running
            /// An operation waited.
            case waiting(ReleaseCause)
        }

        /// The kind of the piece.
        public let kind: Kind
        /// The operation that ran or waited, by its number; nil if the script thread determined the time.
        public let operation: Int?
        /// When it began, in nanoseconds since the beginning of the run.
        public let from: Int64
        /// When it ended.
        public let to: Int64

        /// Nanoseconds that it took.
        public var duration: Int64 { to - from }
    }

    /// The pieces, the first one first.
    public let pieces: [Piece]

    /// Nanoseconds in which operations ran.
    public var running: Int64 {
        pieces.reduce(0) { $1.kind == .running ? $0 + $1.duration : $0 }
    }

    /// Nanoseconds in all.
    public var total: Int64 { pieces.reduce(0) { $0 + $1.duration } }

    /// Nanoseconds of waiting, by cause.
    public var waiting: [ReleaseCause: Int64] {
        var result: [ReleaseCause: Int64] = [:]
        for piece in pieces {
            if case .waiting(let cause) = piece.kind { result[cause, default: 0] += piece.duration }
        }
        return result
    }

    /// The operations on it, in the order of time.
    public var operations: [Int] {
        var result: [Int] = []
        for piece in pieces where piece.kind == .running {
            if let operation = piece.operation, result.last != operation { result.append(operation) }
        }
        return result
    }
}

extension RunRecord {
    /// The chain of events that determined when the run ended.
    ///
    /// - Complexity: O(number of operations).
    public func criticalPath() -> CriticalPath {
        var walk = PathWalk(self)
        return walk.path()
    }
}

/// Goes backwards through a record.
private struct PathWalk {
    private let record: RunRecord
    private let begin: Int64
    private let attempts: RecordedAttempts
    private var pieces: [CriticalPath.Piece] = []
    /// The time after this moment, counted from the beginning, is already explained.
    private var now: Int64

    init(_ record: RunRecord) {
        self.record = record
        begin = record.begin
        attempts = RecordedAttempts(record)
        now = record.duration
    }

    mutating func path() -> CriticalPath {
        var next = lastToEnd()
        if let last = next { explain(.waiting(.script), nil, backTo: row(last).ended - begin) }
        // Each step leads to an earlier operation, unless moments are equal; this bound is for that case.
        var rest = 2 * record.storage.rows.count + 2
        while let number = next, now > 0, rest > 0 {
            next = step(number)
            rest -= 1
        }
        explain(.waiting(.script), nil, backTo: 0)
        return CriticalPath(pieces: pieces.reversed())
    }

    private func row(_ number: Int) -> OperationRow { record.storage.rows.pointer(number).pointee }

    /// The operation that ended last; of several, the one that was made last.
    private func lastToEnd() -> Int? {
        var best: Int?
        var latest = Int64.min
        for number in 0..<record.storage.rows.count {
            let ended = record.storage.rows.pointer(number).pointee.ended
            guard ended != OperationRow.never, ended >= latest, ended - begin <= record.duration else {
                continue
            }
            latest = ended
            best = number
        }
        return best
    }

    /// Notes the piece from a moment until `now`.
    private mutating func explain(_ kind: CriticalPath.Piece.Kind, _ operation: Int?, backTo moment: Int64) {
        let from = max(0, min(moment, now))
        guard from < now else { return }
        pieces.append(.init(kind: kind, operation: operation, from: from, to: now))
        now = from
    }

    /// Explains the time back to the operation that released this one, which is examined next.
    private mutating func step(_ number: Int) -> Int? {
        let row = row(number)
        let all = attempts.attempts(of: number)
        for (place, attempt) in all.enumerated().reversed() where attempt.handedOver - begin < now {
            // An operation that ended between two attempts has waited for the next one.
            explain(.waiting(.delay), number, backTo: attempts.end(of: attempt) - begin)
            explain(.running, number, backTo: attempt.started - begin)
            explain(.waiting(.node), number, backTo: attempt.handedOver - begin)
            if let other = obstacle(attempt) {
                explain(.waiting(attempt.startCause), number, backTo: self.row(other).ended - begin)
                return other
            }
            explain(.waiting(attempt.startWait), number, backTo: attempt.ready - begin)
            if place == 0 { return readiness(attempt.readyCause, attempt.readyBy, row, number) }
        }
        guard row.ready != OperationRow.never else { return addition(row, number) }
        explain(.waiting(.script), number, backTo: row.ready - begin)
        return readiness(row.readyCause, row.readyBy, row, number)
    }

    /// Explains the time before an operation became ready.
    private mutating func readiness(
        _ cause: ReleaseCause,
        _ by: UInt32,
        _ row: OperationRow,
        _ number: Int
    ) -> Int? {
        if cause == .dependency, by != OperationRow.nothing {
            explain(.waiting(.dependency), number, backTo: self.row(Int(by)).ended - begin)
            return Int(by)
        }
        explain(
            .waiting(cause == .addition ? .script : cause),
            number,
            backTo: max(row.added, row.made) - begin
        )
        return addition(row, number)
    }

    /// The operation whose end removed the last obstacle before a start.
    private func obstacle(_ attempt: AttemptRow) -> Int? {
        guard attempt.startCause != .addition, attempt.startedBy != OperationRow.nothing else { return nil }
        let other = Int(attempt.startedBy)
        let ended = self.row(other).ended
        return ended != OperationRow.never && ended <= attempt.handedOver ? other : nil
    }

    /// Explains the time before an addition.
    private mutating func addition(_ row: OperationRow, _ number: Int) -> Int? {
        explain(.waiting(.script), number, backTo: max(row.added, row.made) - begin)
        guard row.addedBy != OperationRow.nothing else {
            if row.addedCause == .timer { explain(.waiting(.timer), nil, backTo: 0) }
            return nil
        }
        let other = Int(row.addedBy)
        // Its end led to the addition, or its body made it.
        let ended = self.row(other).ended
        if ended != OperationRow.never, ended - begin < now {
            explain(.waiting(row.addedCause == .timer ? .timer : .script), nil, backTo: ended - begin)
        }
        return other
    }
}
