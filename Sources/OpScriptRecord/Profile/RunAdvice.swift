/// How long operations waited for slots of each queue.
struct WaitsOfQueues {
    private(set) var totals: [Int64]
    /// For each queue: the work whose operations waited longest, and how long.
    private var works: [[UInt32: Int64]]
    /// For each queue: when operations waited.
    private(set) var spans: [[(from: Int64, to: Int64)]]

    init(count: Int) {
        totals = Array(repeating: 0, count: count)
        works = Array(repeating: [:], count: count)
        spans = Array(repeating: [], count: count)
    }

    /// Notes the wait of an attempt for a slot of its queue.
    mutating func note(_ row: OperationRow, _ attempt: AttemptRow) {
        let from = max(attempt.ready, row.added)
        guard attempt.started > from else { return }
        let queue = Int(row.queue)
        totals[queue] += attempt.started - from
        works[queue][row.work == OperationRow.nothing ? row.name : row.work, default: 0] +=
            attempt.started - from
        spans[queue].append((from, attempt.started))
    }

    /// The work that waited longest for slots of a queue.
    func work(of queue: Int) -> (name: UInt32, time: Int64)? {
        works[queue].max { ($0.value, $1.key) < ($1.value, $0.key) }.map { ($0.key, $0.value) }
    }
}

/// The one sentence of advice that follows from the numbers of a run.
struct RunAdvice {
    let sentence: String?

    init(_ record: RunRecord, _ profile: RunProfile, _ waits: WaitsOfQueues) {
        let path = record.criticalPath()
        let wall = record.duration
        guard wall > 0, profile.busy > 0 else {
            sentence = nil
            return
        }
        let waiting = path.waiting
        let bound = record.boundPath().length
        if let sentence = Self.adviseWidth(record, waits) {
            self.sentence = sentence
        } else if let delay = waiting[.delay], delay * 3 > wall {
            sentence =
                "delays took \(PlainSeconds.text(delay)) of \(PlainSeconds.text(wall)): "
                + "shorten them, or those between attempts"
        } else if let script = waiting[.script], script * 2 > wall {
            sentence =
                "the script thread was busy for \(PlainSeconds.text(script)) of "
                + "\(PlainSeconds.text(wall)): move its computations into works"
        } else if bound * 10 > wall * 9, let last = path.operations.last {
            let name = record.operations[path.operations.max { Self.isShorter($0, $1, record) } ?? last].name
            sentence =
                "a chain of dependencies takes \(PlainSeconds.text(bound)) of "
                + "\(PlainSeconds.text(wall)): only shorter operations on it help, '\(name)' first"
        } else if Self.workerWait(profile) > wall / 10 {
            let text = PlainSeconds.text(Self.workerWait(profile))
            let workers = record.workers == 1 ? "worker was" : "\(record.workers) workers were"
            sentence =
                "operations waited \(text) for a worker while \(workers) busy: "
                + "more cores, or a larger --jobs, help"
        } else {
            sentence = nil
        }
    }

    private static func isShorter(_ one: Int, _ other: Int, _ record: RunRecord) -> Bool {
        record.operations[one].duration < record.operations[other].duration
    }

    private static func workerWait(_ profile: RunProfile) -> Int64 {
        profile.waiting.reduce(0) { [.worker, .job].contains($1.cause) ? $0 + $1.total : $0 }
    }

    /// Whether a wider queue would have used a worker that was idle.
    private static func adviseWidth(_ record: RunRecord, _ waits: WaitsOfQueues) -> String? {
        guard let queue = waits.totals.indices.max(by: { waits.totals[$0] < waits.totals[$1] }),
            waits.totals[queue] * 20 > record.duration, let work = waits.work(of: queue)
        else { return nil }
        let idle = Load(record).idleTime(within: waits.spans[queue], workers: record.workers)
        guard idle * 20 > record.duration else { return nil }
        let description = record.queues[queue]
        let width = description.width.map { " (width \($0))" } ?? ""
        return
            "'\(record.storage.text(work.name) ?? "operation")' waited \(PlainSeconds.text(work.time)) for a slot "
            + "of queue '\(description.name)'\(width), while a core was idle"
    }
}

/// How many operations were ready and running at each moment.
struct Load {
    /// A change of the numbers, in nanoseconds on the engine's clock.
    struct Step {
        var moment: Int64
        var running: Int32
        var ready: Int32
    }

    /// The numbers after each change, in the order of time.
    private(set) var steps: [Step] = []

    init(_ record: RunRecord) {
        let attempts = RecordedAttempts(record)
        for index in 0..<attempts.count {
            guard let attempt = attempts[index], RecordedRunner.hasRun(attempt.runner) else { continue }
            let added = record.storage.rows.pointer(Int(attempt.operation)).pointee.added
            steps.append(Step(moment: max(attempt.ready, added), running: 0, ready: 1))
            steps.append(Step(moment: attempt.started, running: 1, ready: -1))
            steps.append(Step(moment: attempts.end(of: attempt), running: -1, ready: 0))
        }
        steps.sort { $0.moment < $1.moment }
        var (running, ready) = (Int32(0), Int32(0))
        var last = -1
        for place in steps.indices {
            running += steps[place].running
            ready += steps[place].ready
            if last < 0 || steps[last].moment != steps[place].moment { last += 1 }
            steps[last] = Step(moment: steps[place].moment, running: running, ready: ready)
        }
        steps.removeLast(steps.count - (last + 1))
    }

    /// Nanoseconds within the spans during which fewer operations ran than there are workers.
    func idleTime(within spans: [(from: Int64, to: Int64)], workers: Int) -> Int64 {
        var total: Int64 = 0
        var place = 0
        var reached = Int64.min
        for span in spans.sorted(by: { $0.from < $1.from }) {
            var from = max(span.from, reached)
            guard from < span.to else { continue }
            while place + 1 < steps.count, steps[place + 1].moment <= from { place += 1 }
            while from < span.to {
                let next = place + 1 < steps.count ? min(span.to, steps[place + 1].moment) : span.to
                if place < steps.count, Int(steps[place].running) < workers { total += next - from }
                from = next
                if from < span.to { place += 1 }
            }
            reached = span.to
        }
        return total
    }
}
