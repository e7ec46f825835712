internal import ArgumentParser
internal import Glibc
internal import OpScript

/// The options about runs that last.
struct JournalOptions: ParsableArguments {
    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Record the results of operations in this file, for later runs. The run is a new one, unless --resume is "
                + "given.",
            valueName: "file"
        )
    )
    var journal: String?

    @Flag(
        name: .long,
        help: ArgumentHelp(
            "Continue the last run of the journal, if that did not end well. Default journal: "
                + ".\(CommandIdentity.current.name)/NAME.journal."
        )
    )
    var resume = false

    @Flag(name: .long, help: "Begin a new run of that journal, however the last one ended.")
    var fresh = false

    @Option(
        name: .long,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Run the operations with this name, and all that depend on them, whatever is recorded; may be repeated.",
            valueName: "name"
        )
    )
    var again: [String] = []

    @Option(
        name: .long,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Say of an operation whose effect is not known that it has ended (done, done:JSON), or that it runs again "
                + "(again); may be repeated.",
            valueName: "name=answer"
        )
    )
    var resolve: [String] = []

    @Option(
        name: .long,
        defaultAsFlag: "",
        parsing: .next,
        help: ArgumentHelp(
            "Say of each operation, or of this one, whether it would run and why; none runs.",
            valueName: "name"
        )
    )
    var explain: String?

    @Flag(name: .long, help: "Use a journal on a file system without locks.")
    var journalAnyway = false

    @Flag(
        name: .long,
        help: "After the run, wait for a change of the script, its modules or declared inputs, and run again."
    )
    var watch = false

    func validate() throws {
        for answer in resolve where JournalResolution(answer) == nil {
            if let error = JournalResolution.jsonError(answer) {
                throw ValidationError(
                    "--resolve is '\(answer)', but what follows 'done:' is not JSON: \(error)."
                )
            }
            throw ValidationError(
                "--resolve is '\(answer)', but it must be NAME=done, NAME=done:JSON or NAME=again."
            )
        }
        let names = resolve.compactMap { JournalResolution($0)?.name }
        if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw ValidationError("--resolve has more than one answer about '\(twice)': give one.")
        }
        let wishes = wishes
        guard !wishes.isUsed else {
            #if !Journal
            throw ValidationError(
                "--journal needs the package trait 'Journal', and this command was built without it: "
                    + "swift build --traits SharedLua,HTTP,Journal."
            )
            #else
            if watch, explain != nil {
                throw ValidationError("--explain runs nothing, so there is nothing to watch.")
            }
            if resume, fresh { throw ValidationError("--resume and --fresh exclude each other: give one.") }
            return
            #endif
        }
        for (isGiven, option) in [
            (!again.isEmpty, "--again"), (!resolve.isEmpty, "--resolve"), (explain != nil, "--explain"),
            (journalAnyway, "--journal-anyway"),
        ] where isGiven {
            throw ValidationError("\(option) needs a journal: give --journal FILE or --resume.")
        }
    }

    var wishes: JournalWishes {
        JournalWishes(
            path: journal,
            folder: ".\(CommandIdentity.current.name)",
            resumes: resume,
            isFresh: fresh,
            again: again,
            resolutions: resolve.compactMap { JournalResolution($0) },
            explains: explain != nil,
            explainedName: explain.flatMap { $0.isEmpty ? nil : $0 },
            goesAnyway: journalAnyway,
            watches: watch
        )
    }

    /// Whether a word behind `--explain` is the name of an operation; otherwise it is the script.
    ///
    /// Operations are often named by the file that they make, so a file may have the name if a script follows.
    static func isName(_ word: String, before next: String?) -> Bool {
        guard word != "-", !word.hasSuffix(".lua"), !word.hasPrefix("-") else { return false }
        return access(word, F_OK) != 0 || next?.hasSuffix(".lua") == true
    }
}

/// The use that a run makes of a journal.
struct JournalWishes: Equatable {
    /// The file; nil for the usual place.
    var path: String?
    /// The folder of the usual place, which has the command's name.
    var folder = ".opscript"
    var resumes = false
    var isFresh = false
    var again: [String] = []
    var resolutions: [JournalResolution] = []
    var explains = false
    /// The only operation that is explained; nil for all.
    var explainedName: String?
    var goesAnyway = false
    /// Whether the script runs again when its files change.
    var watches = false

    var isUsed: Bool { path != nil || resumes || isFresh || watches }

    /// The file that the user names, or `NAME.journal` of a script in the usual folder.
    func path(forScript script: String?) -> String {
        if let path { return path }
        var name = script.map { String($0.split(separator: "/").last ?? "script") } ?? "code"
        if name.hasSuffix(".lua"), name.count > 4 { name.removeLast(4) }
        return "\(folder)/\(name).journal"
    }
}

/// A user's answer about an operation whose effect is not known.
struct JournalResolution: Equatable {
    var name: String
    /// Its result, if it has ended; nil if it runs again.
    var result: ScriptValue?

    /// Why the JSON of `NAME=done:JSON` cannot be read; nil if there is none, or nothing is wrong with it.
    static func jsonError(_ text: String) -> String? {
        guard let range = text.firstRange(of: "=done:"), range.lowerBound != text.startIndex else {
            return nil
        }
        do {
            _ = try ScriptValue(json: Array(text[range.upperBound...].utf8))
            return nil
        } catch {
            return String(describing: error)
        }
    }

    /// Reads `NAME=done`, `NAME=done:JSON` or `NAME=again`; nil for anything else.
    init?(_ text: String) {
        if text.hasSuffix("=again"), text.count > 6 {
            name = String(text.dropLast(6))
            result = nil
            return
        }
        if text.hasSuffix("=done"), text.count > 5 {
            name = String(text.dropLast(5))
            result = .nil
            return
        }
        guard let range = text.firstRange(of: "=done:"), range.lowerBound != text.startIndex,
            let value = try? ScriptValue(json: Array(text[range.upperBound...].utf8))
        else { return nil }
        name = String(text[..<range.lowerBound])
        result = value
    }
}
