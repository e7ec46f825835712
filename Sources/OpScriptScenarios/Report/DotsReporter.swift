internal import OpScript

/// Writes a character for each scenario, then the counts of results, and the failures.
package struct DotsReporter: ScenarioReporter {
    private let write: @Sendable ([UInt8]) -> Void
    private let isPlain: Bool
    private let style: TextStyle
    private var rest: [String] = []
    private var successes = 0
    private var failures = 0
    private var errors = 0
    private var pending = 0

    /// Makes a reporter.
    ///
    /// - Parameters:
    ///   - isPlain: Whether the characters are ASCII.
    ///   - isColoured: Whether to use the colours of a terminal.
    ///   - write: Receives pieces of text.
    package init(isPlain: Bool, isColoured: Bool, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.isPlain = isPlain
        self.write = write
        style = TextStyle(isColoured: isColoured)
    }

    /// A file was loaded.
    package mutating func fileBegan(_ path: String, _ listing: ScenarioListing) {
        for problem in listing.problems { self.problem(path, problem, output: listing.output) }
    }

    /// A problem outside scenarios was found.
    package mutating func problem(_ path: String, _ problem: ScenarioProblem, output: [UInt8]) {
        write(output)
        errors += 1
        show(isPlain ? "*" : "✱", style.red)
        let place =
            problem.context.isEmpty ? "outside of scenarios" : "in \(VisibleText.line(problem.context))"
        var told = problem
        // It is in the title.
        told.context = ""
        tell("Error", "\(path): \(place)", ProblemText(style).lines(told), style.red)
    }

    /// A note or a warning.
    package mutating func noted(_ path: String, _ note: String) { rest.append("Note: \(path): \(note)") }

    /// A scenario has ended.
    package mutating func ended(_ result: ScenarioResult) {
        write(result.output)
        let name = (result.scenario.position.map { "\($0): " } ?? "") + VisibleText.line(result.name)
        switch result.outcome {
        case .passed:
            successes += 1
            show(isPlain ? "+" : "●", style.green)
        case .pending(let reason):
            pending += 1
            show(isPlain ? "." : "◌", style.yellow)
            tell("Pending", name, reason.map { ["  \($0)"] } ?? [], style.yellow)
        case .failed:
            let isError = result.problems.first?.kind == .error
            if isError { errors += 1 } else { failures += 1 }
            show(isError ? (isPlain ? "*" : "✱") : (isPlain ? "-" : "◼"), style.red)
            var lines = result.problems.flatMap { ProblemText(style).lines($0) }
            if !result.leaks.isEmpty {
                lines.append("  it left something behind:")
                lines += result.leaks.map {
                    "    \(VisibleText.line($0.text))\($0.place.map { " (\($0))" } ?? "")"
                }
            }
            if let interleaving = result.interleaving { lines.append("  \(interleaving.text)") }
            tell(isError ? "Error" : "Failure", name, lines, style.red)
        }
        for note in result.notes { rest.append("Note: \(name): \(note)") }
    }

    /// No more results follow.
    package mutating func finished(_ summary: ScenarioSummary) {
        func count(_ number: Int, _ one: String, _ many: String) -> String {
            "\(number) \(number == 1 ? one : many)"
        }
        var line = [
            count(successes, "success", "successes"), count(failures, "failure", "failures"),
            count(errors, "error", "errors"), "\(pending) pending",
        ].joined(separator: " / ")
        line += " : \(TextEscapes.seconds(summary.seconds)) seconds"
        if summary.wasCancelled { line += ", interrupted" }
        if let seed = summary.shuffleSeed { line += ", shuffled by --seed \(seed)" }
        write(Array("\n\(line)\n".utf8))
        for text in rest { write(Array("\n\(text)\n".utf8)) }
        if summary.slowest.isEmpty { return }
        write(Array("\nSlowest:\n".utf8))
        for slow in summary.slowest {
            write(
                Array("\(ReadableReporter.milliseconds(slow.seconds))  \(VisibleText.line(slow.name))\n".utf8)
            )
        }
    }

    private func show(_ character: String, _ colour: (String) -> String) {
        write(Array(colour(character).utf8))
    }

    private mutating func tell(
        _ word: String,
        _ name: String,
        _ lines: [String],
        _ colour: (String) -> String
    ) {
        rest.append(([colour(word) + " → " + style.bold(name)] + lines).joined(separator: "\n"))
    }
}
