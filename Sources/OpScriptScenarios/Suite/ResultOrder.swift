/// Brings what ends in any order to a reporter in the order of the files.
struct ResultOrder<Reporter: ScenarioReporter> {
    private enum Place {
        case file(String, ScenarioListing)
        case waiting
        case ended(ScenarioResult)
    }

    private(set) var reporter: Reporter
    private let failsFast: Bool
    private var places: [Int: Place] = [:]
    private var (next, count) = (0, 0)
    var summary = ScenarioSummary()
    /// Whether nothing more is told.
    private(set) var isOver = false

    init(_ reporter: Reporter, failsFast: Bool) {
        self.reporter = reporter
        self.failsFast = failsFast
    }

    mutating func add(_ path: String, _ listing: ScenarioListing) {
        places[count] = .file(path, listing)
        count += 1
        tell()
    }

    /// A place for a result that is still to come.
    mutating func reserve() -> Int {
        places[count] = .waiting
        count += 1
        return count - 1
    }

    mutating func fill(_ place: Int, _ result: ScenarioResult) {
        // What fails because it was interrupted tells nothing.
        if Task.isCancelled, result.outcome == .failed {
            isOver = true
            return
        }
        places[place] = .ended(result)
        tell()
    }

    private mutating func tell() {
        while !isOver, let place = places[next] {
            switch place {
            case .waiting: return
            case .file(let path, let listing):
                summary.problems += listing.problems.count
                reporter.fileBegan(path, listing)
                if failsFast, !listing.problems.isEmpty { end() }
            case .ended(let result):
                summary.count(result)
                reporter.ended(result)
                if failsFast, result.outcome == .failed { end() }
            }
            places[next] = nil
            next += 1
        }
    }

    private mutating func end() {
        isOver = true
        summary.endedEarly = true
    }
}
