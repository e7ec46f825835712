internal import ArgumentParser

/// The arguments of `opscript editor-support` as the argument parser reads and explains them.
struct EditorSupportArguments: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "\(CommandIdentity.current.name) editor-support",
            abstract: "Writes definitions from which editors complete and check scripts.",
            discussion: """
                The folder gets files for the Lua language server: the types, calls and works that scripts can use. \
                Name its folder 'library' in the setting Lua.workspace.library, or in a file .luarc.json beside the \
                scripts: { "workspace.library": ["DIR/library"] }
                """
        )
    }

    @Argument(help: "The folder for the files; it is made if there is none.")
    var directory: String
}
