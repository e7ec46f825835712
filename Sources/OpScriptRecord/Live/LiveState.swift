/// The state of a live page: sums over the facts of a run. A pure value.
struct LiveState {
    /// How far an operation has come.
    private enum Phase: UInt8 {
        case unknown, waiting, retrying, ready, running, ended
    }

    /// How many operations there are, by phase and outcome, without the steps of others.
    struct Counts: Equatable {
        var added = 0
        var ready = 0
        var running = 0
        /// Those that wait for another attempt.
        var retrying = 0
        var succeeded = 0
        var failed = 0
        var cancelled = 0
        var skipped = 0

        var finished: Int { succeeded + failed + cancelled + skipped }
    }

    struct Queue {
        var settings: QueueSettings
        /// How many of its operations have not ended, and how many of these execute.
        var length = 0
        var running = 0
    }

    struct Runner {
        var count = 0
        var busy: Int64 = 0
    }

    struct Work {
        var name: String
        var count = 0
        var failed = 0
        var total: Int64 = 0
        var longest: Int64 = 0
    }

    /// An operation that executes, or did when it was noted.
    struct Running {
        var number: UInt32
        var runner: UInt16
        var queue: UInt32
        var start: Int64
        var name: String
    }

    /// How the run ended.
    struct End {
        var text: String
        var isEarly: Bool
        var duration: Int64
        var hasReport: Bool
    }

    /// More works than this are one.
    private static let mostWorks = 4096
    /// The most failures that are kept, and the most bytes of the texts of each.
    private static let mostFailures = 200
    private static let mostText = 8192
    /// So long is the time from which the longest operations are kept.
    private static let interval: Int64 = 200_000_000

    private(set) var header: RunHeader
    private let begin: Int64
    private(set) var counts = Counts()
    private(set) var queues: [Queue] = []
    /// The index is the number of the worker; the script thread is 0.
    private(set) var workers: [Runner] = [Runner()]
    private(set) var elsewhere = Runner()
    private(set) var works: [Work] = []
    private(set) var ended: End?
    private(set) var spans = LiveSpans()
    private(set) var load = LiveLoad()
    private(set) var failures: [(sequence: Int, failure: RecordedFailure)] = []
    private var failureCount = 0
    private var phases: [UInt8] = []
    /// For each index of a name: the place of the work in `works`, or -1.
    private var workPlaces: [Int32] = []
    /// In the order of starts; those that have ended are removed from time to time.
    private var started: [Running] = []
    private var intervalStart: Int64 = 0
    private var latest: Int64 = 0

    init(
        _ header: RunHeader = RunHeader(name: "", isVirtual: false, seed: nil, workers: 1),
        at begin: Int64 = 0
    ) {
        self.header = header
        self.begin = begin
    }

    // MARK: Facts

    mutating func receive(_ facts: RunFacts) {
        for fact in facts.facts {
            latest = max(latest, fact.moment)
            switch fact.kind {
            case .added: noteAddition(facts.row(fact.number), fact.number)
            case .ready: enter(.ready, fact.number, counts: !facts.row(fact.number).pointee.isStep)
            case .retrying: noteRetry(facts, fact)
            case .started: noteStart(facts, fact)
            case .moved: noteMove(facts, fact)
            case .succeeded: noteEnd(facts, fact, .succeeded)
            case .failed: noteEnd(facts, fact, .failed)
            case .wasCancelled: noteEnd(facts, fact, .cancelled)
            case .skipped: noteEnd(facts, fact, .skipped)
            case .cancelled, .fired, .printed: break
            }
        }
        advance(to: latest)
    }

    mutating func note(_ settings: QueueSettings) {
        while queues.count <= settings.queue {
            queues.append(
                Queue(
                    settings: QueueSettings(
                        queue: queues.count,
                        name: "queue",
                        width: nil,
                        isSuspended: false,
                        canBeSuspended: false
                    )
                )
            )
        }
        queues[settings.queue].settings = settings
    }

