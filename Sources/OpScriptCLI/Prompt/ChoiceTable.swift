/// The choices of a completion in columns, as a shell shows them.
enum ChoiceTable {
    /// The most choices that are shown.
    private static let limit = 200

    /// Lines, each with its end; they are read down the columns.
    static func text(_ choices: [String], columns: Int) -> String {
        let shown = choices.prefix(limit)
        let cell = min((shown.map { ProgressText.width(of: $0) }.max() ?? 0) + 2, columns)
        let across = max(1, columns / max(1, cell))
        let rows = (shown.count + across - 1) / across
        var text = ""
        for row in 0..<rows {
            var line = ""
            for place in stride(from: row, to: shown.count, by: rows) {
                let choice = ProgressText.cut(shown[place], toColumns: columns)
                line += choice
                if place + rows < shown.count {
                    line += String(repeating: " ", count: max(0, cell - ProgressText.width(of: choice)))
                }
            }
            text += line + "\n"
        }
        if choices.count > shown.count { text += "… and \(choices.count - shown.count) more\n" }
        return text
    }
}
