import SystemPackage
import Testing

/// The screen of a person at the prompt.
@Suite struct PromptTerminalTests {
    /// Runs a session on a thread of its own.
    private static func session(
        _ command: String = "\"$opscript\"",
        columns: Int = 80,
        _ body: @escaping @Sendable (TypedTerminal) throws -> Void
    ) async throws {
        let scratch = try Scratch()
        let folder = scratch.path.string
        try await onOwnThread {
            let terminal = try TypedTerminal(command, columns: columns, folder: folder)
            try terminal.wait("a prompt") { $0.last == ">" }
            try body(terminal)
        }
    }

    /// All tests of a run begin at once.
    private static let limit = TimeLimitTrait.Duration.minutes(15)

    @Test(.timeLimit(limit)) func `a line is edited, recalled and run again`() async throws {
        try await Self.session { terminal in
            // Two steps to the left, and one character deleted.
            terminal.type("print(12x4)\u{1B}[D\u{1B}[D\u{7F}\r")
            try terminal.wait("124") { $0.contains("124") }
            terminal.type("\u{1B}[A\u{7F}\u{7F}5)\r")
            try terminal.wait("125") { $0.contains("125") }
            try terminal.enter("exit", until: "status 0")
        }
    }

    @Test(.timeLimit(limit)) func `the history is searched, also in a later session`() async throws {
        let command = "\"$opscript\"; \"$opscript\""
        try await Self.session(command) { terminal in
            try terminal.enter("print('first ' .. 1)", until: "first 1")
            try terminal.enter("print(2)", until: "2")
            terminal.type("\u{4}")
            try terminal.wait("the second prompt") { $0.filter { $0.hasPrefix("opscript ") }.count == 2 }
            try terminal.wait("a prompt") { $0.last == ">" }
            terminal.type("\u{12}first\r")
            try terminal.wait("the line of the first session") { $0.filter { $0 == "first 1" }.count == 2 }
            terminal.type("\u{4}")
            try terminal.wait(for: "status 0")
        }
    }

    @Test(.timeLimit(limit)) func `Ctrl-C ends the line that runs and nothing else`() async throws {
        try await Self.session { terminal in
            terminal.type("await(work.sleep(1000))\r")
            try terminal.wait(for: "1 running")
            terminal.type("\u{3}")
            try terminal.wait("interrupted") { $0.contains("interrupted") }
            terminal.type("print 'loops' while true do end\r")
            try terminal.wait("the loop") { $0.contains("loops") }
            terminal.type("\u{3}")
            try terminal.wait(for: "stdin:1: interrupted")
            terminal.type("half a line\u{3}")
            try terminal.wait("an empty line") { $0.contains("> half a line^C") && $0.last == ">" }
            try terminal.enter("print(6 * 7)", until: "42")
            try terminal.enter("exit(3)", until: "status 3")
        }
    }

    @Test(.timeLimit(limit)) func `output of a timer leaves the line that is typed`() async throws {
        try await Self.session(columns: 40) { terminal in
            terminal.type(
                "Timer.scheduledTimer { interval = 0.2, repeats = true, block = function() print 'tick' end }\r"
            )
            try terminal.wait(for: "scheduled")
            let line = "x = 'a line that is longer than one row of the screen'"
            terminal.type(line)
            try terminal.wait("ticks above the line") { lines in
                let joined = lines.joined()
                return lines.filter { $0 == "tick" }.count >= 3 && joined.hasSuffix("> " + line)
                    && joined.components(of: line) == 1
            }
            terminal.type("\r")
            try terminal.enter("exit", until: "status 0")
        }
    }

    @Test(.timeLimit(limit)) func `Tab completes names, and shows the choices`() async throws {
        try await Self.session { terminal in
            terminal.type("OperationQueue.def\t.na\t")
            try terminal.wait(for: "> OperationQueue.default.name")
            terminal.type("\u{3}")
            try terminal.enter(
                "local wrong = setmetatable({}, { __index = function() error 'no' end })",
                until: ">"
            )
            terminal.type("wrong.x\t\u{3}work.file.re\t\t")
            try terminal.wait(for: "read")
            try terminal.wait(for: "remove")
            terminal.type("\u{3}")
            try terminal.enter("exit", until: "status 0")
        }
    }

    @Test(.timeLimit(limit)) func `a plain terminal gets plain lines`() async throws {
        try await Self.session("TERM=dumb \"$opscript\"") { terminal in
            try terminal.enter("6 * 7", until: "42")
            #expect(!terminal.screen.contains { $0.hasPrefix("opscript ") })
            try terminal.enter("exit", until: "status 0")
        }
    }
}

extension String {
    /// How often a text occurs in it.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
