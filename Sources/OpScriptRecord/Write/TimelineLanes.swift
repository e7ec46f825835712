/// The line of each attempt in a timeline: a line of its runner, or of its queue, on which nothing overlaps.
struct TimelineLanes {
    /// The rows that a timeline is divided into.
    enum Grouping {
        case runners
        case queues
    }

    /// A line of the timeline.
    struct Lane {
        var name: String
        var count = 0
    }

    /// The most lines of one runner or queue; attempts that overlap beyond that are not drawn.
    private static let limit = 256

    let attempts: RecordedAttempts
    private(set) var lanes: [Lane] = []
    /// For each index of an attempt: its line, or -1.
    private let places: [Int32]

    init(_ record: RunRecord, by grouping: Grouping = .runners) {
        let attempts = RecordedAttempts(record)
        self.attempts = attempts
        func key(_ attempt: AttemptRow) -> UInt32 {
            switch grouping {
            case .runners: UInt32(attempt.runner)
            case .queues: record.storage.rows.pointer(Int(attempt.operation)).pointee.queue
            }
        }
        var order: [(started: Int64, end: Int64, index: Int32)] = []
        order.reserveCapacity(attempts.count)
        for index in 0..<attempts.count {
            guard let attempt = attempts[index] else { continue }
            if grouping == .queues, key(attempt) == OperationRow.nothing { continue }
            order.append((attempt.started, attempts.end(of: attempt), Int32(index)))
        }
        order.sort { $0 < $1 }
        // For each runner or queue: its lines, with the moment until which each one is taken.
        var taken: [UInt32: [Int64]] = [:]
        var found: [(key: UInt32, line: Int32)] = Array(repeating: (0, -1), count: attempts.count)
        for (started, end, index) in order {
            guard let attempt = attempts[Int(index)] else { continue }
            let key = key(attempt)
            let line = taken[key, default: []].firstIndex { $0 <= started }
            let place = line ?? taken[key, default: []].count
            if place == Self.limit { continue }
            if line == nil { taken[key, default: []].append(0) }
            taken[key]?[place] = end
            found[Int(index)] = (key, Int32(place))
        }
        var first: [UInt32: Int32] = [:]
        func rank(_ key: UInt32) -> Int {
            grouping == .runners ? Self.rank(UInt16(truncatingIfNeeded: key)) : Int(key)
        }
        for key in taken.keys.sorted(by: { rank($0) < rank($1) }) {
            first[key] = Int32(lanes.count)
            let count = taken[key]?.count ?? 0
            let name =
                switch grouping {
                case .runners: Self.name(RecordedRunner(code: UInt16(truncatingIfNeeded: key)))
                case .queues: record.queues[Int(key)].label
                }
            for line in 0..<count { lanes.append(Lane(name: count == 1 ? name : "\(name) \(line + 1)")) }
        }
        var places = [Int32](repeating: -1, count: attempts.count)
        for (_, _, index) in order where found[Int(index)].line >= 0 {
            places[Int(index)] = (first[found[Int(index)].key] ?? 0) + found[Int(index)].line
            lanes[Int(places[Int(index)])].count += 1
        }
        self.places = places
    }

    /// The line of an attempt; nil if it did not start, or too much overlaps.
    func lane(of index: Int) -> Int? { places[index] < 0 ? nil : Int(places[index]) }

    /// The script thread first, then workers by number, tasks, and operations that run nowhere.
    private static func rank(_ code: UInt16) -> Int {
        switch RecordedRunner(code: code) {
        case .scriptThread: 0
        case .worker(let number): number
        case .node: 1 << 16 + Int(code)
        case .cluster: 1 << 17
        case .elsewhere: 1 << 18
        case .none: 1 << 19
        }
    }

    private static func name(_ runner: RecordedRunner) -> String {
        switch runner {
        case .none: "groups and gates"
        case .worker, .scriptThread, .elsewhere, .cluster, .node: runner.text
        }
    }
}

extension RecordedQueue {
    /// Its name and width in a timeline.
    var label: String { "queue '\(name)'" + (width.map { " (width \($0))" } ?? "") }
}

/// Samples of counters over a run, at most so many of each.
struct CounterSamples {
    enum Counter {
        case running
        case ready
        case queue(Int)
    }

    struct Sample {
        var moment: Int64
        var counter: Counter
        var value: Int64
    }

    private var samples: [Sample] = []
    private var next = 0

    init(_ record: RunRecord, limit: Int) {
        let load = Load(record)
        let interval = Self.interval(record.duration, load.steps.count, limit)
        var last = Int64.min
        for (place, step) in load.steps.enumerated() {
            guard last == .min || step.moment - last >= interval || place == load.steps.count - 1 else {
                continue
            }
            last = step.moment
            samples.append(Sample(moment: step.moment, counter: .running, value: Int64(step.running)))
            samples.append(Sample(moment: step.moment, counter: .ready, value: Int64(step.ready)))
        }
        addQueues(record, limit: limit / max(1, record.queues.count))
        samples = samples.enumerated().sorted {
            ($0.element.moment, $0.offset) < ($1.element.moment, $1.offset)
        }
        .map(\.element)
    }

    private mutating func addQueues(_ record: RunRecord, limit: Int) {
        var changes = [[(moment: Int64, by: Int64)]](repeating: [], count: record.queues.count)
        let attempts = RecordedAttempts(record)
        for index in 0..<attempts.count {
            guard let attempt = attempts[index] else { continue }
            let queue = record.storage.rows.pointer(Int(attempt.operation)).pointee.queue
            guard queue != OperationRow.nothing else { continue }
            changes[Int(queue)].append((attempt.started, 1))
            if attempt.ended != OperationRow.never { changes[Int(queue)].append((attempt.ended, -1)) }
        }
        for queue in changes.indices {
            changes[queue].sort { ($0.moment, $0.by) < ($1.moment, $1.by) }
            let interval = Self.interval(record.duration, changes[queue].count, limit)
            var (last, value) = (Int64.min, Int64(0))
            for (place, change) in changes[queue].enumerated() {
                value += change.by
                let isLast = place == changes[queue].count - 1
                guard isLast || changes[queue][place + 1].moment != change.moment else { continue }
                guard isLast || last == .min || change.moment - last >= interval else { continue }
                last = change.moment
                samples.append(Sample(moment: change.moment, counter: .queue(queue), value: value))
            }
        }
    }

    private static func interval(_ duration: Int64, _ count: Int, _ limit: Int) -> Int64 {
        count <= limit ? 0 : duration / Int64(max(1, limit))
    }

    /// The samples up to a moment that were not taken yet.
    mutating func take(until moment: Int64) -> ArraySlice<Sample> {
        let first = next
        while next < samples.count, samples[next].moment <= moment { next += 1 }
        return samples[first..<next]
    }
}
