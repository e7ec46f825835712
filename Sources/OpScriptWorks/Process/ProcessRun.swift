internal import Glibc
internal import OpScript
internal import Subprocess
internal import SystemPackage

/// How a process ended, and what it wrote.
struct ProcessResult {
    var status: TerminationStatus
    var output: [UInt8]?
    var errorOutput: [UInt8]?

    /// `{ status, signal, output, errorOutput }`; what there is not is nil.
    var table: ScriptTable {
        var table = ScriptTable()
        switch status {
        case .exited(let code): table["status"] = .integer(Int64(code))
        case .signaled(let signal): table["signal"] = .integer(Int64(signal))
        }
        table["output"] = output.map(ScriptValue.string)
        table["errorOutput"] = errorOutput.map(ScriptValue.string)
        return table
    }
}

/// Runs a process to its end without holding a thread.
///
/// It gets a process group of its own. When the context or the task is cancelled the whole group is asked to end with
/// SIGTERM; what is left of it after the grace is killed.
///
/// - Throws: ``ScriptError`` where it cannot be run, or where its status counts and is not 0; `CancellationError`.
func runProcess(
    _ context: WorkContext,
    _ command: Command,
    registry: ProcessRegistry = .shared
) async throws -> ScriptTable {
    try context.checkCancellation()
    let launch = try makeLaunch(command, registry)
    context.onCancel { launch.cancel() }
    // In a task that is never cancelled: the library would stop reading at once, and a process that says goodbye would
    // be ended by SIGPIPE.
    let task = Task { try await execute(command, launch) }
    let result = try await withTaskCancellationHandler {
        try await task.value
    } onCancel: {
        launch.cancel()
    }
    if command.options.check { try check(result, of: command) }
    return result.table
}

private func makeLaunch(_ command: Command, _ registry: ProcessRegistry) throws(ScriptError) -> Launch {
    let options = command.options
    let searchPath = options.environment["PATH"].map { $0 ?? "" }
    var platform = PlatformOptions()
    platform.processGroupID = 0
    let configuration = Configuration(
        executable: .path(try findProgram(command.words[0], searchPath: searchPath)),
        arguments: Arguments(
            // The library hands the bytes on as C strings, so these have to end as such.
            executablePathOverride: command.words[0] + [0],
            remainingValues: command.words.dropFirst().map { $0 + [0] }
        ),
        environment: .inherited(changing: options.environment),
        workingDirectory: options.directory,
        platformOptions: platform
    )
    return Launch(configuration: configuration, registry: registry, grace: .seconds(options.grace))
}

private func execute(_ command: Command, _ launch: Launch) async throws -> ProcessResult {
    let outcome: Result<ProcessResult, any Error>
    do {
        outcome = .success(try await run(launch, command.options))
    } catch let error as SubprocessError {
        outcome = .failure(refusal(error, command))
    } catch {
        outcome = .failure(error)
    }
    if await launch.endGroup() { throw CancellationError() }
    return try outcome.get()
}

/// Picks the plumbing that the options ask for.
private func run(_ launch: Launch, _ options: ProcessOptions) async throws -> ProcessResult {
    guard let input = options.input else { return try await run(launch, options, input: .none) }
    let file = try inputFile(input)
    return try await run(launch, options, input: .fileDescriptor(file, closeAfterSpawningProcess: true))
}

private func run(
    _ launch: Launch,
    _ options: ProcessOptions,
    input: some InputProtocol
) async throws -> ProcessResult {
    switch options.output {
    case .capture:
        let result = try await launch.run(input, .bytes(limit: .max), .bytes(limit: .max))
        return ProcessResult(
            status: result.terminationStatus,
            output: result.standardOutput,
            errorOutput: result.standardError
        )
    case .inherit:
        let result = try await launch.run(input, .currentStandardOutput, .currentStandardError)
        return ProcessResult(status: result.terminationStatus)
    case .file(let path):
        let descriptor = try describing("write", path, missing: "no such directory") {
            () throws(SystemCallError) in
            try systemCall {
                path.withPlatformString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }
            }
        }
        let output = FileDescriptor(rawValue: descriptor)
        let result = try await launch.run(
            input,
            .fileDescriptor(output, closeAfterSpawningProcess: true),
            .bytes(limit: .max)
        )
        return ProcessResult(status: result.terminationStatus, errorOutput: result.standardError)
    }
}

