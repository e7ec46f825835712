internal import LuaVM
internal import Scheduling

/// The arguments and the tasks that the script of a run declares.
///
/// Owns the declarations, the table of options and the chosen tasks. Called by the globals `arguments` and `task`, and
/// by the run when it begins, when its main chunk has returned, and when it ends. Confined to the script thread.
final class ScriptArguments: RuntimePart {
    /// A named task.
    private struct Task {
        let name: String
        let help: String
        let operation: LuaReference
    }

    private var declared: ArgumentSet?
    /// The table that `arguments` returns and that each task receives.
    private var options: LuaReference?
    private var tasks: [Task] = []
    /// The words that name tasks; nil until `arguments` has read the words.
    private var chosen: [String]?
    /// The names of the script for a reader: of its file, and of the words that call it.
    private var script = ""
    private var program = ""
    /// The script's text, until its outline is made.
    private var texts: [[UInt8]] = []
    private var knownOutline: ScriptOutline?

    /// Whether a driver runs the script: scenarios have no tasks.
    private var isDriven: Bool { runtime.run.driver != nil }

    private var outline: ScriptOutline {
        if let knownOutline { return knownOutline }
        let outline = ScriptOutline(texts)
        knownOutline = outline
        texts = []
        return outline
    }

    /// Whether words of the command line may name tasks.
    private var takesTasks: Bool { !tasks.isEmpty || outline.declaresTasks }

    // MARK: The life of a run

    func runBegins(_ request: RunRequest) {
        forget()
        script = request.script ?? String(request.name.drop { $0 == "@" || $0 == "=" })
        let command = request.interpreter.first.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
        program = [command, script].compactMap(\.self).joined(separator: " ")
        texts = request.texts ?? [request.source]
    }

    /// A module was loaded, whose text may read `arg`.
    func moduleLoaded(_ source: [UInt8]) {
        guard configuration.notesArguments, !runState.report.readsArguments else { return }
        if ScriptOutline([source]).readsNames { runState.report.readsArguments = true }
    }

    /// Adds the chosen tasks to the default queue, or lists all if none is chosen.
    func mainChunkReturned() {
        guard !isDriven, !runState.isOver, !runState.isCancelled, !tasks.isEmpty || chosen?.isEmpty == false,
            !configuration.listsDeclarations
        else { return }
        if chosen == nil {
            switch ArgumentReader.read(words(), by: ArgumentSet(), takesTasks: true) {
            case .values(_, let tasks): chosen = tasks
            case .help: return end(printing: helpText)
            case .wrong(let text, let option): return end(refusing: text, option)
            }
        }
        let chosen = chosen ?? []
        if chosen.isEmpty {
            var help = help
            help.tasks = shownTasks
            runState.onlyShowsHelp = true
            return write(help.taskList)
        }
        for name in chosen where !tasks.contains(where: { $0.name == name }) {
            return end(refusing: complaint(aboutTask: name))
        }
        add(chosen)
    }

    /// The run is about to end: tasks that were not chosen need no queue, and neither do their dependencies.
    func runEnds() {
        let state = vm.main
        for task in tasks {
            task.operation.push(state)
            runtime.operations.hideUnadded(state, state.top)
            state.pop()
        }
        if configuration.listsDeclarations, declared != nil || !tasks.isEmpty {
            runState.report.declarations = helpText
        }
        forget()
    }

    private func forget() {
        declared = nil
        options = nil
        tasks = []
        chosen = nil
        texts = []
        knownOutline = nil
    }

    // MARK: arguments

