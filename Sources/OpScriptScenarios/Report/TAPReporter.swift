/// Reports the results of scenarios in the Test Anything Protocol, version 14.
package struct TAPReporter: ScenarioReporter {
    private let write: @Sendable ([UInt8]) -> Void
    private var count = 0
    private var hasBegun = false

    /// Makes a reporter; `write` receives whole lines.
    package init(write: @escaping @Sendable ([UInt8]) -> Void) { self.write = write }

    /// A file was loaded.
    package mutating func fileBegan(_ path: String, _ listing: ScenarioListing) {
        begin()
        line("# \(TextEscapes.tap(path))")
        guard !listing.problems.isEmpty else { return }
        comment(listing.output)
        for problem in listing.problems { self.problem(path, problem, output: []) }
    }

    /// A problem outside scenarios was found.
    package mutating func problem(_ path: String, _ problem: ScenarioProblem, output: [UInt8]) {
        comment(output)
        point(
            false,
            problem.context.isEmpty ? "\(path): outside of scenarios" : "\(path): \(problem.context)"
        )
        details([problem], leaks: [], file: path, seconds: nil)
    }

    /// A note or a warning.
    package mutating func noted(_ path: String, _ note: String) { comment(Array("note: \(note)".utf8)) }

    /// A scenario has ended.
    package mutating func ended(_ result: ScenarioResult) {
        comment(result.output)
        switch result.outcome {
        case .passed:
            point(true, result.name)
            line("  ---")
            if let count = result.interleavings { line("  interleavings: \(count)") }
            line("  duration_ms: \(milliseconds(result.duration))\n  ...")
        case .pending(let reason):
            point(true, result.name, directive: "SKIP \(reason ?? "pending")")
        case .failed:
            point(false, result.name)
            details(
                result.problems,
                leaks: result.leaks,
                file: result.scenario.file,
                seconds: result.duration,
                chance: chance(result)
            )
        }
        for note in result.notes { comment(Array("note: \(note)".utf8)) }
    }

    /// No more results follow.
    package mutating func finished(_ summary: ScenarioSummary) {
        begin()
        if summary.wasCancelled { line("Bail out! interrupted") }
        line("1..\(count)" + (count == 0 ? " # SKIP there is no scenario" : ""))
        if let seed = summary.shuffleSeed { line("# shuffled by --seed \(seed)") }
    }

    private mutating func begin() {
        if !hasBegun { line("TAP version 14") }
        hasBegun = true
    }

    private mutating func point(_ isGood: Bool, _ name: String, directive: String? = nil) {
        count += 1
        let end = directive.map { " # " + $0.map { $0.isNewline ? " " : String($0) }.joined() } ?? ""
        line("\(isGood ? "ok" : "not ok") \(count) - \(TextEscapes.tap(name))\(end)")
    }

    /// A block of YAML below a point; JSON strings are YAML strings.
    private func details(
        _ problems: [ScenarioProblem],
        leaks: [ScenarioLeak],
        file: String,
        seconds: Double?,
        chance: [String] = []
    ) {
        var lines = ["---"]
        let texts = problems.map(\.message) + leaks.map { "left behind: \($0.text)" }
        lines.append("message: \(TextEscapes.json(texts.joined(separator: "\n")))")
        lines.append("severity: \(problems.first?.kind == .error ? "error" : "fail")")
        let place =
            problems.first?.position(in: file) ?? leaks.first?.place.flatMap { SourcePosition($0, in: file) }
        if let place {
            lines += ["at:", "  file: \(TextEscapes.json(place.file))", "  line: \(place.line)"]
        }
        if let expected = problems.first?.expected { lines.append("expected: \(TextEscapes.json(expected))") }
        if let actual = problems.first?.actual { lines.append("actual: \(TextEscapes.json(actual))") }
        if let traceback = problems.first?.traceback {
            lines.append("stack: \(TextEscapes.json(traceback))")
        }
        lines += chance
        if let seconds { lines.append("duration_ms: \(milliseconds(seconds))") }
        lines.append("...")
        for text in lines { line("  \(text)") }
    }

    /// The seeds of the order and of all other randomness.
    private func chance(_ result: ScenarioResult) -> [String] {
        var lines = result.seed.map { ["seed: \"\($0)\""] } ?? []
        if let found = result.interleaving {
            lines += [
                "schedule: \"\(found.schedule)\"", "replay: \(TextEscapes.json(found.command))",
                "interleaving: \(found.iteration)",
            ]
        }
        return lines
    }

    private func milliseconds(_ seconds: Double) -> String { TextEscapes.seconds(seconds * 1000) }

    /// The output, as comments, so that it is not part of the protocol.
    private func comment(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        var text = String(decoding: bytes, as: UTF8.self)
        if text.hasSuffix("\n") { text.removeLast() }
        for part in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            line("# \(part)")
        }
    }

    private func line(_ text: String) { write(Array("\(text)\n".utf8)) }
}
