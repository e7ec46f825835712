import Glibc
import Subprocess
import SystemPackage

/// The result of one run of the command.
struct CommandRun: Sendable {
    /// Its end.
    enum End: Equatable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// It ran longer than any run may, and was killed.
    struct HasHung: Error {
        let words: [String]
    }

    let end: End
    let output: [UInt8]
    let errorOutput: [UInt8]

    /// The exit status; nil if a signal ended it.
    var status: Int32? {
        if case .exited(let status) = end { status } else { nil }
    }

    var text: String { String(decoding: output, as: UTF8.self) }
    var errors: String { String(decoding: errorOutput, as: UTF8.self) }
    /// Standard error without the lines of progress, which a slow machine has more of.
    var complaints: String {
        errors.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !Self.isProgress($0) }.joined(separator: "\n")
    }
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

    /// The lines of progress: of an operation that has ended, of what runs, and of the totals.
    nonisolated(unsafe) static let progress = [
        /\[\d+\/\d+\] .*/, /opscript: \d+ \/ \d+ done, .* s/,
        /opscript: \d+ (?:succeeded|steps?).* in .* (?:s|min)/,
        /opscript: not run (?:for other reasons|because of).*/,
    ]

    /// Whether a line is one of progress.
    static func isProgress(_ line: some StringProtocol) -> Bool {
        progress.contains { String(line).wholeMatch(of: $0) != nil }
    }

    /// Runs the command that was built beside the tests.
    static func command(
        _ words: String...,
        input: String = "",
        folder: FilePath? = nil
    ) async throws -> CommandRun {
        try await program(commandPath, words, input: input, folder: folder)
    }

    /// The same with a script that is given as text.
    static func script(_ code: String, options: [String] = []) async throws -> CommandRun {
        try await program(commandPath, options + ["-"], input: code)
    }

    /// Runs a line of a shell, in which `$opscript` is the command.
    static func shell(_ line: String, input: String = "", folder: FilePath? = nil) async throws -> CommandRun
    {
        try await program(
            "/bin/sh",
            ["-c", "opscript='\(commandPath)'; \(line)"],
            input: input,
            folder: folder
        )
    }

    /// Runs a program to its end; one that hangs is killed.
    static func program(
        _ path: FilePath,
        _ words: [String],
        input: String = "",
        folder: FilePath? = nil,
        limit: Duration = .seconds(1200)
    ) async throws -> CommandRun {
        try await withThrowingTaskGroup(of: CommandRun.self) { group in
            group.addTask {
                let result = try await Subprocess.run(
                    .path(path),
                    arguments: Arguments(words),
                    workingDirectory: folder,
                    input: .array(Array(input.utf8)),
                    output: .bytes(limit: 1 << 24),
                    error: .bytes(limit: 1 << 24)
                )
                return CommandRun(
                    end: result.terminationStatus.end,
                    output: result.standardOutput,
                    errorOutput: result.standardError
                )
            }
            group.addTask {
                // This task completes only if the program hangs: the end of the other task cancels it.
                try await Task.sleep(for: limit)
                throw HasHung(words: words)
            }
            defer { group.cancelAll() }
            guard let run = try await group.next() else { throw CancellationError() }
            return run
        }
    }

    /// The command, in the folder of the program that runs the tests; or the one that `OPSCRIPT_PROGRAM` names.
    static let commandPath: FilePath = {
        if let program = getenv("OPSCRIPT_PROGRAM") { return FilePath(platformString: program) }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &buffer, Int(PATH_MAX))
        precondition(count > 0, "the tests do not know where they are")
        return FilePath(platformString: buffer).removingLastComponent().appending("opscript")
    }()
}

extension TerminationStatus {
    fileprivate var end: CommandRun.End {
        switch self {
        case .exited(let status): .exited(status)
        case .signaled(let number): .signalled(number)
        }
    }
}