    /// Reads the words by declarations, and pushes the options. [-0, +1, m]
    func declare(_ set: ArgumentSet, _ state: LuaState) throws(LuaRaise) -> Int32 {
        if declared != nil {
            throw .misuse("'arguments' was called before in this run: declare all arguments in one call")
        }
        runState.report.readsArguments = true
        declared = set
        let lists = configuration.listsDeclarations
        let takesTasks = takesTasks
        switch ArgumentReader.read(
            lists ? [] : words(),
            by: set,
            takesTasks: takesTasks,
            checksMissing: !lists
        ) {
        case .help:
            write(helpText)
            runState.onlyShowsHelp = true
            throw exit(0)
        case .wrong(let text, let option):
            refuse(text, option)
            throw exit(2)
        case .values(let values, let tasks):
            chosen = tasks
            pushOptions(state)
            for argument in set.all { store(values[argument.key], of: argument, state) }
            addOtherKeys(set, state)
        }
        // Without tasks, nothing that the listing shows comes after this call.
        if lists, !takesTasks { throw exit(0) }
        return 1
    }

    /// The present words of `arg`, from which a script may have removed some.
    private func words() -> [[UInt8]] {
        let state = vm.main
        defer { state.pop() }
        guard state.getGlobal("arg") == .table else { return [] }
        var words: [[UInt8]] = []
        while true {
            defer { state.pop() }
            switch state.rawGet(-1, words.count + 1) {
            case .string: words.append(state.bytes(-1) ?? [])
            case .number: words.append(Array(state.summary(-1).utf8))
            default: return words
            }
        }
    }

    /// Pushes the table of options, which is the same for the whole run. [-0, +1, m]
    private func pushOptions(_ state: LuaState) {
        if let options { return options.push(state) }
        state.newTable()
        options = runtime.reference(to: state.top, state)
    }

    /// Stores the value of an argument in the table on top. [-0, +0, m]
    private func store(
        _ given: [ArgumentDeclaration.Value]?,
        of argument: ArgumentDeclaration,
        _ state: LuaState
    ) {
        var values = given ?? argument.initial
        if values == nil, configuration.listsDeclarations, argument.isRequired, !argument.isMany {
            values = [argument.standIn]
        }
        if argument.isMany {
            state.newTable(array: values?.count ?? 0)
            for (offset, value) in (values ?? []).enumerated() {
                push(value, state)
                state.rawSet(-2, offset + 1)
            }
        } else if let value = values?.last {
            push(value, state)
        } else {
            return
        }
        state.rawSet(-2, argument.key)
    }

    private func push(_ value: ArgumentDeclaration.Value, _ state: LuaState) {
        switch value {
        case .text(let bytes): state.push(bytes: bytes)
        case .integer(let integer): state.push(integer)
        case .number(let number): state.push(number)
        case .boolean(let flag): state.push(flag)
        }
    }

    /// Lets the table on top answer `options["dry-run"]` and `options.dryRun` as well. The names are in a plain table,
    /// which an isolate can copy. [-0, +0, m]
    private func addOtherKeys(_ set: ArgumentSet, _ state: LuaState) {
        let others = set.all.filter { !$0.otherKeys.isEmpty }
        guard !others.isEmpty else { return }
        let table = state.top
        state.newTable()
        state.newTable()
        for argument in others {
            for key in argument.otherKeys {
                _ = state.rawGet(table, argument.key)
                state.rawSet(-2, key)
            }
        }
        state.rawSet(-2, "__index")
        state.setMetatable(table)
    }

    // MARK: task

    /// Makes the operation of a task from its name, help and function, at the indices 1 to 3. [-0, +1, m]
    func declareTask(_ state: LuaState) throws(LuaRaise) -> Int32 {
        let (name, help) = (state.string(1) ?? "", state.string(2) ?? "")
        if runState.mainChunkEnded {
            throw .misuse(
                "'task' is for the main chunk, which has returned: '\(name)' could not be chosen any more"
            )
        }
        if name.isEmpty || name.hasPrefix("-") || name.contains(where: \.isWhitespace) {
            throw LuaRaise(
                argument: 1,
                "a word that does not begin with '-' expected, got '\(name)'"
            )
        }
        if tasks.contains(where: { $0.name == name }) {
            throw .misuse("there is a task '\(name)' already: give this one another name")
        }
        runState.report.readsArguments = true
        let view = runtime.operations.newOperation(state, .main, .invocation)
        let made = state.top
        // Stored as an invocation without a target: the function, and its argument in the third place.
        state.newTable(array: 3, fields: 2)
        state.pushValue(3)
        state.rawSet(-2, 2)
        pushOptions(state)
        state.rawSet(-2, 3)
        state.push(3)
        state.rawSet(-2, "n")
        state.push(true)
        state.rawSet(-2, "isPlain")
        state.setValue(.body, of: view, at: made)
        runtime.operations.set(name: name, of: view, at: made, state)
        tasks.append(Task(name: name, help: help, operation: runtime.reference(to: made, state)))
        state.setTop(made)
        return 1
    }

