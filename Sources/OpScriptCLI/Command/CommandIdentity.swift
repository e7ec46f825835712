/// The name and the version of the command.
struct CommandIdentity: Sendable {
    var name = "opscript"
    var version = OpScriptCommand.version

    /// The identity of the command whose options are read.
    @TaskLocal static var current = CommandIdentity()
}