    mutating func note(_ failure: RecordedFailure) {
        failureCount += 1
        if failures.count == Self.mostFailures { failures.removeFirst() }
        let kept = RecordedFailure(
            operation: failure.operation,
            name: failure.name,
            place: failure.place,
            message: Self.shortened(failure.message),
            traceback: failure.traceback.map(Self.shortened),
            moment: failure.moment,
            isHandled: failure.isHandled
        )
        failures.append((failureCount, kept))
    }

    mutating func end(_ record: RunRecord, hasReport: Bool) {
        latest = record.duration
        closeInterval(at: record.duration)
        ended = End(
            text: record.end.text,
            isEarly: record.end.isEarly,
            duration: record.duration,
            hasReport: hasReport
        )
    }

    private mutating func noteAddition(_ row: UnsafePointer<OperationRow>, _ number: UInt32) {
        let isStep = row.pointee.isStep
        guard enter(.waiting, number, counts: !isStep) == .unknown else { return }
        if !isStep { counts.added += 1 }
        if row.pointee.queue < queues.count { queues[Int(row.pointee.queue)].length += 1 }
    }

    /// The body of an operation has come to a node of a cluster, or has left it.
    private mutating func noteMove(_ facts: RunFacts, _ fact: RunFact) {
        let row = facts.row(fact.number)
        guard row.pointee.runner == RecordedRunner.cluster.code else {
            // From another node, perhaps.
            if let place = started.lastIndex(where: { $0.number == fact.number }) {
                started[place].runner = row.pointee.runner
                started[place].start = fact.moment
            }
            return noteStart(facts, fact)
        }
        guard Int(fact.number) < phases.count, phases[Int(fact.number)] == Phase.running.rawValue else {
            return
        }
        phases[Int(fact.number)] = Phase.ready.rawValue
        if !row.pointee.isStep {
            counts.running -= 1
            counts.ready += 1
        }
        if row.pointee.queue < queues.count { queues[Int(row.pointee.queue)].running -= 1 }
        started.removeAll { $0.number == fact.number }
    }

    /// An attempt failed that has come to its node unseen, or to none.
    private mutating func noteUnseenRetry(_ number: UInt32, isStep: Bool) {
        guard Int(number) < phases.count, phases[Int(number)] == Phase.ready.rawValue else { return }
        phases[Int(number)] = Phase.retrying.rawValue
        guard !isStep else { return }
        counts.ready -= 1
        counts.retrying += 1
    }

    private mutating func noteStart(_ facts: RunFacts, _ fact: RunFact) {
        let row = facts.row(fact.number)
        if row.pointee.runner == RecordedRunner.cluster.code {
            // It waits for a node.
            enter(.ready, fact.number, counts: !row.pointee.isStep)
            return
        }
        if enter(.running, fact.number, counts: !row.pointee.isStep) == .running { return }
        if row.pointee.queue < queues.count { queues[Int(row.pointee.queue)].running += 1 }
        if started.count > 2 * counts.running + 256 { removeEnded() }
        started.append(
            Running(
                number: fact.number,
                runner: row.pointee.runner,
                queue: row.pointee.queue,
                start: fact.moment,
                name: facts.name(of: fact.number)
            )
        )
    }

    /// An attempt failed, and another one follows.
    private mutating func noteRetry(_ facts: RunFacts, _ fact: RunFact) {
        let row = facts.row(fact.number)
        guard Int(fact.number) < phases.count, phases[Int(fact.number)] == Phase.running.rawValue else {
            return noteUnseenRetry(fact.number, isStep: row.pointee.isStep)
        }
        phases[Int(fact.number)] = Phase.retrying.rawValue
        if !row.pointee.isStep {
            counts.running -= 1
            counts.retrying += 1
        }
        if row.pointee.queue < queues.count { queues[Int(row.pointee.queue)].running -= 1 }
        guard let place = started.lastIndex(where: { $0.number == fact.number }) else { return }
        // The row may have the next attempt by now.
        let attempt = started.remove(at: place)
        let length = max(0, fact.moment - attempt.start)
        note(length, on: RecordedRunner(code: attempt.runner), isEnd: false)
        addSpan(facts, row, attempt.number, attempt.runner, .failed, attempt.start, length)
    }

