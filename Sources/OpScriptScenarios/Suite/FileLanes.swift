internal import Synchronization

/// The places for the results of files that run in one engine: each is opened when its file begins.
final class FileLanes<Reporter: ScenarioReporter>: Sendable {
    /// The place of a file, with its scenarios that wait for engines of their own.
    typealias Lane = (lane: Int, separate: SeparateScenarios)

    private let line: ResultLine<Reporter>
    private let files: [ScenarioFile]
    private let isKnown: Bool
    private let lanes: Mutex<[Lane]>

    init(_ line: ResultLine<Reporter>, _ files: [ScenarioFile], isKnown: Bool, first lane: Int) {
        self.line = line
        self.files = files
        self.isKnown = isKnown
        lanes = Mutex([(lane, SeparateScenarios())])
    }

    /// The place of a file; places of files before it are closed.
    func lane(of place: Int) -> Lane {
        lanes.withLock { lanes in
            while lanes.count <= place {
                line.close(lanes[lanes.count - 1].lane)
                lanes.append((line.open(files[lanes.count].path, isKnown: isKnown), SeparateScenarios()))
            }
            return lanes[place]
        }
    }

    /// The files that have begun, with their places.
    var opened: [(ScenarioFile, lane: Int, separate: SeparateScenarios)] {
        lanes.withLock { lanes in zip(files, lanes).map { ($0, $1.lane, $1.separate) } }
    }
}
