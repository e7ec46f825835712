/// The line of each operation in a timeline: a line of its runner on which nothing overlaps.
struct TimelineLanes {
    /// A line of the timeline.
    struct Lane {
        var name: String
        var count = 0
    }

    /// The most lines of one runner; operations that overlap beyond that are not drawn.
    private static let limit = 256

    private(set) var lanes: [Lane] = []
    /// By operation: its line, or -1.
    private let places: [Int32]
    private let endOfRun: Int64

    init(_ record: RunRecord) {
        let storage = record.storage
        let endOfRun = record.begin + record.duration
        self.endOfRun = endOfRun
        var order: [Int] = []
        for number in 0..<storage.rows.count {
            let row = storage.rows.pointer(number).pointee
            if row.started != OperationRow.never, Self.end(row, endOfRun) >= row.started {
                order.append(number)
            }
        }
        order.sort {
            let (one, other) = (storage.rows.pointer($0).pointee, storage.rows.pointer($1).pointee)
            return (one.started, Self.end(one, endOfRun), $0) < (other.started, Self.end(other, endOfRun), $1)
        }
        // By runner: its lines, with the moment until which each one is taken.
        var taken: [UInt16: [Int64]] = [:]
        var found: [(code: UInt16, line: Int32)] = Array(repeating: (0, -1), count: storage.rows.count)
        for number in order {
            let row = storage.rows.pointer(number).pointee
            let line = taken[row.runner, default: []].firstIndex { $0 <= row.started }
            let place = line ?? taken[row.runner, default: []].count
            if place == Self.limit { continue }
            if line == nil { taken[row.runner, default: []].append(0) }
            taken[row.runner]?[place] = Self.end(row, endOfRun)
            found[number] = (row.runner, Int32(place))
        }
        var first: [UInt16: Int32] = [:]
        for code in taken.keys.sorted(by: { Self.rank($0) < Self.rank($1) }) {
            first[code] = Int32(lanes.count)
            let count = taken[code]?.count ?? 0
            for line in 0..<count {
                let name = Self.name(RecordedRunner(code: code))
                lanes.append(Lane(name: count == 1 ? name : "\(name) \(line + 1)"))
            }
        }
        var places = [Int32](repeating: -1, count: storage.rows.count)
        for number in order where found[number].line >= 0 {
            places[number] = (first[found[number].code] ?? 0) + found[number].line
            lanes[Int(places[number])].count += 1
        }
        self.places = places
    }

    /// The line of an operation; nil if it did not start, or too much overlaps.
    func lane(of number: Int) -> Int? { places[number] < 0 ? nil : Int(places[number]) }

    /// The end of a row's line; an operation that has not ended lasts until the end of the run.
    func end(of row: OperationRow) -> Int64 { Self.end(row, endOfRun) }

    private static func end(_ row: OperationRow, _ endOfRun: Int64) -> Int64 {
        row.ended == OperationRow.never ? max(endOfRun, row.started) : row.ended
    }

    /// The script thread first, then workers by number, tasks, and operations that run nowhere.
    private static func rank(_ code: UInt16) -> Int {
        switch RecordedRunner(code: code) {
        case .scriptThread: 0
        case .worker(let number): number
        case .elsewhere: 1 << 17
        case .none: 1 << 18
        }
    }

    private static func name(_ runner: RecordedRunner) -> String {
        switch runner {
        case .none: "groups and gates"
        case .worker, .scriptThread, .elsewhere: runner.text
        }
    }
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
        for number in 0..<record.storage.rows.count {
            let row = record.storage.rows.pointer(number).pointee
            guard row.queue != OperationRow.nothing, row.started != OperationRow.never else { continue }
            changes[Int(row.queue)].append((row.started, 1))
            if row.ended != OperationRow.never { changes[Int(row.queue)].append((row.ended, -1)) }
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
