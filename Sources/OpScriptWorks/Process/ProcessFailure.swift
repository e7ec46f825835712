internal import Glibc
internal import OpScript

/// The end of a program that failed: its status was not 0, or a signal ended it.
///
/// It is the ``ScriptError/underlying`` error of the ``ScriptError`` that an operation of `work.process` fails with.
/// Scripts find the same values as fields of the error.
public struct ProcessFailure: Error, CustomStringConvertible {
    /// At most this many lines of output are in the text, and at most so many bytes.
    private static let mostLines = 40
    private static let mostBytes = 16_384

    /// The command line, as it is typed into a shell, without secrets.
    public let commandLine: String
    /// The exit status; nil if a signal ended it, or it had not ended.
    public let status: Int?
    /// The number of the signal that ended it; nil if it ended by itself, or had not ended.
    public let signal: Int?
    /// The whole standard output; nil if it was not captured.
    public let output: [UInt8]?
    /// The whole standard error; nil if it was not captured.
    public let errorOutput: [UInt8]?
    private let transcript: Transcript
    private let secrets: Secrets?

    /// Both outputs in the order in which they were read, without secrets.
    ///
    /// - Complexity: O(bytes).
    public var wholeOutput: [UInt8] {
        transcript.bytes(output ?? [], errorOutput ?? [], hiding: secrets)
    }

    /// nil if the process succeeded.
    init?(_ command: Command, _ end: ProcessEnd, _ outcome: Launch.Outcome) {
        if case .exited(0) = end { return nil }
        self.init(stopped: command, end, outcome)
    }

    /// A program that was ended for another reason than its status.
    init(stopped command: Command, _ end: ProcessEnd, _ outcome: Launch.Outcome) {
        switch end {
        case .exited(let number): (status, signal) = (Int(number), nil)
        case .signalled(let number): (status, signal) = (nil, Int(number))
        }
        commandLine = command.line
        output = outcome.output
        errorOutput = outcome.errorOutput
        transcript = outcome.transcript
        secrets = command.secrets
    }

    /// A program that runs, with its outputs so far.
    init(
        unfinished command: Command,
        output: [UInt8]?,
        errorOutput: [UInt8]?,
        _ transcript: Transcript
    ) {
        (status, signal) = (nil, nil)
        commandLine = command.line
        self.output = output
        self.errorOutput = errorOutput
        self.transcript = transcript
        secrets = command.secrets
    }

    /// The command line, the way in which it ended, and below that the end of both outputs.
    public var description: String {
        let (lines, leftOut) = shownLines
        let note = leftOut.map { ["(\($0) before this)"] } ?? []
        let shown = (note + lines).joined(separator: "\n")
        return "'\(commandLine)' \(wayItEnded)" + (shown.isEmpty ? "" : ":\n\(shown)")
    }

    /// Whether the text lacks the beginning of the output.
    public var isOutputCut: Bool { shownLines.leftOut != nil }

    /// The same for scripts.
    var error: ScriptError {
        var error = ScriptError(.failed, description, underlying: self)
        error.fields["status"] = status.map { .integer(Int64($0)) }
        error.fields["signal"] = signal.map { .integer(Int64($0)) }
        error.fields["output"] = output.map(ScriptValue.string)
        error.fields["errorOutput"] = errorOutput.map(ScriptValue.string)
        return error
    }

    private var wayItEnded: String {
        if let status { return "ended with status \(status)" }
        guard let number = signal else { return "was still running" }
        return "was ended by signal \(number)" + (signalNames[CInt(number)].map { " (\($0))" } ?? "")
    }

    /// The last lines of both outputs, without empty ones at the end, and a text for the part that was left out.
    private var shownLines: (lines: [String], leftOut: String?) {
        var bytes = wholeOutput[...]
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
            bytes = bytes.dropLast()
        }
        guard !bytes.isEmpty else { return ([], nil) }
        var start = bytes.endIndex
        var count = 0
        while start > bytes.startIndex, bytes.endIndex - start < Self.mostBytes {
            if bytes[start - 1] == UInt8(ascii: "\n") {
                count += 1
                if count == Self.mostLines { break }
            }
            start -= 1
        }
        let lines = String(decoding: bytes[start...], as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.last == "\r" ? String($0.dropLast()) : String($0) }
        guard start > bytes.startIndex else { return (lines, nil) }
        let left = bytes[..<start].count { $0 == UInt8(ascii: "\n") }
        let text = left == 0 ? "the beginning of the line" : left == 1 ? "1 line" : "\(left) lines"
        return (lines, text)
    }
}

private let signalNames: [CInt: String] = [
    SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
    SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1",
    SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2", SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM",
    SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGSYS: "SIGSYS",
]
