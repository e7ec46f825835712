internal import ArgumentParser

/// The options of a command as its help has them, so that nothing has to repeat them.
struct OptionList {
    /// An option with all its names.
    struct Entry: Equatable {
        /// `--jobs` and `-j`, as they are written.
        var names: [String]
        /// The name of its value; nil for a flag.
        var value: String?
        var help: String
    }

    private(set) var entries: [Entry] = []

    /// Reads the options of a command that a name is given to.
    init(of command: any ParsableCommand.Type, _ identity: CommandIdentity) {
        self.init(
            help: CommandIdentity.$current.withValue(identity) {
                command.helpMessage(includeHidden: false, columns: 1000)
            }
        )
    }

    /// Reads the text of a help.
    init(help: String) {
        for line in help.split(separator: "\n") {
            if line.hasPrefix("  -") {
                add(line.drop { $0 == " " })
            } else if line.hasPrefix("      "), !entries.isEmpty {
                entries[entries.count - 1].help = String(line.drop { $0 == " " })
            }
        }
    }

    var names: [String] { entries.flatMap(\.names) }

    func entry(named name: String) -> Entry? { entries.first { $0.names.contains(name) } }

    /// `-j, --jobs <n>         How many …`
    private mutating func add(_ line: Substring) {
        var label = line
        var help = ""
        if let gap = line.firstRange(of: "  ") {
            label = line[..<gap.lowerBound]
            help = String(line[gap.upperBound...].drop { $0 == " " })
        }
        var value: String?
        if let start = label.firstIndex(of: "<"), let end = label.lastIndex(of: ">") {
            value = String(label[label.index(after: start)..<end])
            label = label[..<start]
        }
        let names = label.split { " ,/[]".contains($0) }.filter { $0.hasPrefix("-") }
        entries.append(Entry(names: names.map(String.init), value: value, help: help))
    }
}
