/// Passes results that arrive in any order to a reporter in the order of the files.
struct ResultOrder<Reporter: ScenarioReporter> {
    private enum Item {
        case listing(ScenarioListing)
        case problem(ScenarioProblem, output: [UInt8])
        case note(String)
        case waiting
        case ended(ScenarioResult)
    }

    /// The results of one file.
    private struct Lane {
        let path: String
        /// Whether the file was there in an earlier round.
        let isKnown: Bool
        var items: [Int: Item] = [:]
        var next = 0
        var count = 0
        var hasBegun = false
        var isClosed = false
        var leftOut = 0

        mutating func append(_ item: Item) {
            items[count] = item
            count += 1
        }
    }

    private(set) var reporter: Reporter
    private let failsFast: Bool
    private let hidesPending: Bool
    private let keepsSlowest: Bool
    private var lanes: [Lane] = []
    /// The lane that is being reported.
    private var front = 0
    private(set) var summary = ScenarioSummary()
    /// Whether nothing more is reported.
    private(set) var isOver = false

    init(_ reporter: Reporter, _ order: ScenarioOrder, keepsSlowest: Bool = false) {
        self.reporter = reporter
        self.keepsSlowest = keepsSlowest
        failsFast = order.failsFast
        hidesPending = order.hidesPending
    }

    /// A place for the results of a file.
    mutating func open(_ path: String, isKnown: Bool) -> Int {
        lanes.append(Lane(path: path, isKnown: isKnown))
        return lanes.count - 1
    }

    /// The contents of the file, if they are found before its scenarios run.
    mutating func add(_ listing: ScenarioListing, to lane: Int) { append(.listing(listing), lane) }

    mutating func add(_ problem: ScenarioProblem, output: [UInt8], to lane: Int) {
        append(.problem(problem, output: output), lane)
    }

    mutating func add(_ note: String, to lane: Int) { append(.note(note), lane) }

    mutating func add(_ result: ScenarioResult, to lane: Int) { append(.ended(result), lane) }

    mutating func leaveOut(_ count: Int, of lane: Int) {
        lanes[lane].leftOut += count
        if !lanes[lane].isKnown { summary.leftOut += count }
    }

    /// A place for a result that is still to come.
    mutating func reserve(in lane: Int) -> Int {
        append(.waiting, lane)
        return lanes[lane].count - 1
    }

    mutating func fill(_ place: Int, of lane: Int, _ result: ScenarioResult) {
        lanes[lane].items[place] = .ended(result)
        tell()
    }

    /// No more results of a file follow.
    mutating func close(_ lane: Int) {
        lanes[lane].isClosed = true
        tell()
    }

    /// Results from now on are not reported.
    mutating func interrupt() { isOver = true }

    /// Reports the end.
    mutating func finish(_ change: (inout ScenarioSummary) -> Void) {
        change(&summary)
        reporter.finished(summary)
    }

    private mutating func append(_ item: Item, _ lane: Int) {
        lanes[lane].append(item)
        if lane == front { tell() }
    }

    private mutating func tell() {
        while !isOver, front < lanes.count {
            guard let item = lanes[front].items[lanes[front].next] else {
                guard lanes[front].isClosed else { return }
                // A file without chosen scenarios is not reported at all.
                if lanes[front].leftOut == 0, !lanes[front].isKnown { begin(ScenarioListing()) }
                front += 1
                continue
            }
            if case .waiting = item { return }
            lanes[front].items[lanes[front].next] = nil
            lanes[front].next += 1
            tell(item)
        }
    }

    private mutating func begin(_ listing: ScenarioListing) {
        guard !lanes[front].hasBegun else { return }
        lanes[front].hasBegun = true
        summary.problems += listing.problems.count
        reporter.fileBegan(lanes[front].path, listing)
        if listing.problems.contains(where: endsSuite) { end() }
    }

    private mutating func tell(_ item: Item) {
        switch item {
        case .waiting: break
        case .listing(let listing): begin(listing)
        case .problem(let problem, let output):
            if !lanes[front].hasBegun {
                var listing = ScenarioListing()
                listing.problems = [problem]
                listing.output = output
                return begin(listing)
            }
            summary.problems += 1
            reporter.problem(lanes[front].path, problem, output: output)
            if endsSuite(problem) { end() }
        case .note(let note):
            begin(ScenarioListing())
            reporter.noted(lanes[front].path, note)
        case .ended(let result):
            begin(ScenarioListing())
            guard !isOver else { return }
            summary.count(result)
            if keepsSlowest { summary.keepSlowest(result) }
            if hidesPending, case .pending = result.outcome { return }
            reporter.ended(result)
            if failsFast, result.outcome == .failed { end() }
        }
    }

    private func endsSuite(_ problem: ScenarioProblem) -> Bool { failsFast || problem.preventsAllFiles }

    private mutating func end() {
        isOver = true
        summary.endedEarly = true
    }
}
