/// A terminal that keeps all of its lines: what a person sees after bytes were written.
///
/// It knows what live lines use: the cursor's column and row, going up, erasing, and wrapping. It also knows the
/// sequences of an editor of lines.
struct ScreenModel {
    private let columns: Int
    private var rows: [[Character]] = [[]]
    private var row = 0
    private var column = 0

    init(columns: Int) { self.columns = columns }

    /// The lines, without spaces at their ends and without empty lines at the end.
    var lines: [String] {
        var lines = rows.map { row in
            String(String(row).reversed().drop { $0 == " " }.reversed())
        }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    mutating func write(_ text: String) {
        var rest = Substring(text)
        while let character = rest.unicodeScalars.first {
            rest.unicodeScalars.removeFirst()
            switch character {
            case "\r": column = 0
            case "\u{8}": column = max(0, min(column, columns - 1) - 1)
            case "\u{7}": break
            case "\n":
                row += 1
                if row == rows.count { rows.append([]) }
            case "\u{1B}" where rest.first == "[":
                rest.removeFirst()
                let parameters = rest.prefix { !$0.isLetter }
                rest = rest.dropFirst(parameters.count)
                if let final = rest.popFirst() { perform(final, Int(parameters) ?? 0) }
            default: put(Character(character))
            }
        }
    }

    private mutating func perform(_ final: Character, _ count: Int) {
        switch final {
        case "A": row = max(0, row - max(1, count))
        case "B": row = min(rows.count - 1, row + max(1, count))
        case "C": column = min(columns - 1, column + max(1, count))
        case "D": column = max(0, min(column, columns - 1) - max(1, count))
        case "G": column = min(columns, max(1, count)) - 1
        case "P":
            let end = min(rows[row].count, column + max(1, count))
            if column < end { rows[row].removeSubrange(column..<end) }
        case "@":
            while rows[row].count < column { rows[row].append(" ") }
            rows[row].insert(contentsOf: repeatElement(" ", count: max(1, count)), at: column)
        case "K": rows[row] = count == 2 ? [] : Array(rows[row].prefix(column))
        case "J":
            rows[row] = Array(rows[row].prefix(column))
            rows.removeSubrange((row + 1)...)
        default: break
        }
    }

    private mutating func put(_ character: Character) {
        if column == columns {
            column = 0
            row += 1
            if row == rows.count { rows.append([]) }
        }
        while rows[row].count <= column { rows[row].append(" ") }
        rows[row][column] = character
        column += 1
    }
}
