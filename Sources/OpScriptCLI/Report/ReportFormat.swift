internal import OpScriptRecord

/// A form in which a report is written: one of the record's own, or a drawing by Graphviz.
enum ReportFormat: Equatable {
    case record(RecordFormat)
    case svg

    /// The endings of file names, for messages.
    static let endings = ".html, .jsonl, .dot, .mmd, .svg and .pftrace"

    /// The format for a path; nil for an unknown ending.
    init?(path: String) {
        if path.lowercased().hasSuffix(".svg") {
            self = .svg
        } else if let format = RecordFormat(fileName: path) {
            self = .record(format)
        } else {
            return nil
        }
    }
}
