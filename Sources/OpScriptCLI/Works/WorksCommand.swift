internal import ArgumentParser
internal import OpScript
internal import OpScriptWorks

/// `opscript works [NAME]`: what works there are.
struct WorksCommand {
    let identity: CommandIdentity
    /// Registers the works that the executable adds.
    let register: @Sendable (ScriptEngine) -> Void

    /// The works that come with the command.
    static var standardWorks: [WorkDescription] {
        let engine = ScriptEngine()
        engine.registerStandardWorks()
        defer { engine.shutdown() }
        return engine.workDescriptions
    }

    /// Prints the list or the description, and returns the exit status.
    func run(_ words: [String]) -> Int32 {
        SubcommandWords.run("works", words, identity) { (arguments: WorksArguments) in show(arguments.name) }
    }

    private func show(_ given: String?) -> Int32 {
        let engine = ScriptEngine()
        engine.registerStandardWorks()
        register(engine)
        defer { engine.shutdown() }
        let works = engine.workDescriptions
        guard let given else { return print(WorksText.list(works)) }
        // As a script writes it: `work.file.read`.
        let name = given.hasPrefix("work.") ? String(given.dropFirst(5)) : given
        if let work = works.first(where: { $0.name == name }) { return print(WorksText.details(work)) }
        let below = works.filter { $0.name.hasPrefix(name.hasSuffix(".") ? name : name + ".") }
        if !below.isEmpty { return print(WorksText.list(below)) }
        let groups = Set(works.compactMap { $0.name.split(separator: ".").first.map(String.init) })
        let near = suggestion(for: name, among: works.map(\.name) + groups)
        return complain("there is no work '\(name)'\(near). '\(identity.name) works' lists all.")
    }

    private func print(_ text: String) -> Int32 { Console.show(text, name: identity.name) }

    private func complain(_ text: String) -> Int32 {
        Console(callOwner: {}).writeError("\(identity.name): \(text)")
        return ExitStatus.usage
    }
}
