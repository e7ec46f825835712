internal import ArgumentParser
internal import OpScript
internal import OpScriptWorks

/// `opscript editor-support DIR`: definitions for the Lua language server.
struct EditorSupportCommand {
    let identity: CommandIdentity
    /// Registers the works that the executable adds.
    let register: @Sendable (ScriptEngine) -> Void

    /// Writes the files, and returns the exit status.
    func run(_ words: [String]) -> Int32 {
        SubcommandWords.run("editor-support", words, identity) { (arguments: EditorSupportArguments) in
            write(to: arguments.directory)
        }
    }

    private func write(to directory: String) -> Int32 {
        let engine = ScriptEngine()
        engine.registerStandardWorks()
        register(engine)
        defer { engine.shutdown() }
        let reference = ReferenceText()
        do {
            try engine.writeDefinitions(to: directory) { reference.definitionText(of: $0) }
        } catch {
            return complain("\(error)", ExitStatus.failure)
        }
        return print(
            """
            wrote \(directory)/library/opscript.lua and host.lua.
            For the editor, in .luarc.json beside the scripts: { "workspace.library": ["\(directory)/library"] }

            """
        )
    }

    private func print(_ text: String) -> Int32 { Console.show(text, name: identity.name) }

    private func complain(_ text: String, _ status: Int32) -> Int32 {
        Console(callOwner: {}).writeError("\(identity.name): \(text)")
        return status
    }
}

extension ReferenceText {
    /// The text about a call (`Operation:cancel`, `sleep`) or a property (`Operation.name`); nil if there is none.
    func definitionText(of path: String) -> String? {
        let parts = path.split { $0 == ":" || $0 == "." }.map(String.init)
        let entry =
            if parts.count == 2 {
                entries.first { $0.section == parts[0] && $0.path == parts[1] }
                    ?? entries.first { $0.path == path }
            } else {
                entries.first { !$0.isProperty && $0.path == path }
            }
        guard let entry else { return nil }
        if entry.isProperty { return entry.details.last }
        guard let result = entry.details.first else { return nil }
        return result.hasPrefix("waits: ") ? "Waits. Result: \(result.dropFirst(7))" : "Result: \(result)"
    }
}
