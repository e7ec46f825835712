internal import OpScript

/// The lines that are printed about a run that has ended.
enum RunSummary {
    /// The lines for standard error, in order.
    ///
    /// - Parameters:
    ///   - told: The places of the failures that were reported while it ran.
    ///   - isForPrograms: Whether failures, and the error that ended the run, are lines of JSON.
    static func lines(
        _ report: ScriptReport,
        name: String,
        isQuiet: Bool,
        told: Set<Int> = [],
        isForPrograms: Bool = false
    ) -> [String] {
        var lines: [String] = []
        for (place, failure) in report.failures.enumerated() where !failure.isHandled {
            if !told.contains(place) {
                lines.append(isForPrograms ? ProgressText.json(failure) : text(failure) + notRun(failure))
            } else if failure.notRun.count > 0, !isForPrograms {
                let cause = VisibleText.line(failure.name)
                lines.append("\(name): not run because of '\(cause)': \(list(failure.notRun))")
            }
        }
        if let error = report.error, !isEcho(error, of: report) {
            let asJSON = isForPrograms ? ProgressText.json(error, among: report.failures) : nil
            lines.append(asJSON ?? text(error, name))
        }
        lines += report.stuck.map { "\(name): \(VisibleText.line($0))" }
        // An error may have stopped the script before it could add the operation. A deadlock may be due to one that
        // was forgotten.
        let showsHints = !isQuiet && (report.error == nil || report.error?.code == .deadlock)
        if showsHints { lines += counted(report.neverAdded).map { "\(name): \(VisibleText.line($0))" } }
        return lines
    }

    /// Each sentence once, in the order of the first ones, and how often it comes.
    private static func counted(_ sentences: [String]) -> [String] {
        var counts: [String: Int] = [:]
        for sentence in sentences { counts[sentence, default: 0] += 1 }
        return sentences.compactMap { sentence in
            counts.removeValue(forKey: sentence).map { $0 == 1 ? sentence : "\(sentence) (\($0) times)" }
        }
    }

    /// Whether there is anything to count.
    static func hasTotals(_ report: ScriptReport) -> Bool {
        report.succeeded + report.failed + report.handled + report.cancelled + report.skipped > 0
    }

    /// The end of a run, in one line: `opscript: 10 succeeded, 1 failed, 51 not run in 7.2 s`.
    static func totals(_ report: ScriptReport, name: String) -> String {
        var parts: [String] = []
        if hasTotals(report) || report.steps == 0 {
            parts.append("\(report.succeeded) succeeded")
        } else {
            parts.append(report.steps == 1 ? "1 step" : "\(report.steps) steps")
        }
        if report.failed > 0 { parts.append("\(report.failed) failed") }
        if report.handled > 0 {
            parts.append(report.handled == 1 ? "1 failure handled" : "\(report.handled) failures handled")
        }
        let cancelled = report.cancelled + report.skipped - report.notRun
        if cancelled > 0 { parts.append("\(cancelled) cancelled") }
        if report.notRun > 0 { parts.append("\(report.notRun) not run") }
        return "\(name): \(parts.joined(separator: ", ")) in \(SecondsText.short(report.duration))"
    }

    /// A failure, with the place where it was raised, as far as it is known when it happens. Names cannot change the
    /// terminal; the error is the script's.
    static func text(_ failure: ScriptReport.Failure) -> String {
        let place = failure.createdAt.isEmpty ? "" : " (\(VisibleText.line(failure.createdAt)))"
        let duration = SecondsText.short(failure.duration)
        // The duration is that of one attempt, and the operation may have had several.
        let when =
            failure.attempts > 1
            ? "in attempt \(failure.attempts), after \(duration)" : "after \(duration)"
        var text = "failed: '\(VisibleText.line(failure.name))'\(place) \(when): "
        // The failures inside a group stand before its own.
        switch failure.failedInside {
        case 0: text += failure.message
        case 1: text += "an operation inside it failed"
        default: text += "\(failure.failedInside) operations inside it failed"
        }
        if let path = OutputArchive.file(for: failure) { text += "\n(the whole output: \(path))" }
        if let traceback = failure.traceback, showsPlace(traceback, of: failure.error) {
            text += "\n" + indented(traceback)
        }
        return text
    }

    private static func notRun(_ failure: ScriptReport.Failure) -> String {
        failure.notRun.count > 0 ? "\n(not run because of it: \(list(failure.notRun)))" : ""
    }

    /// The operations that did not run and that no shown failure names; nil if there are none, or if the whole run was
    /// cancelled, or ended by an error.
    static func notRunForOtherReasons(_ report: ScriptReport, name: String) -> String? {
        guard !report.wasCancelled, report.error == nil else { return nil }
        var others = report.notRunForOtherReasons
        for failure in report.failures where failure.isHandled { others.add(failure.notRun) }
        return others.count > 0 ? "\(name): not run for other reasons: \(list(others))" : nil
    }

    /// `link, test, and 12 more`.
    private static func list(_ operations: ScriptReport.NotRun) -> String {
        let names = operations.names.map { VisibleText.line($0) }.joined(separator: ", ")
        let more = operations.count - operations.names.count
        return more > 0 ? "\(names), and \(more) more" : names
    }

    private static func text(_ error: ScriptError, _ name: String) -> String {
        var text = "\(name): \(error.message)"
        if let traceback = error.traceback, !traceback.isEmpty, showsPlace(traceback, of: error) {
            text += "\n" + traceback
        }
        return text
    }

    /// Whether a reader wants the traceback. `error(text, 0)` says that the place does not matter: such a message
    /// begins with the place of no frame.
    private static func showsPlace(_ traceback: String, of error: ScriptError) -> Bool {
        let frames = traceback.split(separator: "\n").dropFirst().map { $0.drop { $0 == "\t" || $0 == " " } }
        // The text of another value than a string has no place.
        guard frames.first == "[C]: in function 'error'", error.underlying == nil else { return true }
        return frames.dropFirst().contains { (frame: Substring) in
            guard let end = frame.firstRange(of: ": in ") else { return false }
            return error.message.hasPrefix("\(frame[..<end.lowerBound]): ")
        }
    }

    /// The error of a main chunk that was cancelled with the run, or that called `os.exit`, contains nothing
    /// new.
    private static func isEcho(_ error: ScriptError, of report: ScriptReport) -> Bool {
        (report.wasCancelled || report.exitRequest != nil) && error.code == .cancelled
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: true).map { "    \($0)" }.joined(
            separator: "\n"
        )
    }
}
