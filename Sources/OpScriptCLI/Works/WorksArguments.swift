internal import ArgumentParser

/// The arguments of `opscript works` as the argument parser reads and explains them.
struct WorksArguments: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "\(CommandIdentity.current.name) works",
            abstract: "Lists the works that scripts can use, or describes one of them.",
            discussion: "A script makes an operation of a work by calling it: work.file.read(\"notes.txt\")."
        )
    }

    @Argument(
        help: "The name of a work, or the beginning of names: 'file.read', 'file'."
    )
    var name: String?
}