    private mutating func noteEnd(_ facts: RunFacts, _ fact: RunFact, _ outcome: RecordedOutcome) {
        let row = facts.row(fact.number)
        let former = enter(.ended, fact.number, counts: !row.pointee.isStep)
        guard former != .ended else { return }
        if !row.pointee.isStep {
            switch outcome {
            case .succeeded: counts.succeeded += 1
            case .failed: counts.failed += 1
            case .cancelled: counts.cancelled += 1
            case .skipped: counts.skipped += 1
            }
        }
        if former != .unknown, row.pointee.queue < queues.count {
            queues[Int(row.pointee.queue)].length -= 1
            if former == .running { queues[Int(row.pointee.queue)].running -= 1 }
        }
        // A body that has come to a node unseen is known by its end.
        guard former == .running || former == .ready && RecordedRunner.hasRun(row.pointee.runner),
            row.pointee.started != OperationRow.never
        else { return }
        let length = max(0, row.pointee.ended - row.pointee.started)
        note(length, on: RecordedRunner(code: row.pointee.runner))
        noteWork(facts, row, length, hasFailed: outcome == .failed)
        addSpan(
            facts,
            row,
            fact.number,
            row.pointee.runner,
            outcome,
            facts.sinceBegin(row.pointee.started),
            length
        )
    }

    private mutating func addSpan(
        _ facts: RunFacts,
        _ row: UnsafePointer<OperationRow>,
        _ number: UInt32,
        _ runner: UInt16,
        _ outcome: RecordedOutcome,
        _ start: Int64,
        _ length: Int64
    ) {
        guard spans.takes(length) else { return }
        spans.add(
            LiveSpans.Span(
                number: number,
                runner: runner,
                outcome: outcome,
                queue: row.pointee.queue,
                start: start,
                length: length,
                name: facts.name(of: number),
                work: row.pointee.work == OperationRow.nothing ? nil : facts.name(at: row.pointee.work)
            )
        )
    }

    private mutating func note(_ length: Int64, on runner: RecordedRunner, isEnd: Bool = true) {
        switch runner {
        case .none, .cluster: break
        case .elsewhere, .node: elsewhere.note(length, isEnd)
        case .scriptThread: workers[0].note(length, isEnd)
        case .worker(let number):
            while workers.count <= number { workers.append(Runner()) }
            workers[number].note(length, isEnd)
        }
    }

    private mutating func noteWork(
        _ facts: RunFacts,
        _ row: UnsafePointer<OperationRow>,
        _ length: Int64,
        hasFailed: Bool
    ) {
        let name = row.pointee.work == OperationRow.nothing ? row.pointee.name : row.pointee.work
        guard name != OperationRow.nothing else { return }
        let place = workPlace(name) { facts.name(at: name) }
        works[place].count += 1
        if hasFailed { works[place].failed += 1 }
        works[place].total += length
        works[place].longest = max(works[place].longest, length)
    }

    /// The place of a work; what comes when there are too many goes into the last one.
    private mutating func workPlace(_ name: UInt32, _ text: () -> String) -> Int {
        if works.count == Self.mostWorks, name >= workPlaces.count || workPlaces[Int(name)] < 0 {
            return works.count - 1
        }
        while workPlaces.count <= name { workPlaces.append(-1) }
        if workPlaces[Int(name)] >= 0 { return Int(workPlaces[Int(name)]) }
        workPlaces[Int(name)] = Int32(works.count)
        works.append(Work(name: works.count == Self.mostWorks - 1 ? "(others)" : text()))
        return works.count - 1
    }

