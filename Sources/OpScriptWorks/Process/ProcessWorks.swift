public import OpScript

extension ScriptEngine {
    /// Registers `work.process`: running programs.
    ///
    /// A program with these works has to call ``ProcessRegistry/endAll()`` before it ends.
    public func registerProcessWorks() {
        let count = processCounter
        let display = programDisplay
        let secrets = secrets
        register(
            "process.run",
            "Runs a program. Options: cwd, env, input, output, check, grace, limit.",
            parameters: ["command"]
        ) { (context: WorkContext, command: Command) async throws -> ScriptTable in
            try count.begin()
            defer { count.end() }
            return try await runProcess(context, command, display: display, secrets: secrets)
        }
        register(
            "process.shell",
            "Runs a text through /bin/sh. Options as those of process.run.",
            parameters: ["text", "options"]
        ) { (context: WorkContext, text: [UInt8], options: ProcessOptions?) async throws -> ScriptTable in
            let text = try Command.shellText(text)
            let command = Command(shell: text, options: options ?? ProcessOptions())
            try count.begin()
            defer { count.end() }
            return try await runProcess(context, command, display: display, secrets: secrets)
        }
    }
}
