internal import OpScript

/// Reports the results of scenarios in readable lines.
package struct ReadableReporter: ScenarioReporter {
    private let write: @Sendable ([UInt8]) -> Void
    private let style: TextStyle
    private var failures: [String] = []

    /// Makes a reporter.
    ///
    /// - Parameters:
    ///   - isColoured: Whether to use the colours of a terminal.
    ///   - write: Receives whole lines.
    package init(isColoured: Bool, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.write = write
        style = TextStyle(isColoured: isColoured)
    }

    /// A file was loaded.
    package mutating func fileBegan(_ path: String, _ listing: ScenarioListing) {
        line(style.bold(path))
        for problem in listing.problems { tell(problem, path) }
        // Its output while it was loaded helps to find the reason.
        if !listing.problems.isEmpty { write(listing.output) }
    }

    /// A problem outside scenarios was found.
    package mutating func problem(_ path: String, _ problem: ScenarioProblem, output: [UInt8]) {
        tell(problem, path)
        write(output)
    }

    /// A note or a warning.
    package mutating func noted(_ path: String, _ note: String) { line("  \(style.yellow("note:")) \(note)") }

    private mutating func tell(_ problem: ScenarioProblem, _ path: String) {
        let place =
            problem.context.isEmpty ? "outside of scenarios" : "in \(VisibleText.line(problem.context))"
        line("  \(style.red("ERROR")) \(place)")
        failures.append(text(of: [problem], heading: "\(path): \(place)", leaks: []))
    }

    /// A scenario has ended.
    package mutating func ended(_ result: ScenarioResult) {
        write(result.output)
        if let last = result.output.last, last != UInt8(ascii: "\n") { write([UInt8(ascii: "\n")]) }
        let name = VisibleText.line(result.name)
        switch result.outcome {
        case .passed:
            let count = result.interleavings.map { " (interleavings: \($0))" } ?? ""
            line("  \(style.green("pass")) \(name)\(count)")
        case .pending(let reason):
            line("  \(style.yellow("wait")) \(name)\(reason.map { " (\($0))" } ?? "")")
        case .failed:
            line("  \(style.red("FAIL")) \(name)")
            let place = result.scenario.position.map { "\($0): " } ?? ""
            failures.append(
                text(
                    of: result.problems,
                    heading: place + name,
                    leaks: result.leaks,
                    result.interleaving?.text
                )
            )
        }
        for note in result.notes { line("       \(style.yellow("note:")) \(note)") }
    }

    /// No more results follow.
    package mutating func finished(_ summary: ScenarioSummary) {
        for failure in failures { line("\n" + failure) }
        if !summary.slowest.isEmpty {
            line("\nslowest:")
            for slow in summary.slowest {
                line("  \(Self.milliseconds(slow.seconds))  \(VisibleText.line(slow.name))")
            }
        }
        var parts = ["\(summary.passed) passed"]
        if summary.failed > 0 { parts.append(style.red("\(summary.failed) failed")) }
        if summary.problems > 0 {
            parts.append(
                style.red(
                    "\(summary.problems) \(summary.problems == 1 ? "error" : "errors") outside of scenarios"
                )
            )
        }
        if summary.pending > 0 { parts.append(style.yellow("\(summary.pending) pending")) }
        if summary.leftOut > 0 { parts.append("\(summary.leftOut) not chosen") }
        if summary.wasCancelled { parts.append("interrupted") }
        if summary.endedEarly { parts.append("ended by the first failure") }
        if let seed = summary.shuffleSeed { parts.append("shuffled by --seed \(seed)") }
        line("\n\(parts.joined(separator: ", ")) (\(Self.short(summary.seconds)))")
    }

    private func line(_ text: String) { write(Array("\(text)\n".utf8)) }

    private func text(
        of problems: [ScenarioProblem],
        heading: String,
        leaks: [ScenarioLeak],
        _ interleaving: String? = nil
    ) -> String {
        var lines = [style.red("FAIL") + " " + style.bold(heading)]
        for problem in problems { lines += ProblemText(style).lines(problem) }
        if !leaks.isEmpty {
            lines.append("  it left something behind:")
            for leak in leaks {
                lines.append("    \(VisibleText.line(leak.text))\(leak.place.map { " (\($0))" } ?? "")")
            }
        }
        if let interleaving { lines.append("  \(interleaving)") }
        return lines.joined(separator: "\n")
    }

    /// ` 12.3 ms`.
    static func milliseconds(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10_000).rounded())
        let text = "\(tenths / 10).\(tenths % 10) ms"
        return String(repeating: " ", count: max(0, 10 - text.count)) + text
    }

    /// `0.42 s`, `12 s`.
    static func short(_ seconds: Double) -> String {
        let hundredths = Int((seconds * 100).rounded())
        if hundredths >= 1000 { return "\(hundredths / 100) s" }
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
    }
}
