/// Reports the results of scenarios as JSON objects, one in each line.
///
/// `{"event":"file"…}`, `{"event":"problem"…}` and `{"event":"scenario"…}` while they run, and
/// `{"event":"summary"…}` as the last one.
package struct JSONReporter: ScenarioReporter {
    private let write: @Sendable ([UInt8]) -> Void
    private var path = ""

    /// Makes a reporter; `write` receives whole lines.
    package init(write: @escaping @Sendable ([UInt8]) -> Void) { self.write = write }

    /// A file was loaded.
    package mutating func fileBegan(_ path: String, _ listing: ScenarioListing) {
        self.path = path
        var object = JSONText()
        object.add("event", "file")
        object.add("file", path)
        // Scenarios that share an engine run while they are found, so their number is not known in advance.
        if !listing.scenarios.isEmpty { object.add("scenarios", listing.scenarios.count) }
        // As in the readable format, the output of a file while it is loaded is reported only if loading it
        // failed.
        if !listing.problems.isEmpty { object.add("output", text(listing.output)) }
        line(object)
        for problem in listing.problems { self.problem(path, problem, output: []) }
    }

    /// A problem outside scenarios was found.
    package mutating func problem(_ path: String, _ problem: ScenarioProblem, output: [UInt8]) {
        var object = JSONText()
        object.add("event", "problem")
        object.add("file", path)
        add(problem, to: &object, file: path)
        object.add("output", text(output))
        line(object)
    }

    /// A note or a warning.
    package mutating func noted(_ path: String, _ note: String) {
        var object = JSONText()
        object.add("event", "note")
        object.add("file", path)
        object.add("message", note)
        line(object)
    }

    /// A scenario has ended.
    package mutating func ended(_ result: ScenarioResult) {
        var object = Self.object(result.scenario)
        object.add("run", result.round)
        // As a text, since numbers in JSON are not exact beyond 53 bits.
        object.add("seed", result.seed.map { "\($0)" })
        switch result.outcome {
        case .passed: object.add("status", "passed")
        case .failed: object.add("status", "failed")
        case .pending(let reason):
            object.add("status", "pending")
            object.add("reason", reason)
        }
        object.add("seconds", seconds: result.duration)
        object.add("own_seconds", seconds: result.ownSeconds)
        object.add(
            "problems",
            result.problems.map { problem in
                var object = JSONText()
                add(problem, to: &object, file: result.scenario.file)
                return object
            }
        )
        object.add(
            "leaks",
            result.leaks.map { leak in
                var object = JSONText()
                object.add("kind", leak.kind)
                object.add("text", leak.text)
                add(leak.place.flatMap { SourcePosition($0, in: result.scenario.file) }, to: &object)
                return object
            }
        )
        object.add("interleavings", result.interleavings)
        if let found = result.interleaving {
            object.add("strategy", found.strategy)
            object.add("interleaving", found.iteration)
            object.add("schedule", found.schedule)
            object.add("replay", found.command)
        }
        object.add("notes", result.notes)
        object.add("output", text(result.output))
        line(object)
    }

    /// No more results follow.
    package mutating func finished(_ summary: ScenarioSummary) {
        var object = JSONText()
        object.add("event", "summary")
        object.add("passed", summary.passed)
        object.add("failed", summary.failed)
        object.add("pending", summary.pending)
        object.add("problems", summary.problems)
        object.add("not_chosen", summary.leftOut)
        object.add("seconds", seconds: summary.seconds)
        object.add("interrupted", summary.wasCancelled)
        object.add("ended_early", summary.endedEarly)
        if let seed = summary.shuffleSeed { object.add("seed", "\(seed)") }
        line(object)
    }

    /// The keys of a scenario that was found. The object of a scenario that has ended begins with the same keys.
    static func object(_ scenario: Scenario) -> JSONText {
        var object = JSONText()
        object.add("event", "scenario")
        object.add("file", scenario.file)
        object.add("line", scenario.line)
        object.add("name", scenario.name)
        object.add("names", scenario.names)
        object.add("tags", scenario.tags)
        object.add("real", scenario.isReal)
        return object
    }

    private func add(_ problem: ScenarioProblem, to object: inout JSONText, file: String) {
        object.add("kind", problem.kind.rawValue)
        if !problem.context.isEmpty { object.add("context", problem.context) }
        object.add("message", problem.message)
        object.add("code", problem.code)
        object.add("expected", problem.expected)
        object.add("actual", problem.actual)
        add(problem.position(in: file), to: &object)
        object.add("traceback", problem.traceback)
    }

    private func add(_ position: SourcePosition?, to object: inout JSONText) {
        guard let position else { return }
        object.add("at", "\(position.file):\(position.line)")
        object.add("at_file", position.file)
        object.add("at_line", position.line)
    }

    private func text(_ bytes: [UInt8]) -> String? {
        bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private func line(_ object: JSONText) { write(Array((object.text + "\n").utf8)) }
}