    private func add(_ names: [String]) {
        let state = vm.main
        for name in names {
            guard let task = tasks.first(where: { $0.name == name }) else { continue }
            let top = state.top
            defer { state.setTop(top) }
            task.operation.push(state)
            do throws(LuaRaise) {
                try runtime.operations.submitForAwait(state, state.top)
            } catch {
                runtime.loop.runFailed(error.value ?? ErrorValue(error.code, error.text))
                return
            }
        }
    }

    private func complaint(aboutTask name: String) -> String {
        let names = tasks.map(\.name)
        if names.isEmpty { return "'\(name)' is not expected: only options are" }
        let near = suggestion(for: name, among: names)
        guard near.isEmpty else { return "there is no task '\(name)'\(near)" }
        let shown = names.prefix(10).map { "'\($0)'" }.joined(separator: ", ")
        return "there is no task '\(name)' (there are \(shown)\(names.count > 10 ? " and others" : ""))"
    }

    // MARK: Texts and ends

    private var shownTasks: [ArgumentHelp.Task] {
        var shown = tasks.map { ArgumentHelp.Task(name: $0.name, help: $0.help) }
        // `--help` is answered before the script has declared its other tasks.
        if !runState.mainChunkEnded, !configuration.listsDeclarations {
            for entry in outline.tasks where !shown.contains(where: { $0.name == entry.names[0] }) {
                shown.append(ArgumentHelp.Task(name: entry.names[0], help: entry.help))
            }
        }
        return shown
    }

    private var help: ArgumentHelp {
        ArgumentHelp(
            program: program,
            arguments: declared ?? ArgumentSet(),
            takesTasks: takesTasks,
            width: configuration.helpColumns
        )
    }

    private var helpText: String {
        var help = help
        help.tasks = shownTasks
        return help.text
    }

    private func write(_ text: String) {
        runtime.globals.flushOutput()
        // The default of an argument may be a secret.
        Array(link.secrets.hidden(in: text).utf8).withUnsafeBytes { bytes in
            if let printer = vm.printer { printer(bytes) } else { StandardStreams.writeOutput(bytes) }
        }
    }

    private func refuse(_ text: String, _ option: String?) {
        runState.report.refusedOption = option
        runtime.diagnose("\(script): \(text). See '\(program) --help'.")
    }

    /// Ends the run, with a status, by an error that nothing catches.
    private func exit(_ status: Int32) -> LuaRaise {
        runState.exitRequest = status
        runtime.bodies.current?.isTerminating = true
        vm.isTerminating = true
        return LuaRaise(ErrorValue(.cancelled, "the script's arguments end the run"))
    }

    /// Ends a listing in the middle of the main chunk.
    func endListing() -> LuaRaise { exit(0) }

    /// Ends the run after the main chunk has returned.
    private func end(printing text: String) {
        write(text)
        runState.onlyShowsHelp = true
        runState.exitRequest = 0
    }

    private func end(refusing text: String, _ option: String? = nil) {
        refuse(text, option)
        runState.exitRequest = 2
    }
}

extension ArgumentDeclaration {
    /// A value for a listing, in which no value is given.
    fileprivate var standIn: Value {
        if let first = choices.first { return first }
        if let bound = least ?? greatest { return bound }
        return switch kind {
        case .string: .text([])
        case .integer: .integer(0)
        case .number: .number(0)
        case .boolean: .boolean(false)
        }
    }
}
