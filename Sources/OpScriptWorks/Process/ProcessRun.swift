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
    let task = Task { try await execute(command, registry) }
    context.onCancel { task.cancel() }
    let result = try await withTaskCancellationHandler {
        try await task.value
    } onCancel: {
        task.cancel()
    }
    if command.options.check { try check(result, of: command) }
    return result.table
}

private func execute(_ command: Command, _ registry: ProcessRegistry) async throws -> ProcessResult {
    let options = command.options
    let searchPath = options.environment["PATH"].map { $0 ?? "" }
    let program = try findProgram(command.words[0], searchPath: searchPath)
    var platform = PlatformOptions()
    platform.processGroupID = 0
    platform.teardownSequence = [
        .send(
            signal: .terminate,
            toProcessGroup: true,
            allowedDurationToNextStep: .seconds(options.grace)
        )
    ]
    let configuration = Configuration(
        executable: .path(program),
        arguments: Arguments(
            // The library hands the bytes on as C strings, so these have to end as such.
            executablePathOverride: command.words[0] + [0],
            remainingValues: command.words.dropFirst().map { $0 + [0] }
        ),
        environment: environment(options),
        workingDirectory: options.directory,
        platformOptions: platform
    )
    let launch = Launch(configuration: configuration, registry: registry)
    let result: ProcessResult
    do {
        result = try await run(launch, options)
    } catch let error as SubprocessError {
        await launch.endGroup(within: options.grace)
        try Task.checkCancellation()
        throw refusal(error, command, program)
    }
    await launch.endGroup(within: options.grace)
    try Task.checkCancellation()
    return result
}

private func environment(_ options: ProcessOptions) -> Environment {
    guard !options.environment.isEmpty else { return .inherit }
    var changes: [Environment.Key: String?] = [:]
    for (name, value) in options.environment { changes[Environment.Key(stringLiteral: name)] = .some(value) }
    return Environment.inherit.updating(changes)
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

/// A process from its start to the end of its group.
private final class Launch {
    private let configuration: Configuration
    private let registry: ProcessRegistry
    /// Set once it has started.
    private var group: pid_t?

    init(configuration: Configuration, registry: ProcessRegistry) {
        self.configuration = configuration
        self.registry = registry
    }

    func run<Input: InputProtocol, Output: OutputProtocol, ErrorOutput: ErrorOutputProtocol>(
        _ input: Input,
        _ output: Output,
        _ errorOutput: ErrorOutput
    ) async throws -> ExecutionResult<Void, Output, ErrorOutput> {
        try await Subprocess.run(configuration, input: input, output: output, error: errorOutput) {
            execution in
            self.group = execution.processIdentifier.value
            self.registry.add(execution.processIdentifier.value)
        }
    }

    /// Lets go of the group; after a cancellation first waits until all of it has ended, and kills it when the time
    /// is up.
    ///
    /// The one that was started has ended by now, but those that it started may have stayed.
    func endGroup(within seconds: Double) async {
        guard let group else { return }
        defer { registry.remove(group) }
        guard Task.isCancelled else { return }
        // In a task of its own, for this one cannot sleep any more.
        await Task {
            let deadline = ContinuousClock.now + .seconds(seconds)
            while kill(-group, 0) == 0 {
                if ContinuousClock.now >= deadline {
                    kill(-group, SIGKILL)
                    return
                }
                try? await Task.sleep(for: .milliseconds(5))
            }
        }.value
    }
}

// MARK: - Errors

private func refusal(_ error: SubprocessError, _ command: Command, _ program: FilePath) -> ScriptError {
    let reason: String
    switch error.code {
    case .executableNotFound:
        reason = reasonNotToStart(program, in: command.options.directory)
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
private func reasonNotToStart(_ program: FilePath, in directory: FilePath?) -> String {
    let place = program.isRelative ? directory?.appending(program.components) ?? program : program
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
