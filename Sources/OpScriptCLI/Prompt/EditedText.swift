/// A line on a terminal while it is edited: how many rows it takes, and where its cursor is.
///
/// Pure. It follows the rules by which libedit draws a line.
struct EditedText: Equatable {
    /// The row of the cursor, from 0.
    private(set) var cursorRow = 0
    /// The last row, from 0.
    private(set) var lastRow = 0

    /// - Parameters:
    ///   - prompt: How many columns the prompt takes.
    ///   - text: The line.
    ///   - cursor: How many of its characters are before the cursor.
    ///   - columns: The columns of the terminal.
    init(prompt: Int, text: [Unicode.Scalar], cursor: Int, columns: Int) {
        let columns = max(1, columns)
        var (row, column) = (prompt / columns, prompt % columns)
        for (place, scalar) in text.enumerated() {
            if place == cursor { cursorRow = row }
            if scalar == "\n" {
                (row, column) = (row + 1, 0)
                continue
            }
            if scalar == "\t" {
                repeat { column += 1 } while column % 8 != 0 && column < columns
            } else {
                let width = Self.width(scalar)
                // A wide character is not cut at the end of a row.
                if column + width > columns { (row, column) = (row + 1, 0) }
                column += width
            }
            if column >= columns { (row, column) = (row + 1, 0) }
        }
        if cursor >= text.count { cursorRow = row }
        lastRow = row
    }

    /// How many columns a character takes when libedit shows it.
    private static func width(_ scalar: Unicode.Scalar) -> Int {
        // A control character is shown as `^A`.
        if scalar.value < 32 || scalar.value == 127 { return 2 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return ProgressText.width(of: String(Character(scalar)))
        }
    }
}
