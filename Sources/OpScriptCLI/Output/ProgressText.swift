internal import OpScript
internal import OpScriptSlurm

/// Texts about the progress of a run.
enum ProgressText {
    /// `12 / 40 done, 2 running (cc a.c 3.1 s, ld 0.2 s), 1 failed, 31 s`.
    static func line(_ status: ScriptStatus, elapsed: Double, cluster: ClusterSummary? = nil) -> String {
        var parts = ["\(status.finished) / \(status.total) done"]
        let named = status.running.prefix(4).map {
            "\(VisibleText.line($0.name)) \(SecondsText.short($0.seconds))"
        }
        if status.running.isEmpty {
            parts.append("0 running")
        } else {
            let more = status.running.count > named.count ? ", …" : ""
            let running = max(0, status.runningCount - (cluster?.waiting ?? 0))
            parts.append("\(running) running (\(named.joined(separator: ", "))\(more))")
        }
        if let cluster, cluster.waiting > 0 { parts.append("\(cluster.waiting) waiting") }
        if let cluster { parts.append("slurm: \(cluster.text)") }
        if let text = retrying(status) { parts.append(text) }
        parts.append("\(status.failed) failed")
        parts.append(SecondsText.short(elapsed))
        return parts.joined(separator: ", ")
    }

    /// Lines for a terminal: the numbers, then the running operations, the longest first, as many as fit.
    ///
    /// - Parameters:
    ///   - rows: The most lines.
    ///   - columns: The most columns of a line.
    ///   - cluster: Where the bodies on a cluster are; nil for none.
    static func lines(
        _ status: ScriptStatus,
        elapsed: Double,
        cluster: ClusterSummary? = nil,
        rows: Int,
        columns: Int,
        takesColours: Bool
    ) -> [String] {
        var parts: [String] = []
        // The main chunk alone may wait, for steps of its own.
        if status.total > 0 {
            parts.append("\(status.finished) of \(status.total)\(status.isGrowing ? " so far" : "") done")
        }
        let waiting = cluster?.waiting ?? 0
        parts.append("\(max(0, status.runningCount - waiting)) running")
        if waiting > 0 { parts.append("\(waiting) waiting") }
        if let text = retrying(status) { parts.append(text) }
        if status.failed > 0 { parts.append("\(status.failed) failed") }
        parts.append(SecondsText.short(elapsed))
        if let rest = estimate(status, elapsed: elapsed) {
            parts.append("about \(SecondsText.short(rest)) left")
        }
        let first = cut(parts.joined(separator: ", "), toColumns: columns)
        var lines = [takesColours && status.failed > 0 ? "\u{1B}[31m\(first)\u{1B}[0m" : first]
        var rows = rows
        if let cluster, rows > 2 {
            lines.append(cut("  slurm: \(VisibleText.line(cluster.text))", toColumns: columns))
            rows -= 1
        }
        let shown = status.running.count <= rows - 1 ? status.running.count : max(0, rows - 2)
        for place in 0..<min(shown, status.running.count) {
            let running = status.running[place]
            let time = "  \(SecondsText.short(running.seconds))  "
            var facts = ""
            if let fraction = running.fraction { facts += "  \(Int((fraction * 100).rounded())) %" }
            if let said = running.text { facts += "  \(VisibleText.line(said))" }
            // A long name leaves half of the line to what is said about it.
            let space = max(0, columns - width(of: time))
            let name = cut(
                VisibleText.line(running.name),
                toColumns: max(space / 2, space - width(of: facts))
            )
            lines.append(cut(time + name + facts, toColumns: columns))
        }
        if shown < status.runningCount, rows > 1 {
            lines.append(cut("  … and \(status.runningCount - shown) more", toColumns: columns))
        }
        return lines
    }

    private static func retrying(_ status: ScriptStatus) -> String? {
        switch status.retryingCount {
        case 0: nil
        case 1: "1 waits for a retry"
        default: "\(status.retryingCount) wait for a retry"
        }
    }

    /// The estimated seconds until the end of what was added so far; nil while there is no estimate. Operations of one
    /// kind are assumed to take equally long, and as many to run at once as until now.
    static func estimate(_ status: ScriptStatus, elapsed: Double) -> Double? {
        guard status.total > status.finished, elapsed > 1, let rest = status.remainingWork else { return nil }
        // The mean number of operations that ran at once.
        let parallelism = status.finishedWork / elapsed
        // Nothing is left of operations that take longer than those before: then nothing is known.
        if parallelism > 0.1 { return rest / parallelism >= 0.5 ? rest / parallelism : nil }
        // Operations that take no time themselves continue at their pace.
        guard status.finished >= 5 else { return nil }
        return elapsed / Double(status.finished) * Double(status.total - status.finished)
    }

