internal import Glibc
internal import OpScript
internal import SystemPackage

/// Runs a process to its end without holding a thread.
///
/// It gets a process group of its own. When the context or the task is cancelled, the whole group receives
/// SIGTERM, and once more when the process itself has ended; processes that are left after the grace are killed.
///
/// - Throws: ``ScriptError`` if it cannot be run, or if its status counts and is not 0; `CancellationError`.
func runProcess(
    _ context: WorkContext,
    _ command: Command,
    registry: ProcessRegistry = .shared,
    lingering: Duration = ProcessLife.lingering,
    display: (any ProgramDisplay)? = nil,
    secrets: Secrets = Secrets()
) async throws -> ScriptTable {
    var command = command
    command.secrets = secrets
    try context.checkCancellation()
    let usesTerminal = command.options.input == .inherit
    if usesTerminal { try await Foreground.shared.take(context) }
    defer { if usesTerminal { Foreground.shared.giveUp() } }
    let name = context.shownName.map(secrets.hidden)
    let launch = Launch(
        command,
        registry: registry,
        monitor: try .shared(),
        lingering: lingering,
        view: command.options.output == .inherit
            ? nil
            : display?.begins(name, command.line, context.outputMode).map { HiddenProgramView($0, secrets) }
    )
    context.onCancel { launch.cancel() }
    // If the operation is cancelled already, the process is not started; if it is cancelled later, the
    // process receives SIGTERM as soon as it has started.
    try context.checkCancellation()
    let hasColours = command.options.output == .capture && display?.takesColours(context.outputMode) == true
    try start(command, launch, hasColours: hasColours)
    context.runs(launch)
    let outcome = await withTaskCancellationHandler {
        await launch.ended()
    } onCancel: {
        launch.cancel()
    }
    if let excess = outcome.excess { throw ScriptError.excess("'\(command.name)' wrote", excess) }
    if let stop = outcome.stop { throw stop.error(command) }
    if outcome.isCancelled {
        if let end = outcome.end { launch.stopped(ProcessFailure(stopped: command, end, outcome)) }
        throw CancellationError()
    }
    guard let end = outcome.end else {
        throw ScriptError(
            .failed,
            "cannot tell how '\(command.name)' ended: this process ignores SIGCHLD, or something in it waits "
                + "for any child"
        )
    }
    if command.options.check, let failure = ProcessFailure(command, end, outcome) { throw failure.error }
    return table(end, outcome)
}

/// `{ status, signal, output, errorOutput }`; missing values are nil.
private func table(_ end: ProcessEnd, _ outcome: Launch.Outcome) -> ScriptTable {
    var table = ScriptTable()
    switch end {
    case .exited(let code): table["status"] = .integer(Int64(code))
    case .signalled(let signal): table["signal"] = .integer(Int64(signal))
    }
    table["output"] = outcome.output.map(ScriptValue.string)
    table["errorOutput"] = outcome.errorOutput.map(ScriptValue.string)
    return table
}

/// - Parameter hasColours: Whether the program is asked for colours although its output is no terminal.
private func start(_ command: Command, _ launch: Launch, hasColours: Bool) throws {
    let options = command.options
    var changes = options.environment
    if hasColours, changes["NO_COLOR"] == nil {
        for name in ["FORCE_COLOR", "CLICOLOR_FORCE"] where changes[name] == nil && getenv(name) == nil {
            changes[name] = "1"
        }
    }
    let program = try findProgram(command.words[0], searchPath: options.environment["PATH"].map { $0 ?? "" })
    let start = ProcessStart(
        program: program,
        words: command.words,
        environment: ProcessEnvironment(changes: changes),
        directory: options.directory
    )
    let input: Launch.Input =
        switch options.input {
        case .nothing: .nothing
        case .inherit: .inherit
        case .bytes(let bytes): .file(try inputFile(bytes))
        }
    let sink: Launch.Sink
    switch options.output {
    case .capture: sink = .capture
    case .inherit: sink = .inherit
    case .file(let path):
        let file = try describing("write", path, missing: "no such directory") {
            () throws(SystemCallError) in
            try SharedDescriptor {
                path.withPlatformString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }
            }
        }
        sink = .file(file)
    }
    do throws(SystemCallError) {
        try launch.start(start, input: input, sink)
    } catch {
        throw refusal(error, command, program)
    }
}

