import Glibc
import SystemPackage

/// A piece of code in a Markdown file that is run as it stands, and its expected run in the file.
///
/// `CONTRIBUTING.md` has the convention: a Lua block is a script; a plain block below it is the output on the
/// terminal.
struct DocumentedExample: Sendable, CustomStringConvertible {
    /// One line behind a `$`, and the output until the next one.
    struct Command: Sendable, Equatable {
        var line: String
        /// The lines it prints; nil if the page does not show them.
        var output: [String]?
    }

    /// A comment above a block that cannot be understood, or a block without a command.
    struct Malformed: Error, Equatable {
        let place: String
        let what: String
    }

    /// The page and the line of the block: `docs/manual/queues.md:12`.
    let place: String
    /// The files in the scratch folder; the script is the last one.
    var files: [(name: String, text: String)] = []
    var commands: [Command] = []
    /// The exit status of the last command.
    var status: Int32 = 0

    var description: String { place }

    /// All examples of a page, in order.
    static func all(in text: String, of page: String) throws(Malformed) -> [DocumentedExample] {
        var examples: [DocumentedExample] = []
        /// Files for the next script.
        var files: [(name: String, text: String)] = []
        /// Whether only blank lines came since a script, so that a plain block is its output.
        var followsScript = false
        for block in MarkdownBlock.all(in: text) {
            let place = "\(page):\(block.line)"
            let note = try BlockNote(block.note, at: place)
            if block.isSeparated { followsScript = false }
            switch block.language {
            case "lua":
                followsScript = false
                if note.skips { continue }
                let file = (name: note.file ?? block.firstCommentedName ?? "job.lua", text: block.text)
                files.append(file)
                if note.file != nil { continue }
                let command = Command(line: "opscript \(file.name)")
                examples.append(
                    DocumentedExample(place: place, files: files, commands: [command], status: note.status)
                )
                files = []
                followsScript = true
            case "", "text", "console":
                let isTranscript = block.lines.first?.hasPrefix("$ ") == true
                defer { followsScript = false }
                if note.skips || !(isTranscript || followsScript) { continue }
                if followsScript, var example = examples.popLast() {
                    example.expect(block, isTranscript: isTranscript)
                    if note.status != 0 { example.status = note.status }
                    examples.append(example)
                } else {
                    var example = DocumentedExample(place: place, files: files, status: note.status)
                    example.expect(block, isTranscript: isTranscript)
                    examples.append(example)
                    files = []
                }
            default:
                followsScript = false
            }
        }
        guard files.isEmpty else { throw Malformed(place: page, what: "a file that no script uses") }
        return examples
    }

    private mutating func expect(_ block: MarkdownBlock, isTranscript: Bool) {
        guard isTranscript else {
            commands[commands.count - 1].output = block.lines
            return
        }
        commands = []
        for line in block.lines {
            if line.hasPrefix("$ ") {
                commands.append(Command(line: String(line.dropFirst(2)), output: []))
            } else {
                commands[commands.count - 1].output?.append(line)
            }
        }
    }

    // MARK: Running

    /// Separates the outputs of the commands of a transcript; a shell's `printf` writes it.
    private static let separator: Character = "\u{1e}"

    /// Runs it in a folder of its own, and returns every difference from its page.
    func complaints() async throws -> [String] {
        let scratch = try Scratch()
        try scratch.link("scripts", to: SourceTree.root.appending("scripts"))
        return try await complaints(in: scratch)
    }

    /// Runs it in a folder, and returns every difference from its page.
    func complaints(in scratch: Scratch) async throws -> [String] {
        for file in files {
            let folder = FilePath(file.name).removingLastComponent()
            if !folder.isEmpty { try scratch.folder(folder.string) }
            try scratch.file(file.name, file.text)
        }
        var line = "exec 2>&1; opscript() { \"$opscript\" \"$@\"; }"
        for command in commands {
            line += "\n\(command.line)\nstatus=$?; printf '\\036%s\\036' $status; (exit $status)"
        }
        return complaints(about: try await CommandRun.shell(line, folder: scratch.path))
    }

    /// The differences from the page.
    func complaints(about run: CommandRun) -> [String] {
        var parts = run.text.split(separator: Self.separator, omittingEmptySubsequences: false)
        // Behind the last command nothing is printed.
        if parts.last?.isEmpty == true { parts.removeLast() }
        guard parts.count == 2 * commands.count else { return ["the transcript broke off:\n\(run.text)"] }
        var complaints: [String] = []
        for (index, command) in commands.enumerated() {
            let printed = parts[2 * index].split(separator: "\n", omittingEmptySubsequences: false).map(
                String.init
            )
            // Progress lines depend on the machine. A page that shows a kind of them has all.
            let hidden = CommandRun.progress.filter { kind in
                command.output?.contains { $0.wholeMatch(of: kind) != nil } != true
            }
            let lines = (printed.last?.isEmpty == true ? printed.dropLast() : printed[...])
                .filter { line in !hidden.contains { line.wholeMatch(of: $0) != nil } }
            if let output = command.output, !LinePattern.match(lines, output) {
                complaints.append(
                    "'\(command.line)' printed\n\(lines.joined(separator: "\n"))\nand not\n"
                        + output.joined(separator: "\n")
                )
            }
        }
        // A run whose output is not shown must at least report no problem.
        let isSilent = commands.allSatisfy { $0.output == nil }
        if isSilent, status == 0,
            run.text.split(separator: "\n").contains(where: {
                $0.hasPrefix("opscript: ") && !CommandRun.isProgress($0)
            })
        {
            complaints.append("it complains:\n\(run.text)")
        }
        if Int32(parts[2 * commands.count - 1]) != status {
            complaints.append("status \(parts[2 * commands.count - 1]) instead of \(status):\n\(run.text)")
        }
        return complaints
    }
}
