internal import OpScript

/// The candidates for a word of a command line, for the completion scripts of shells.
///
/// A script calls `opscript ---complete 1 opscript --ti`: the place of the word, and all words. Each candidate is a
/// line with its note behind a tab; the line `:files` asks for names of files as well.
///
/// The words behind a script are its own. Its options and tasks are found in its text, as far as they are plain strings
/// there: the script is not run, since a press of the Tab key must not change anything.
struct ShellCompletion {
    /// The word that calls the command for its candidates.
    static let word = "---complete"
    private static let files = ":files"

    let identity: CommandIdentity
    private let before: [String]
    private let current: String
    private var lines: [String] = []

    /// The lines for words such as `1 opscript --ti`.
    static func lines(_ words: [String], for identity: CommandIdentity) -> [String] {
        guard let place = words.first.flatMap({ Int($0) }), place > 0, words.count > 1 else { return [] }
        var completion = ShellCompletion(Array(words.dropFirst()), place, identity)
        completion.find()
        return completion.lines
    }

    private init(_ words: [String], _ place: Int, _ identity: CommandIdentity) {
        self.identity = identity
        before = Array(words.prefix(place))
        current = place < words.count ? words[place] : ""
    }

    private mutating func find() {
        let first = before.count > 1 ? before[1] : nil
        if first == "test" {
            return complete(OptionList(of: TestArguments.self, identity), before.last ?? "")
        }
        if first == "works" { return completeWorks() }
        if first == "editor-support" || first == "journal" { return lines.append(Self.files) }
        let words = CommandLineWords(before)
        if let script = words.script {
            completeScript(script)
        } else {
            let list = OptionList(of: CommandArguments.self, identity)
            complete(list, words.options.last == before.last ? before.last ?? "" : "")
            guard before.count == 1, !current.hasPrefix("-") else { return }
            add("test", "Runs scenarios.")
            add("works", "Lists the works that scripts can use.")
            add("journal", "Shows a journal.")
            add("editor-support", "Writes definitions for editors.")
        }
    }

    /// Adds the options, or the values of the option in front.
    private mutating func complete(_ list: OptionList, _ last: String) {
        if let value = list.entry(named: last)?.value, last != "--dashboard" {
            switch (last, value) {
            case ("--progress", _): for mode in ["auto", "plain", "none", "json"] { add(mode) }
            case ("--explore", _): for strategy in ["random", "pct", "dfs"] { add(strategy) }
            case (_, let value) where value.hasPrefix("file"): lines.append(Self.files)
            default: break
            }
        } else if current.hasPrefix("-"), current != "-" || last != "--" {
            for entry in list.entries {
                for name in entry.names { add(name, entry.help) }
            }
        } else {
            lines.append(Self.files)
        }
    }

    private mutating func completeWorks() {
        if current.hasPrefix("-") { return add("--help", "Show help information.") }
        guard before.count == 2 else { return }
        for work in WorksCommand.standardWorks { add(work.name, work.summary) }
    }

    private mutating func completeScript(_ path: String) {
        guard let source = try? ScriptSource.file(path) else { return lines.append(Self.files) }
        let outline = ScriptOutline(source.texts)
        if current.hasPrefix("-") {
            for entry in outline.options {
                for name in entry.names { add(name, entry.help) }
            }
            if outline.declaresArguments { add("--help", "Show the help of the script.") }
        } else {
            for entry in outline.tasks {
                for name in entry.names { add(name, entry.help) }
            }
            if outline.tasks.isEmpty { lines.append(Self.files) }
        }
    }

    private mutating func add(_ text: String, _ note: String = "") {
        guard text.hasPrefix(current) else { return }
        let note = note.replacing("\n", with: " ").replacing("\t", with: " ")
        lines.append(note.isEmpty ? text : "\(text)\t\(note)")
    }
}