/// A nameless file that holds the input.
///
/// Not a pipe: a process that does not read its input would end this one by SIGPIPE, and one that reads it slowly would
/// have to be fed.
private func inputFile(_ input: [UInt8]) throws -> SharedDescriptor {
    let directories: [FilePath] = ["/dev/shm", "/tmp", "."]
    var failure = SystemCallError(code: ENOENT)
    for directory in directories {
        do {
            let draft = try Draft(besides: directory.appending("input"), mode: 0o600)
            try writeAll(WorkContext(), input, to: draft.descriptor)
            return try SharedDescriptor {
                "/proc/self/fd/\(draft.descriptor)".withCString { open($0, O_RDONLY | O_CLOEXEC) }
            }
        } catch let error as SystemCallError {
            failure = error
        }
    }
    throw ScriptError(.failed, "cannot keep the input of a process: \(ScriptError.describe(failure.code))")
}

// MARK: - Errors

private func refusal(_ error: SystemCallError, _ command: Command, _ program: FilePath) -> ScriptError {
    let reason =
        switch error.code {
        // The error number is for the directory or for the program.
        case ENOENT, EACCES, ENOTDIR:
            reasonNotToEnter(command.options.directory) ?? reasonNotToStart(program, command)
        default: ScriptError.describe(error.code)
        }
    return ScriptError(.failed, "cannot run '\(command.name)': \(reason)", underlying: error)
}

/// The reason why a process cannot run in a directory; nil if it can.
private func reasonNotToEnter(_ directory: FilePath?) -> String? {
    guard let directory else { return nil }
    do throws(SystemCallError) {
        let handle = try FileHandle(directory, O_RDONLY | O_DIRECTORY | pathOnly)
        try systemCall { faccessat(handle.descriptor, ".", X_OK, AT_EACCESS) }
        return nil
    } catch {
        return error.code == ENOENT
            ? "no such directory '\(directory)'" : "'\(directory)': \(ScriptError.describe(error.code))"
    }
}

/// O_PATH, a macro that does not reach Swift.
private let pathOnly: CInt = 0o10000000

/// A single word with blanks is meant for a shell, unless a file has this name.
private func noSuchProgram(_ command: Command) -> String {
    guard command.words.count == 1, command.words[0].contains(UInt8(ascii: " ")) else {
        return "no such program"
    }
    return
        "no such program; a command line is for work.process.shell, and here each argument is an element of its own"
}

/// Finds out which file is missing or cannot be executed, since the system does not report that.
private func reasonNotToStart(_ program: FilePath, _ command: Command) -> String {
    let directory = program.isRelative ? command.options.directory : nil
    let place = directory?.appending(program.components) ?? program
    do throws(SystemCallError) {
        guard let status = try fileStatus(of: place) else { return noSuchProgram(command) }
        if status.isDirectory { return "is a directory" }
        try systemCall { place.withPlatformString { access($0, X_OK) } }
        return missingInterpreter(of: place)
    } catch {
        return ScriptError.describe(error.code)
    }
}

/// The interpreter that the first line of a script names, and that is missing.
private func missingInterpreter(of script: FilePath) -> String {
    let general = "the interpreter that its first line names is missing"
    guard let file = try? FileHandle(script, O_RDONLY) else { return general }
    var line = [UInt8](repeating: 0, count: 256)
    guard let count = try? systemCall({ read(file.descriptor, &line, line.count) }),
        line[0] == UInt8(ascii: "#"),
        let end = line[..<count].firstIndex(of: UInt8(ascii: "\n"))
    else { return general }
    if line[end - 1] == UInt8(ascii: "\r") {
        return "its lines end with a carriage return, which belongs to the name of the interpreter then"
    }
    let words = line[2..<end].split(separator: UInt8(ascii: " "))
    return words.first.map { "\(general): '\(String(decoding: $0, as: UTF8.self))'" } ?? general
}
