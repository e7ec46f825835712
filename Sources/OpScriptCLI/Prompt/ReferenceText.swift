/// The reference of the manual, for `help` at the prompt.
struct ReferenceText {
    /// A call or a property.
    struct Entry: Equatable {
        /// The type, or the heading under which it stands.
        var section: String
        /// The first cell of its row: `op:addDependency(other [, when])`, `name`.
        var title: String
        var isProperty: Bool
        /// The result of a call and its errors; or until when a property can be set, its values, and its meaning.
        var details: [String]

        /// `addDependency`, `Timer.cron`, `name`.
        var path: String {
            let call = title.prefix { $0 != "(" }
            return String(call.split(separator: ":").last ?? call)
        }
    }

    let entries: [Entry]

    init() {
        var section = ""
        var entries: [Entry] = []
        for line in (Self.operations + "\n" + Self.dispatch + "\n" + Self.functions).split(separator: "\n") {
            if line.hasPrefix("# ") {
                section = String(line.dropFirst(2))
                continue
            }
            // An empty cell leaves a separator at the end.
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(Self.trimmed)
            guard cells.count > 2 else { continue }
            entries.append(
                Entry(
                    section: section,
                    title: cells[1],
                    isProperty: cells[0] == "P",
                    details: Array(cells[2...])
                )
            )
        }
        self.entries = entries
    }

    private static func trimmed(_ cell: Substring) -> String {
        String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
