import SystemPackage
import Testing

/// Ctrl-Z: the command stops with its programs, and continues with them.
@Suite struct SuspensionTests {
    private static let limit = TimeLimitTrait.Duration.minutes(5)
    /// Starts a program, and prints a line when it runs.
    private static let code =
        #"op = work.process.shell("echo $$ >pid; echo it runs; exec sleep 1000") "#
        + "OperationQueue.default:addOperation(op) print(op:lines()())"

    /// Runs a shell with job control, which says when the program of the stopped command has stopped, too, and brings
    /// the command back.
    private static func session(
        _ words: String,
        _ body: @escaping @Sendable (TypedTerminal) throws -> Void
    ) async throws {
        let scratch = try Scratch()
        try scratch.file("job.lua", code)
        let folder = scratch.path.string
        // The kernel stops a program when it next runs, which a busy machine delays.
        let state = #"until grep -q ") T " /proc/$(cat pid)/stat; do sleep 0.01; done; echo "state T""#
        try await onOwnThread {
            let line = "set -m; \"$opscript\" \(words); \(state); fg >/dev/null"
            try body(try TypedTerminal(line, columns: 120, folder: folder))
        }
    }

    @Test(.timeLimit(limit)) func `a run stops with its programs, and the live lines do not stay`()
        async throws
    {
        try await Self.session("job.lua") { terminal in
            try terminal.wait("live lines") {
                $0.contains("it runs") && $0.last?.contains("process.shell") == true
            }
            terminal.type("\u{1A}")
            try terminal.wait("a stopped program") { $0.contains("state T") }
            try terminal.wait("the live lines again") { lines in
                lines.filter { $0.contains("1 running") }.count == 1
                    && lines.last?.contains("process.shell") == true
            }
            terminal.type("\u{3}")
            try terminal.wait(for: "status 130")
        }
    }

    @Test(.timeLimit(limit)) func `the prompt stops with its programs while a line is typed`() async throws {
        try await Self.session("") { terminal in
            try terminal.wait("a prompt") { $0.last == ">" }
            terminal.type(Self.code + "\r")
            try terminal.wait("a prompt") { $0.suffix(2) == ["it runs", ">"] }
            terminal.type("print(6 * ")
            try terminal.wait("the line") { $0.last == "> print(6 *" }
            terminal.type("\u{1A}")
            try terminal.wait("a stopped program") { $0.contains("state T") }
            try terminal.wait("the line again") { $0.last == "> print(6 *" }
            terminal.type("7)\r")
            try terminal.wait("the result") { $0.suffix(2) == ["42", ">"] }
            terminal.type("exit\r")
            try terminal.wait(for: "status 0")
        }
    }
}
