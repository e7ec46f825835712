internal import ArgumentParser
internal import OpScript
#if Journal
internal import OpScriptJournal
#endif

/// `opscript journal FILE …`: what a journal holds.
struct JournalCommand {
    let identity: CommandIdentity

    /// Prints the list or the answer, and returns the exit status.
    func run(_ words: [String]) -> Int32 {
        SubcommandWords.run("journal", words, identity) { (arguments: JournalArguments) in perform(arguments)
        }
    }

    private func perform(_ arguments: JournalArguments) -> Int32 {
        #if Journal
        do throws(ScriptError) {
            switch arguments.request {
            case .list: return print(try JournalReader(arguments.file).list(asJSON: arguments.json))
            case .showNames: return print(try JournalReader(arguments.file).names(asJSON: arguments.json))
            case .show(let name):
                if let text = try JournalReader(arguments.file).show(name, asJSON: arguments.json) {
                    return print(text)
                }
                return complain("'\(arguments.file)' has no operation '\(name)'", ExitStatus.failure)
            case .clean:
                let removed = try Journal.clean(arguments.file)
                let entries = removed.entries == 1 ? "1 entry" : "\(removed.entries) entries"
                let files = removed.files == 1 ? "1 file" : "\(removed.files) files"
                return print("removed: \(entries), \(files)\n")
            case .check:
                let problems = try JournalReader(arguments.file).problems()
                for problem in problems {
                    _ = complain("'\(arguments.file)': \(problem)", ExitStatus.failure)
                }
                return problems.isEmpty ? print("'\(arguments.file)' is whole\n") : ExitStatus.failure
            }
        } catch {
            return complain(error.message, ExitStatus.failure)
        }
        #else
        return complain("this command was built without the package trait 'Journal'", ExitStatus.failure)
        #endif
    }

    private func print(_ text: String) -> Int32 { Console.show(text, name: identity.name) }

    private func complain(_ text: String, _ status: Int32) -> Int32 {
        Console(callOwner: {}).writeError("\(identity.name): \(text)")
        return status
    }
}

/// The arguments of `opscript journal` as the argument parser reads and explains them.
struct JournalArguments: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "\(CommandIdentity.current.name) journal",
            abstract: "Shows the runs and operations of a journal, or cleans or checks it.",
            usage: """
                \(CommandIdentity.current.name) journal <file> [--json]
                \(CommandIdentity.current.name) journal <file> show [<name>] [--json]
                \(CommandIdentity.current.name) journal <file> clean
                \(CommandIdentity.current.name) journal <file> check
                """
        )
    }

    enum Request: Equatable {
        case list, clean, check, showNames
        case show(String)
    }

    @Argument(help: "The journal.")
    var file: String

    @Argument(help: "show, clean or check; without it, the runs are listed.")
    var action: String?

    @Argument(help: "With show: the name of operations, or of a work; without it, the names are listed.")
    var name: String?

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    func validate() throws {
        switch action {
        case nil, "show": return
        case "clean", "check":
            if let name { throw ValidationError("\(action ?? "") takes no '\(name)'.") }
            if json { throw ValidationError("--json is for the list and for show.") }
        case let other?:
            throw ValidationError("there is no '\(other)': it must be show, clean or check.")
        }
    }

    var request: Request {
        switch action {
        case "show": name.map { .show($0) } ?? .showNames
        case "clean": .clean
        case "check": .check
        default: .list
        }
    }
}