    /// Moves an operation on, and gives the phase that it leaves. An operation that has ended stays so.
    ///
    /// - Parameter isCounted: Whether it is in the counts.
    @discardableResult
    private mutating func enter(_ phase: Phase, _ number: UInt32, counts isCounted: Bool) -> Phase {
        let place = Int(number)
        if place >= phases.count {
            phases.append(contentsOf: repeatElement(0, count: max(place + 1 - phases.count, 4096)))
        }
        let former = Phase(rawValue: phases[place]) ?? .unknown
        if former == .ended || phase.rawValue <= former.rawValue { return former }
        phases[place] = phase.rawValue
        guard isCounted else { return former }
        if former == .retrying { counts.retrying -= 1 }
        if former == .ready { counts.ready -= 1 }
        if former == .running { counts.running -= 1 }
        if phase == .ready { counts.ready += 1 }
        if phase == .running { counts.running += 1 }
        return former
    }

    private mutating func removeEnded() {
        started.removeAll { phases[Int($0.number)] != Phase.running.rawValue }
    }

    // MARK: Time

    /// Ends the interval if it has lasted long enough.
    private mutating func advance(to moment: Int64) {
        if moment - intervalStart >= Self.interval { closeInterval(at: moment) }
    }

    private mutating func closeInterval(at moment: Int64) {
        intervalStart = moment
        spans.close()
        load.append(
            LiveLoad.Sample(
                moment: moment,
                running: counts.running,
                ready: counts.ready,
                finished: counts.finished
            )
        )
    }

    private static func shortened(_ text: String) -> String {
        text.utf8.count <= mostText
            ? text : String(decoding: text.utf8.prefix(mostText), as: UTF8.self) + " …"
    }

    // MARK: Messages to a page

    /// The message to a page that has received everything up to a cursor.
    ///
    /// - Parameter now: The moment on the clock that gave the beginning.
    mutating func snapshot(since cursor: LiveCursor, at now: Int64) -> LiveSnapshot {
        // Virtual time stands still between two things that happen.
        let moment = ended?.duration ?? (header.isVirtual ? latest : max(latest, now - begin))
        if ended == nil { advance(to: moment) }
        removeEnded()
        // A cursor of another run, which had more.
        let isKnown =
            cursor.spans <= spans.newest && cursor.failures <= failureCount && cursor.load <= load.newest
        let cursor = isKnown ? cursor : LiveCursor()
        var snapshot = LiveSnapshot(header: header, moment: moment, counts: counts, ended: ended)
        snapshot.isWhole = cursor == LiveCursor()
        snapshot.rate = load.rate(of: counts.finished, at: moment)
        snapshot.queueCount = queues.count
        snapshot.queues = queues.count <= LiveSnapshot.mostQueues ? queues : longestQueues()
        snapshot.workers = workers
        snapshot.elsewhere = elsewhere
        snapshot.running = Array(started.prefix(LiveSnapshot.mostRunning))
        snapshot.works = Array(works.sorted { $0.total > $1.total }.prefix(LiveSnapshot.mostWorks))
        snapshot.spans = spans.since(cursor.spans)
        snapshot.load = load.since(cursor.load)
        snapshot.failures = failures.filter { $0.sequence > cursor.failures }.map(\.failure)
        snapshot.cursor = LiveCursor(spans: spans.newest, failures: failureCount, load: load.newest)
        return snapshot
    }

    /// The queues with the most operations, in the order in which they came up.
    private func longestQueues() -> [Queue] {
        let order = queues.indices.sorted { (queues[$1].length, $0) < (queues[$0].length, $1) }
        return order.prefix(LiveSnapshot.mostQueues).sorted().map { queues[$0] }
    }
}

extension LiveState.Runner {
    fileprivate mutating func note(_ length: Int64, _ isEnd: Bool) {
        if isEnd { count += 1 }
        busy += length
    }
}
