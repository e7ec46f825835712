import Testing

/// The effect of lines at the prompt, without a terminal.
@Suite struct PromptLinesTests {
    private func run(_ lines: String, _ words: String...) async throws -> CommandRun {
        try await CommandRun.program(CommandRun.commandPath, ["-i"] + words, input: lines + "\n")
    }

    private func output(_ lines: String) async throws -> String {
        let run = try await run(lines)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        return run.text
    }

    @Test(arguments: [
        ("1 + 1, 'text', nil", "2\ttext\tnil\n"),
        ("= 3", "3\n"),
        (
            "{ 3, 'a', b = { c = true }, [2.5] = 'x', ['not a name'] = 1 }",
            "{ 3, \"a\", [2.5] = \"x\", b = { c = true }, [\"not a name\"] = 1 }\n"
        ),
        ("{}", "{}\n"),
        ("{ 'a\\n\\0\"\\xff' }", "{ \"a\\n\\x00\\\"\\xFF\" }\n"),
        (
            "local t = {} t.self = t t.list = { t } return t",
            "{ list = { (the table 2 levels up) }, self = (this table) }\n"
        ),
        ("{ { { { { 1 } } } } }", "{ { { { {…} } } } }\n"),
        (
            "Gate 'g', OperationQueue { name = 'q' }",
            "Gate 'g' (pending)\tOperationQueue 'q' (0 operations)\n"
        ),
        ("{ Gate 'g' }", "{ Gate 'g' (pending) }\n"),
        ("print", "function (built in)\n"),
        ("function f() end\nf", "function (stdin:1)\n"),
        ("setmetatable({}, { __tostring = function() error 'no' end })", "table (its __tostring failed)\n"),
        ("setmetatable({}, { __tostring = function() return 'mine' end })", "mine\n"),
        ("40\n_ + 2\nprint(_)", "40\n42\n42\n"),
        ("x = 1\nx", "1\n"),
        ("for i = 1, 2 do\nprint(i)\nend", "1\n2\n"),
        ("local t = {\n1,\n}\nt", "{ 1 }\n"),
        ("local x, y <const> = 1, 2\nfunction up() x = x + y end\nup()\nx", "3\n"),
        ("local function f() return 'f' end\nf()", "f\n"),
        ("local x = 1 return x\nx", "1\n1\n"),
        ("local x = 1\nlocal x = 'new'\nx", "new\n"),
        ("local f <close> = setmetatable({}, { __close = print })\nf", "table\tnil\n"),
        ("help 'op:addDependncy'", ""),
    ])
    func `values are shown`(_ lines: String, _ expected: String) async throws {
        let text = try await output(lines)
        if expected.isEmpty { return #expect(text.contains("did you mean")) }
        if expected.hasPrefix("table\t") { return #expect(text.hasSuffix("nil\n")) }
        #expect(text == expected)
    }

    @Test func `long tables and texts are cut`() async throws {
        let text = try await output(
            "local t = {} for i = 1, 1000 do t[i] = i end return t\n{ ('x'):rep(1000) }\n"
                + "local t = {} for i = 1, 100000 do t['k' .. i] = i end return t"
        )
        #expect(text.contains("… and 960 more"))
        #expect(text.contains("x\"… (1000 bytes)"))
        #expect(text.contains("… and more"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count < 500 })
    }

    @Test func `errors have their place and the frames of the line`() async throws {
        let run = try await run(
            "error 'plain'\nlocal function f() error('deep') end\nx = f()\nerror { code = 3 }\nx = = 1\nawait(Gate 'g')"
        )
        #expect(
            run.errors == """
                stdin:1: plain
                stdin:1: deep
                stack traceback:
                \t[C]: in function 'error'
                \tstdin:1: in upvalue 'f'
                \tstdin:1: in main chunk
                error with a value: { code = 3 }
                stdin:1: unexpected symbol near '='
                stdin:1: nothing is left that could end the gate 'g'

                """,
            "\(run.errors)"
        )
        #expect(run.status == 0)
    }

    @Test func `an error of a callback leaves the session`() async throws {
        let run = try await run(
            "Timer.scheduledTimer { interval = 0, block = function() error 'in the timer' end }\nsleep(0.1)\nprint 'on'"
        )
        #expect(run.text.hasSuffix("on\n"))
        #expect(run.errors.contains("in the timer"))
    }

    @Test func `a gate of one line is opened by a later one`() async throws {
        let text = try await output(
            "g = Gate 'g' op = async(function() return await(g) end)\nsleep(0)\ng:finish(7)\nawait(op)"
        )
        #expect(text == "7\n")
    }

    @Test func `the prompt follows a script, also one that failed`() async throws {
        let scratch = try Scratch()
        try scratch.file("job.lua", "value = 5 error 'broken'")
        let run = try await CommandRun.program(
            CommandRun.commandPath,
            ["-i", "job.lua", "word"],
            input: "value, arg[1]\nexit(4)\n",
            folder: scratch.path
        )
        #expect(run.text == "5\tword\n")
        #expect(run.errors.contains("job.lua:1: broken"))
        #expect(run.status == 4)
        try scratch.file("leaves.lua", "os.exit(6)")
        // Through a shell, since the command may be gone before the line is written.
        let left = try await CommandRun.shell(
            "echo \"print 'not read'\" | \"$opscript\" -i leaves.lua",
            folder: scratch.path
        )
        #expect(left.status == 6 && left.text.isEmpty)
    }

    @Test func `help describes types, calls, properties and works`() async throws {
        let text = try await output(
            "help(Gate 'g')\nhelp 'addDependency'\nhelp(work.file.read)\nhelp 'Operation.isCancelled'\nhelp(sleep)\nhelp"
                + "\nhelp 'retry'\nhelp 'OperationQueue:map'\nhelp 'Timer'"
        )
        for part in [
            "Gate 'g' (pending)", "op:addDependency(other [, when])", "work.file.read(path [, options])",
            "Operation.isCancelled",
            "sleep(seconds)", "Ctrl-R", "\n    attempts      a whole number from 1\n",
            "\n    limit  a whole number from 1\n",
            "\n    and the properties of Timer that can be set\n",
        ] { #expect(text.contains(part), "\(part)") }
    }

    @Test func `os.exit leaves with its status, and an unfinished piece at the end is an error`() async throws
    {
        let left = try await run("os.exit(5)")
        #expect(left.status == 5 && left.errors.isEmpty, "\(left.errors)")
        let run = try await run("for i = 1, 2 do")
        #expect(run.errors.contains("stdin:1: 'end' expected near <eof>"), "\(run.errors)")
    }
}
