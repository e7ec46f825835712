internal import OpScript

/// The lines about the journal of a run that has ended.
enum JournalText {
    /// The account of a run: `opscript: journal: 5 recorded, 2 up to date, 1 run`; empty if nothing was
    /// recorded before.
    static func account(_ report: JournalReport, name: String) -> [String] {
        guard report.recorded + report.upToDate + report.unasked > 0 else { return [] }
        var parts: [String] = []
        if report.recorded > 0 { parts.append("\(report.recorded) recorded") }
        if report.upToDate > 0 { parts.append("\(report.upToDate) up to date") }
        parts.append("\(report.ran) run")
        var line = "\(name): journal: \(parts.joined(separator: ", "))"
        if report.unasked > 0 {
            line += "; entries that no operation asked for: \(report.unasked)"
        }
        return [line]
    }
}