    /// A line of JSON for other programs.
    static func json(_ status: ScriptStatus, elapsed: Double, cluster: ClusterSummary? = nil) -> String {
        var text = "{\"type\":\"progress\",\"finished\":\(status.finished),\"total\":\(status.total)"
        text +=
            ",\"growing\":\(status.isGrowing),\"retrying\":\(status.retryingCount)"
        text += ",\"failed\":\(status.failed),\"elapsed\":\(decimal(elapsed))"
        if let rest = estimate(status, elapsed: elapsed) { text += ",\"left\":\(decimal(rest))" }
        if let cluster { text += ",\"cluster\":\(quoted(cluster.text))" }
        text += ",\"running\":["
        text += status.running.prefix(16).map { running in
            var text = "{\"name\":\(quoted(running.name)),\"seconds\":\(decimal(running.seconds))"
            if let fraction = running.fraction { text += ",\"fraction\":\(decimal(fraction))" }
            if let said = running.text { text += ",\"text\":\(quoted(said))" }
            return text + "}"
        }.joined(separator: ",")
        return text + "]}"
    }

    /// A failure as a line of JSON.
    static func json(_ failure: ScriptReport.Failure) -> String {
        json(
            failureOf: failure.name,
            failure.createdAt,
            seconds: failure.duration,
            failure.message,
            failure.traceback
        )
    }

    /// An error that ended the run, or came after it, as a failure: a line of JSON.
    ///
    /// - Parameter failures: The failures of the operations, among which the error may be.
    static func json(_ error: ScriptError, among failures: [ScriptReport.Failure] = []) -> String {
        let failure = failures.last {
            $0.name == error.operationName && $0.createdAt == error.createdAt && $0.error.code == error.code
        }
        return json(
            failureOf: error.operationName ?? "",
            error.createdAt ?? "",
            seconds: failure?.duration ?? 0,
            error.message,
            error.traceback
        )
    }

    private static func json(
        failureOf name: String,
        _ place: String,
        seconds: Double,
        _ message: String,
        _ traceback: String?
    ) -> String {
        var text = "{\"type\":\"failure\",\"name\":\(quoted(name)),\"place\":\(quoted(place))"
        text += ",\"seconds\":\(decimal(seconds)),\"error\":\(quoted(message))"
        if let traceback, !traceback.isEmpty { text += ",\"traceback\":\(quoted(traceback))" }
        return text + "}"
    }

    /// A diagnosis beside lines of JSON: none of its lines looks like an object.
    static func besideJSON(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n    ")
    }

    /// The end of a run as a line of JSON.
    static func json(_ report: ScriptReport, status: Int32) -> String {
        "{\"type\":\"end\",\"succeeded\":\(report.succeeded),\"failed\":\(report.failed)"
            + ",\"handled\":\(report.handled),\"cancelled\":\(report.cancelled),\"skipped\":\(report.skipped)"
            + ",\"steps\":\(report.steps),\"elapsed\":\(decimal(report.duration)),\"status\":\(status)}"
    }

    private static func decimal(_ seconds: Double) -> String {
        seconds.isFinite ? "\((seconds * 1000).rounded() / 1000)" : "0"
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20 || scalar.value == 0x7f:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// How many columns a line takes, without the sequences that only set its colour.
    static func width(of line: String) -> Int {
        var columns = 0
        var isEscape = false
        for character in line {
            if character == "\u{1B}" { isEscape = true }
            if !isEscape { columns += width(character) }
            if isEscape, character == "m" { isEscape = false }
        }
        return columns
    }

    /// The text as far as it fits in so many columns, with `…` at the end if something is missing.
    static func cut(_ text: String, toColumns limit: Int) -> String {
        var columns = 0
        var kept = text.startIndex
        for index in text.indices {
            columns += width(text[index])
            // The last column is for the ellipsis, unless nothing is missing.
            if columns <= limit - 1 { kept = text.index(after: index) }
            if columns > limit { return limit < 1 ? "" : text[..<kept] + "…" }
        }
        return text
    }

    /// How many columns of a terminal a character takes.
    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        // The ranges that are wide in every version of Unicode: Hangul, kana, ideographs, full-width forms, pictures.
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default:
            return 1
        }
    }
}
