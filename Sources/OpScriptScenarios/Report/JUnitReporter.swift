/// Reports the results of scenarios as one document of JUnit's XML, when all have ended.
package struct JUnitReporter: ScenarioReporter {
    private struct Suite {
        var path: String
        var cases: [String] = []
        var failures = 0
        var errors = 0
        var skipped = 0
        var seconds = 0.0

        init(path: String) { self.path = path }
    }

    private let write: @Sendable ([UInt8]) -> Void
    private var suites: [Suite] = []

    /// Makes a reporter; `write` receives the whole document.
    package init(write: @escaping @Sendable ([UInt8]) -> Void) { self.write = write }

    /// A file was loaded.
    package mutating func fileBegan(_ path: String, _ listing: ScenarioListing) {
        suites.append(Suite(path: path))
        for problem in listing.problems { self.problem(path, problem, output: listing.output) }
    }

    /// A problem outside scenarios was found.
    package mutating func problem(_ path: String, _ problem: ScenarioProblem, output: [UInt8]) {
        guard var suite = suites.popLast() else { return }
        suite.errors += 1
        let name = problem.context.isEmpty ? "outside of scenarios" : problem.context
        suite.cases.append(
            element(
                name: name,
                className: path,
                position: problem.position(in: path) ?? SourcePosition(file: path, line: 1),
                seconds: 0,
                body: failure("error", [problem], [], path) + self.output(output)
            )
        )
        suites.append(suite)
    }

    /// A scenario has ended.
    package mutating func ended(_ result: ScenarioResult) {
        guard var suite = suites.popLast() else { return }
        let scenario = result.scenario
        var body = ""
        let command = result.interleaving.map { "  \($0.text)" }
        switch result.outcome {
        case .passed: break
        case .pending(let reason):
            suite.skipped += 1
            body = "      <skipped message=\"\(TextEscapes.xml(reason ?? "pending", isAttribute: true))\"/>\n"
        case .failed where result.problems.first?.kind == .error:
            suite.errors += 1
            body = failure("error", result.problems, result.leaks, scenario.file, command)
        case .failed:
            suite.failures += 1
            body = failure("failure", result.problems, result.leaks, scenario.file, command)
        }
        body = properties(result) + body + output(result.output)
        if !result.notes.isEmpty {
            body +=
                "      <system-err>\(TextEscapes.xml(result.notes.joined(separator: "\n")))</system-err>\n"
        }
        suite.seconds += result.duration
        let run = result.round.map { " (run \($0))" } ?? ""
        suite.cases.append(
            element(
                name: (scenario.names.last ?? "") + run,
                className: ([scenario.file] + scenario.names.dropLast()).joined(separator: " "),
                position: SourcePosition(file: scenario.file, line: scenario.line ?? 1),
                seconds: result.duration,
                body: body
            )
        )
        suites.append(suite)
    }

    /// No more results follow.
    package mutating func finished(_ summary: ScenarioSummary) {
        let count = suites.reduce(0) { $0 + $1.cases.count }
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        text += "<testsuites name=\"opscript test\" tests=\"\(count)\""
        text += " failures=\"\(suites.reduce(0) { $0 + $1.failures })\""
        text += " errors=\"\(suites.reduce(0) { $0 + $1.errors })\""
        text += " skipped=\"\(suites.reduce(0) { $0 + $1.skipped })\""
        text += " time=\"\(TextEscapes.seconds(summary.seconds))\">\n"
        for suite in suites {
            text += "  <testsuite name=\"\(TextEscapes.xml(suite.path, isAttribute: true))\""
            text +=
                " tests=\"\(suite.cases.count)\" failures=\"\(suite.failures)\" errors=\"\(suite.errors)\""
            text += " skipped=\"\(suite.skipped)\" time=\"\(TextEscapes.seconds(suite.seconds))\">\n"
            text += suite.cases.joined()
            text += "  </testsuite>\n"
        }
        write(Array((text + "</testsuites>\n").utf8))
    }

    private func element(
        name: String,
        className: String,
        position: SourcePosition,
        seconds: Double,
        body: String
    ) -> String {
        var text = "    <testcase name=\"\(TextEscapes.xml(name, isAttribute: true))\""
        text += " classname=\"\(TextEscapes.xml(className, isAttribute: true))\""
        text += " file=\"\(TextEscapes.xml(position.file, isAttribute: true))\" line=\"\(position.line)\""
        text += " time=\"\(TextEscapes.seconds(seconds))\""
        return body.isEmpty ? text + "/>\n" : text + ">\n\(body)    </testcase>\n"
    }

    private func failure(
        _ tag: String,
        _ problems: [ScenarioProblem],
        _ leaks: [ScenarioLeak],
        _ file: String,
        _ interleaving: String? = nil
    ) -> String {
        let message = problems.first?.message ?? leaks.first.map { "left behind: \($0.text)" } ?? "it failed"
        let type = problems.first.map { $0.code ?? $0.kind.rawValue } ?? "leak"
        var lines = problems.flatMap { ProblemText(TextStyle(isColoured: false)).lines($0) }
        lines += leaks.map { "  left behind: \($0.text)\($0.place.map { " (\($0))" } ?? "")" }
        if let interleaving { lines.append(interleaving) }
        return "      <\(tag) message=\"\(TextEscapes.xml(message, isAttribute: true))\" type=\"\(type)\">"
            + TextEscapes.xml(lines.joined(separator: "\n")) + "</\(tag)>\n"
    }

    /// The seeds of the order and of all other randomness of a failed scenario; the number of interleavings
    /// that were tried.
    private func properties(_ result: ScenarioResult) -> String {
        var pairs: [(name: String, value: String)] = []
        if result.outcome == .failed, let seed = result.seed { pairs.append(("seed", "\(seed)")) }
        if let count = result.interleavings { pairs.append(("interleavings", "\(count)")) }
        if let found = result.interleaving {
            pairs.append(("schedule", found.schedule))
            pairs.append(("replay", found.command))
        }
        guard !pairs.isEmpty else { return "" }
        let lines = pairs.map {
            "        <property name=\"\($0.name)\" value=\"\(TextEscapes.xml($0.value, isAttribute: true))\"/>\n"
        }
        return "      <properties>\n\(lines.joined())      </properties>\n"
    }

    private func output(_ bytes: [UInt8]) -> String {
        bytes.isEmpty
            ? ""
            : "      <system-out>\(TextEscapes.xml(String(decoding: bytes, as: UTF8.self)))</system-out>\n"
    }
}
