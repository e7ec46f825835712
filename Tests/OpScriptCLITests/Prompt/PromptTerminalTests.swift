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

    private static let limit = TimeLimitTrait.Duration.minutes(5)

    @Test(.timeLimit(limit)) func `a line is edited, recalled and run again`() async throws {
        try await Self.session { terminal in
            // Two steps to the left, and one character deleted.
            terminal.type("print(12x4)\u{1B}[D\u{1B}[D\u{7F}\r")
            try terminal.wait("124") { $0.suffix(2) == ["124", ">"] }
            terminal.type("\u{1B}[A\u{7F}\u{7F}5)\r")
            try terminal.wait("125") { $0.suffix(2) == ["125", ">"] }
            terminal.type("exit\r")
            try terminal.wait(for: "status 0")
        }
    }

    @Test(.timeLimit(limit)) func `the history is searched, also in a later session`() async throws {
        let command = "\"$opscript\"; \"$opscript\""
        try await Self.session(command) { terminal in
            try terminal.enter("print('first ' .. 1)", output: "first 1")
            try terminal.enter("print(2)", output: "2")
            terminal.type("\u{4}")
            try terminal.wait("the second prompt") {
                $0.filter { $0.hasPrefix("opscript ") }.count == 2 && $0.last == ">"
            }
            terminal.type("\u{12}first\r")
            try terminal.wait("the line of the first session") { $0.suffix(2) == ["first 1", ">"] }
            terminal.type("\u{4}")
            try terminal.wait(for: "status 0")
        }
    }

    @Test(.timeLimit(limit)) func `Ctrl-C ends the line that runs and nothing else`() async throws {
        try await Self.session { terminal in
            terminal.type("await(work.sleep(1000))\r")
            try terminal.wait(for: "1 running")
            terminal.type("\u{3}")
            try terminal.wait("interrupted") { $0.suffix(2) == ["interrupted", ">"] }
            terminal.type("print 'loops' while true do end\r")
            try terminal.wait("the loop") { $0.contains("loops") }
            terminal.type("\u{3}")
            try terminal.wait("stdin:1: interrupted") {
                $0.suffix(2).first?.hasSuffix("stdin:1: interrupted") == true && $0.last == ">"
            }
            terminal.type("half a line\u{3}")
            try terminal.wait("an empty line") { $0.contains("> half a line^C") && $0.last == ">" }
            try terminal.enter("print(6 * 7)", output: "42")
            terminal.type("exit(3)\r")
            try terminal.wait(for: "status 3")
        }
    }

    @Test(.timeLimit(limit)) func `output of a timer leaves the line that is typed`() async throws {
        try await Self.session(columns: 40) { terminal in
            terminal.type(
                "Timer.scheduledTimer { interval = 0.2, repeats = true, block = function() print 'tick' end }\r"
            )
            try terminal.wait("a prompt below the timer") {
                $0.contains { $0.contains("scheduled)") } && $0.last == ">"
            }
            let line = "x = 'a line that is longer than one row of the screen'"
            terminal.type(line)
            try terminal.wait("ticks above the line") { lines in
                let joined = lines.joined()
                return lines.filter { $0 == "tick" }.count >= 3 && joined.hasSuffix("> " + line)
                    && joined.components(of: line) == 1
            }
            terminal.type("\u{3}exit\r")
            try terminal.wait(for: "status 0")
        }
    }

    @Test(.timeLimit(limit)) func `Tab completes names, and shows the choices`() async throws {
        try await Self.session { terminal in
            terminal.type("OperationQueue.def\t.na\t")
            try terminal.wait(for: "> OperationQueue.default.name")
            terminal.type("\u{3}")
            try terminal.wait("a prompt") { $0.last == ">" }
            try terminal.enter("local wrong = setmetatable({}, { __index = function() error 'no' end })")
            terminal.type("wrong.x\t\u{3}")
            try terminal.wait("a prompt") { $0.contains("> wrong.x^C") && $0.last == ">" }
            terminal.type("work.file.re\t\t")
            try terminal.wait(for: "read")
            try terminal.wait(for: "remove")
            terminal.type("\u{3}")
            try terminal.wait("a prompt") { $0.last == ">" }
            terminal.type("exit\r")
            try terminal.wait(for: "status 0")
        }
    }

    @Test(.timeLimit(limit)) func `a plain terminal gets plain lines`() async throws {
        try await Self.session("TERM=dumb \"$opscript\"") { terminal in
            try terminal.enter("6 * 7", output: "42")
            #expect(!terminal.screen.contains { $0.hasPrefix("opscript ") })
            terminal.type("exit\r")
            try terminal.wait(for: "status 0")
        }
    }
}

extension String {
    /// How often a text occurs in it.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
