/// What the command is called, and its version.
struct CommandIdentity: Sendable {
    var name = "opscript"
    var version = OpScriptCommand.version

    /// That of the command whose options are read.
    @TaskLocal static var current = CommandIdentity()
}
