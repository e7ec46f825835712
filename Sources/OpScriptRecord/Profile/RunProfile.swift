/// The sums over a record: for the table of a report and the lines of `--profile`.
public struct RunProfile: Sendable {
    /// Operations of one work, or of one name where there is no work.
    public struct Work: Sendable, Hashable {
        /// The work's name, or the operations' own.
        public var name: String
        /// How many have run.
        public var count = 0
        /// How many of these failed.
        public var failed = 0
        /// Nanoseconds that all their attempts took.
        public var total: Int64 = 0
        /// Nanoseconds that the attempts of the longest one took.
        public var longest: Int64 = 0
        /// Nanoseconds of processors that their programs took.
        public var processors: Int64 = 0
        /// The most memory that one of their programs had at once, in bytes.
        public var peakMemory: Int64 = 0
        /// Nanoseconds that one took on average.
        public var mean: Int64 { count == 0 ? 0 : total / Int64(count) }
    }

    /// The waits for one cause.
    public struct Waiting: Sendable, Hashable {
        /// The cause of the waits.
        public var cause: ReleaseCause
        /// How many operations waited.
        public var count = 0
        /// Nanoseconds that they waited in all.
        public var total: Int64 = 0
    }

    /// The use of one runner.
    public struct Runner: Sendable, Hashable {
        /// The runner.
        public var runner: RecordedRunner
        /// How many operations it ran to their end.
        public var count = 0
        /// Nanoseconds in which it ran operations.
        public var busy: Int64 = 0
    }

    /// How many operations ended in which way; `unfinished` counts those that did not end.
    public private(set) var outcomes: [RecordedOutcome: Int] = [:]
    /// How many have not ended.
    public private(set) var unfinished = 0
    /// How many operations waits submitted: they are in neither.
    public private(set) var steps = 0
    /// The sums for each name, the largest total first.
    public private(set) var works: [Work] = []
    /// The time for each cause of waiting, the longest first.
    public private(set) var waiting: [Waiting] = []
    /// Workers by number, then the script thread.
    public private(set) var runners: [Runner] = []
    /// The numbers of the longest operations, the longest first, at most ten.
    public private(set) var longest: [Int] = []
    /// Nanoseconds that the attempts of each of these took.
    public private(set) var longestTimes: [Int64] = []
    /// One sentence about what to change; nil if nothing stands out.
    public private(set) var advice: String?

    /// Sums a record up.
    ///
    /// - Complexity: O(n log n) for n operations.
    public init(_ record: RunRecord) {
        let storage = record.storage
        let attempts = RecordedAttempts(record)
        var worksByName: [UInt32: Work] = [:]
        var waitingByCause = ReleaseCause.allCases.map { Waiting(cause: $0) }
        var runnersByCode: [UInt16: Runner] = [:]
        // Of several bodies on the script thread at once, all but one wait.
        var scriptBodies: [Range<Int64>] = []
        var queueWaits = WaitsOfQueues(count: storage.queues.count)
        for number in 0..<storage.rows.count {
            let row = storage.rows.pointer(number).pointee
            guard row.added != OperationRow.never || row.started != OperationRow.never else { continue }
            if row.isStep {
                steps += 1
            } else if let outcome = RecordedOutcome(rawValue: row.outcome) {
                outcomes[outcome, default: 0] += 1
            } else {
                unfinished += 1
            }
            for (cause, time) in attempts.waits(of: number) {
                waitingByCause[Int(cause.rawValue)].count += 1
                waitingByCause[Int(cause.rawValue)].total += time
            }
            let all = attempts.attempts(of: number)
            if row.queue != OperationRow.nothing {
                for attempt in all where attempt.startCause == .slot { queueWaits.note(row, attempt) }
            }
            guard !all.isEmpty, row.ended != OperationRow.never else { continue }
            let time = all.reduce(0) { $0 + $1.ended - $1.started }
            let key = row.work == OperationRow.nothing ? row.name : row.work
            if worksByName[key] == nil { worksByName[key] = Work(name: storage.text(key) ?? "operation") }
            worksByName[key]?.add(time, row.outcome == RecordedOutcome.failed.rawValue)
            if let usage = storage.usages[number] { worksByName[key]?.add(usage) }
            note(longest: number, time)
            for attempt in all where RecordedRunner.hasRun(attempt.runner) {
                let runner = RecordedRunner(code: attempt.runner)
                runnersByCode[attempt.runner, default: Runner(runner: runner)].busy +=
                    attempt.ended - attempt.started
                if runner == .scriptThread { scriptBodies.append(attempt.started..<attempt.ended) }
            }
            if let last = all.last, RecordedRunner.hasRun(last.runner) {
                runnersByCode[last.runner]?.count += 1
            }
        }
        runnersByCode[RecordedRunner.scriptThread.code]?.busy = Self.length(ofUnion: scriptBodies)
        works = worksByName.values.sorted { ($1.total, $0.name) < ($0.total, $1.name) }
        waiting = waitingByCause.filter { $0.total > 0 }
            .sorted { ($1.total, $0.cause.rawValue) < ($0.total, $1.cause.rawValue) }
        runners = runnersByCode.sorted { $0.key < $1.key }.map(\.value)
        advice = RunAdvice(record, self, queueWaits).sentence
    }

    /// Nanoseconds in which workers, tasks and the script thread ran operations.
    public var busy: Int64 { runners.reduce(0) { $0 + $1.busy } }

    /// The length of the moments that lie in at least one of the ranges.
    private static func length(ofUnion ranges: [Range<Int64>]) -> Int64 {
        var length: Int64 = 0
        var reached = Int64.min
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.upperBound > reached {
            length += range.upperBound - max(range.lowerBound, reached)
            reached = range.upperBound
        }
        return length
    }

    private mutating func note(longest number: Int, _ time: Int64) {
        guard time > 0, longest.count < 10 || longestTimes[9] < time else { return }
        let place = longestTimes.firstIndex { $0 < time } ?? longest.count
        longest.insert(number, at: place)
        longestTimes.insert(time, at: place)
        if longest.count > 10 {
            longest.removeLast()
            longestTimes.removeLast()
        }
    }
}

extension RunProfile.Work {
    fileprivate mutating func add(_ time: Int64, _ hasFailed: Bool) {
        count += 1
        total += time
        longest = max(longest, time)
        if hasFailed { failed += 1 }
    }

    fileprivate mutating func add(_ usage: RecordedUsage) {
        processors += usage.user + usage.system
        peakMemory = max(peakMemory, usage.peakMemory)
    }
}
