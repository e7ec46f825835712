internal import OpScript

/// The texts of `help` at the prompt.
struct PromptHelp {
    /// Columns of a text.
    private static let columns = 78

    private static let contract = ContractNames()

    private let works: [WorkDescription]
    private let reference = ReferenceText()

    init(_ works: [WorkDescription]) { self.works = works }

    /// The text for a topic; nil if there is none. A question mark in front of a name asks for the text that there is
    /// none.
    func text(of topic: String) -> String? {
        if topic.isEmpty { return Self.overview }
        if topic == "exit" {
            return "exit, exit(status)\n  Leaves the prompt, as Ctrl-D does on an empty line."
        }
        if topic.hasPrefix("?") { return missing(String(topic.dropFirst())) }
        if topic == "work" { return WorksText.list(works) + "\nhelp \"work.NAME\" describes one." }
        let exact = topic.hasPrefix("work.") ? [] : reference.entries.filter { $0.path == topic }
        if !exact.isEmpty { return exact.map(details).joined(separator: "\n\n") }
        let name = topic.hasPrefix("work.") ? String(topic.dropFirst(5)) : topic
        if let work = works.first(where: { $0.name == name }) { return trimmed(WorksText.details(work)) }
        let below = works.filter { $0.name.hasPrefix(name + ".") }
        if !below.isEmpty { return trimmed(WorksText.list(below)) }
        let own = reference.entries.filter { $0.section == topic }
        if !own.isEmpty, topic.first?.isUppercase == true { return list(own) }
        let found = entries(of: topic)
        return found.isEmpty ? nil : found.map(details).joined(separator: "\n\n")
    }

    private static let overview = """
        help(x) or help "name" describes a value, a type, a call, a property or a work:
          help(OperationQueue)   its calls and properties
          help "addDependency"   a call or a property of any type
          help "work"            all works; help(work.file.read) describes one

        A line is run at once; an unfinished one continues on the next.
          x                      shows a value; _ is the last one
          local x = 1            later lines see it
          await(op)              waits, and shows progress; timers and operations continue
          exit                   leaves, as Ctrl-D does on an empty line

        Keys: Tab completes names, options and, in quotes, files. Up and Down search the
        history for lines that contain what is typed; Ctrl-R searches as you type.
        Ctrl-C cancels the line that runs, or clears the one that is typed.
        """

    private func trimmed(_ text: String) -> String { text.hasSuffix("\n") ? String(text.dropLast()) : text }

    /// The entries that a name means: `Operation.name`, `queue:addOperation`, `addOperation`, `await.all`.
    private func entries(of topic: String) -> [ReferenceText.Entry] {
        if let found = Optional(reference.entries.filter { $0.path == topic }), !found.isEmpty {
            return found
        }
        let parts = topic.split { $0 == "." || $0 == ":" }.map(String.init)
        guard let last = parts.last, parts.count == 2 else { return [] }
        return reference.entries.filter { entry in
            entry.path == last && (entry.section == parts[0] || entry.title.hasPrefix(topic + "("))
        }
    }

    private func list(_ entries: [ReferenceText.Entry]) -> String {
        var lines: [String] = []
        let calls = entries.filter { !$0.isProperty }
        let properties = entries.filter(\.isProperty)
        for entry in calls {
            lines.append(entry.title)
            lines += wrapped(firstSentence(entry.details.first ?? ""), indent: "    ")
        }
        if !properties.isEmpty { lines += ["", "Properties:"] }
        for entry in properties {
            lines.append(
                "  \(entry.title)"
                    + (entry.details.first == "no" ? "" : " (can be set \(entry.details.first ?? ""))")
            )
            lines += wrapped(firstSentence(entry.details.last ?? ""), indent: "    ")
        }
        return (lines + ["", "help \"name\" shows more about one of them."]).joined(separator: "\n")
    }

    private func firstSentence(_ text: String) -> String {
        for place in text.indices where text[place...].hasPrefix(". ") { return String(text[..<place]) }
        return text
    }

    private func details(_ entry: ReferenceText.Entry) -> String {
        var lines: [String]
        if entry.isProperty {
            lines = ["\(entry.section).\(entry.title)"]
            let settable = entry.details.first ?? "no"
            lines += wrapped(settable == "no" ? "can only be read" : "can be set \(settable)", indent: "  ")
            if entry.details.count > 1, !entry.details[1].isEmpty {
                lines += wrapped("takes \(entry.details[1])", indent: "  ")
            }
            lines += wrapped(entry.details.last ?? "", indent: "  ")
        } else {
            lines = [entry.title]
            lines += wrapped(entry.details.first ?? "", indent: "  ")
            if entry.details.count > 1, !entry.details[1].isEmpty {
                lines += wrapped("errors: \(entry.details[1])", indent: "  ")
            }
        }
        let paths =
            entry.isProperty
            ? ["\(entry.section).\(entry.path)"] : [entry.path, "\(entry.section):\(entry.path)"]
        if let list = paths.lazy.compactMap({ Self.contract.optionLists[$0] }).first {
            lines += options(list)
        }
        return lines.joined(separator: "\n")
    }

    /// The options of a table, each with the values that it takes.
    private func options(_ list: ContractNames.OptionList) -> [String] {
        let width = list.rows.map(\.name.count).max() ?? 0
        var lines = ["  \(list.title):"]
        for row in list.rows {
            let gap = String(repeating: " ", count: width - row.name.count + 2)
            let takes = wrapped(row.takes, indent: String(repeating: " ", count: width + 6))
            lines.append("    \(row.name)\(gap)" + (takes.first ?? "").drop { $0 == " " })
            lines += takes.dropFirst()
        }
        if let type = list.type { lines.append("    and the properties of \(type) that can be set") }
        return lines
    }

    private func missing(_ name: String) -> String {
        let names =
            reference.entries.flatMap { [$0.path, $0.section] }
            + works.flatMap { [$0.name, "work.\($0.name)"] }
        return "there is no help for '\(name)'\(suggestion(for: name, among: Array(Set(names)).sorted()))"
    }

    private func wrapped(_ text: String, indent: String) -> [String] {
        var lines: [String] = []
        var line = indent
        for word in text.split(separator: " ") {
            if line.count + word.count >= Self.columns, line != indent {
                lines.append(line)
                line = indent
            }
            line += (line == indent ? "" : " ") + word
        }
        return line == indent ? lines : lines + [line]
    }
}
