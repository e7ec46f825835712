import Foundation

/// The manual page `opscript.1`, made from the descriptions of the options.
struct RoffPage {
    private(set) var text = ""

    init(_ root: HelpDump.Command, below: [HelpDump.Command], version: String) {
        line(".\\\" Made by ShellFilesTests from the descriptions of the options: change those.")
        line(".TH OPSCRIPT 1 \"\" \"\(version)\" \"User Commands\"")
        line(".SH NAME")
        line(Self.escaped("\(root.commandName) - \(Self.lowercasedStart(root.abstract ?? ""))"))
        line(".SH SYNOPSIS")
        synopsis("[options] [script [arguments ...]]")
        for command in below {
            line(".br")
            synopsis("\(command.commandName.dropFirst("opscript ".count)) [options]\(words(of: command))")
        }
        line(".SH DESCRIPTION")
        let parts = (root.discussion ?? "").components(separatedBy: "\n\n")
        for part in parts where !part.hasPrefix("Exit status") { paragraph(part) }
        line(".PP")
        line("A script can declare its own options and tasks:")
        line(".B opscript \\-\\-list")
        line(".I script")
        line("shows them.")
        line(".SH OPTIONS")
        options(of: root)
        for command in below {
            line(".SH \"\(command.commandName.uppercased())\"")
            paragraph(command.abstract ?? "")
            for part in (command.discussion ?? "").components(separatedBy: "\n\n") { paragraph(part) }
            options(of: command)
        }
        line(".SH \"EXIT STATUS\"")
        for part in parts where part.hasPrefix("Exit status: ") {
            paragraph(part.dropFirst("Exit status: ".count) + "")
        }
        line(".SH EXAMPLES")
        for (call, meaning) in Self.examples {
            line(".TP")
            line(".B \(Self.escaped(call))")
            line(Self.escaped(meaning))
        }
        line(".SH \"SEE ALSO\"")
        line(".BR lua (1)")
    }

    private static let examples = [
        ("opscript job.lua cats/", "Runs a script with one argument."),
        ("opscript --plan job.lua", "Shows the operations that the script adds, and starts none."),
        ("opscript job.lua build", "Runs the task 'build' of a script."),
        ("opscript works file", "Lists the works whose names begin with 'file'."),
        ("opscript test spec", "Runs the scenarios of a folder."),
    ]

    // MARK: Parts

    private func words(of command: HelpDump.Command) -> String {
        (command.arguments ?? []).filter { $0.kind == "positional" && $0.shouldDisplay }
            .map { " [\($0.valueName ?? "")\($0.isRepeating ? " ..." : "")]" }.joined()
    }

    private mutating func synopsis(_ rest: String) {
        line(".B opscript")
        line(Self.escaped(rest))
    }

    private mutating func options(of command: HelpDump.Command) {
        var section: String?
        for argument in command.arguments ?? [] where argument.shouldDisplay {
            if let title = argument.sectionTitle, title != section {
                section = title
                line(".SS \"\(title)\"")
            }
            line(".TP")
            let value = argument.valueName.map { "\\fI\(Self.escaped($0))\\fR" } ?? ""
            if argument.kind == "positional" {
                line(value + (argument.isRepeating ? " ..." : ""))
            } else {
                let names = (argument.names ?? []).map { "\\fB\(Self.escaped($0.text))\\fR" }
                line(names.joined(separator: ", ") + (argument.kind == "option" ? " \(value)" : ""))
            }
            line(Self.escaped(argument.abstract ?? ""))
        }
    }

    private mutating func paragraph(_ text: String) {
        guard !text.isEmpty else { return }
        line(".PP")
        line(Self.escaped(text.replacing("\n", with: " ")))
    }

    private mutating func line(_ line: String) { text += line + "\n" }

    /// The text without meaning for roff.
    private static func escaped(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing(
            "'",
            with: "\\(aq"
        )
        return escaped.hasPrefix(".") ? "\\&\(escaped)" : escaped
    }

    private static func lowercasedStart(_ text: String) -> String {
        String(text.prefix(1).lowercased() + text.dropFirst().prefix { $0 != "\n" })
    }
}