/// A nameless file that holds the input.
///
/// Not a pipe: a process that does not read its input would end this one by SIGPIPE, and one that reads it slowly would
/// have to be fed.
private func inputFile(_ input: ScriptData) throws -> FileDescriptor {
    let directories: [FilePath] = ["/dev/shm", "/tmp", "."]
    var failure = SystemCallError(code: ENOENT)
    for directory in directories {
        do {
            let draft = try Draft(besides: directory.appending("input"), mode: 0o600)
            try writeAll(WorkContext(), input.bytes, to: draft.descriptor)
            let descriptor = try systemCall {
                "/proc/self/fd/\(draft.descriptor)".withCString { open($0, O_RDONLY | O_CLOEXEC) }
            }
            return FileDescriptor(rawValue: descriptor)
        } catch let error as SystemCallError {
            failure = error
        }
    }
    throw ScriptError(.failed, "cannot keep the input of a process: \(ScriptError.describe(failure.code))")
}

// MARK: - Errors

private func refusal(_ error: SubprocessError, _ command: Command) -> ScriptError {
    let reason: String
    switch error.code {
    case .executableNotFound:
        reason = reasonNotToStart(command)
    case .failedToChangeWorkingDirectory:
        let directory = command.options.directory?.string ?? "."
        let code = error.underlyingError?.rawValue ?? ENOENT
        reason =
            code == ENOENT
            ? "no such directory '\(directory)'" : "'\(directory)': \(ScriptError.describe(code))"
    case .spawnFailed:
        let code = error.underlyingError?.rawValue ?? 0
        reason = code == 0 ? "\(error)" : code == ENOENT ? "no such program" : ScriptError.describe(code)
    default:
        reason = "\(error)"
    }
    return ScriptError(.failed, "cannot run '\(command.name)': \(reason)", underlying: error)
}

/// Says what the library leaves open: it calls everything that cannot be executed not found.
private func reasonNotToStart(_ command: Command) -> String {
    guard let program = try? FilePath(scriptValue: .string(command.words[0])) else {
        return "no such program"
    }
    let directory = program.isRelative ? command.options.directory : nil
    let place = directory?.appending(program.components) ?? program
    do throws(SystemCallError) {
        guard let status = try fileStatus(of: place) else { return "no such program" }
        if status.isDirectory { return "is a directory" }
        try systemCall { place.withPlatformString { access($0, X_OK) } }
        return "the interpreter that its first line names is missing"
    } catch {
        return ScriptError.describe(error.code)
    }
}

private func check(_ result: ProcessResult, of command: Command) throws(ScriptError) {
    let outcome: String
    switch result.status {
    case .exited(0): return
    case .exited(let status): outcome = "ended with status \(status)"
    case .signaled(let signal):
        outcome = "was ended by signal \(signal)" + (signalNames[signal].map { " (\($0))" } ?? "")
    }
    let words = lastLines(of: result.errorOutput ?? [])
    throw ScriptError(.failed, "'\(command.name)' \(outcome)" + (words.isEmpty ? "" : ": \(words)"))
}

/// The last few lines that a process wrote before it failed.
private func lastLines(of output: [UInt8]) -> String {
    let end = String(decoding: output.suffix(2000), as: UTF8.self)
    let lines = end.split(whereSeparator: \.isNewline).suffix(6)
    return lines.joined(separator: "\n")
}

private let signalNames: [CInt: String] = [
    SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
    SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1",
    SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2", SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM",
    SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGSYS: "SIGSYS",
]
