/// The help of a script: its usage, arguments, options and tasks, in the form of the command's own help.
struct ArgumentHelp {
    /// A task with its one line of help.
    struct Task: Equatable {
        var name: String
        var help: String
    }

    /// The words that call the script: `opscript job.lua`.
    var program: String
    var arguments = ArgumentSet()
    var tasks: [Task] = []
    /// Whether the script takes tasks, although none may be known yet.
    var takesTasks = false
    /// How many columns a line has.
    var width = 80

    /// The whole help; each line ends with a line feed.
    var text: String {
        var sections: [String] = []
        if let help = arguments.help {
            let lines = "OVERVIEW: \(help)".split(separator: "\n", omittingEmptySubsequences: false)
            sections.append(lines.map { wrapped(String($0), indent: 0) }.joined(separator: "\n"))
        }
        sections.append(usage)
        add("ARGUMENTS", arguments.positionals.map { ($0.shownValue, note($0)) }, to: &sections)
        let help = (arguments.helpIsShort ? "-h, --help" : "--help", "Show this help.")
        add("OPTIONS", arguments.options.map { (label($0), note($0)) } + [help], to: &sections)
        add("TASKS", tasks.map { ($0.name, $0.help) }, to: &sections)
        return sections.joined(separator: "\n\n") + "\n"
    }

    /// The tasks alone, for a call that names none.
    var taskList: String {
        var sections = [usage]
        add("TASKS", tasks.map { ($0.name, $0.help) }, to: &sections)
        return sections.joined(separator: "\n\n") + "\n"
    }

    private var usage: String {
        if let usage = arguments.usage {
            let text = usage.lowercased().hasPrefix("usage") ? usage : "USAGE: \(usage)"
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            return lines.map { $0.count > width ? wrapped(String($0), indent: 7) : String($0) }
                .joined(separator: "\n")
        }
        var words = [program]
        for option in arguments.options {
            let shown = option.isFlag ? offName(option) ?? option.name : "\(option.name) \(option.shownValue)"
            words.append((option.isRequired ? shown : "[\(shown)]") + (option.isMany ? " ..." : ""))
        }
        if takesTasks || !tasks.isEmpty {
            words.append(arguments.positionals.isEmpty ? "<task> ..." : "<task>")
        }
        for argument in arguments.positionals {
            let shown = argument.shownValue + (argument.isMany ? " ..." : "")
            words.append(argument.isRequired ? shown : "[\(shown)]")
        }
        return wrapped("USAGE: " + words.joined(separator: "\u{1}"), indent: 7)
            .replacing("\u{1}", with: " ")
    }

    /// `--no-color`, if the flag is on by default.
    private func offName(_ flag: ArgumentDeclaration) -> String? {
        guard flag.initial == [.boolean(true)], flag.name.hasPrefix("--") else { return nil }
        return "--no-" + flag.name.dropFirst(2)
    }

    private func label(_ option: ArgumentDeclaration) -> String {
        let names = (option.names.filter { !$0.hasPrefix("--") } + option.names.filter { $0.hasPrefix("--") })
            .joined(separator: ", ")
        if option.isFlag { return offName(option).map { "\(names) / \($0)" } ?? names }
        return "\(names) \(option.shownValue)"
    }

    private func note(_ argument: ArgumentDeclaration) -> String {
        var notes: [String] = []
        if !argument.choices.isEmpty {
            notes.append("values: " + argument.choices.map(\.shown).joined(separator: ", "))
        }
        if let initial = argument.initial, !initial.isEmpty, initial != [.boolean(false)] {
            notes.append("default: " + initial.map(\.shown).joined(separator: ", "))
        }
        if argument.isRequired, argument.isOption { notes.append("required") }
        if argument.isMany, argument.isOption { notes.append("may be repeated") }
        let note = notes.isEmpty ? "" : "(\(notes.joined(separator: "; ")))"
        return [argument.help, note].filter { !$0.isEmpty }.joined(separator: " ")
    }

    // MARK: Layout

    private func add(_ title: String, _ rows: [(String, String)], to sections: inout [String]) {
        guard !rows.isEmpty else { return }
        var lines = ["\(title):"]
        for (label, note) in rows {
            let column = 26
            let start = "  \(label)"
            if note.isEmpty {
                lines.append(start)
            } else if start.count < column - 1 {
                let padded = start + String(repeating: " ", count: column - start.count)
                lines.append(wrapped(padded + note.replacing("\n", with: " "), indent: column, from: column))
            } else {
                lines.append(start)
                let indent = String(repeating: " ", count: column)
                lines.append(wrapped(indent + note.replacing("\n", with: " "), indent: column, from: column))
            }
        }
        sections.append(lines.joined(separator: "\n"))
    }

    /// Breaks a line at blanks and at marks between the words of a usage, so that it fits.
    private func wrapped(_ text: String, indent: Int, from start: Int = 0) -> String {
        let mark: Character = text.contains("\u{1}") ? "\u{1}" : " "
        var lines: [String] = []
        var line = String(text.prefix(start))
        var isEmpty = true
        for word in text.dropFirst(start).split(separator: mark, omittingEmptySubsequences: true) {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: indent)
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        lines.append(line)
        return lines.joined(separator: "\n")
    }
}
