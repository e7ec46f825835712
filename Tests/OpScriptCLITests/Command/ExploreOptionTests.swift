import Testing

/// `--explore` and `--replay` of the command, and the limits of virtual time.
@Suite struct ExploreOptionTests {
    private let race = """
        local text
        async(function() sleep(1) text = "news" end)
        local b = async(function() sleep(1) assert(text, "too early") end)
        await(b)
        print(3)
        """

    @Test func `a race is found, shrunk and replayed`() async throws {
        for strategy in ["random", "pct", "dfs"] {
            let run = try await CommandRun.script(race, options: ["--virtual", "--explore", strategy])
            #expect(run.status == 1 && run.text == "")
            #expect(run.errors.contains("too early") && run.errors.contains("schedule 1:1/2"))
            #expect(run.errors.contains("--virtual --seed 0 --replay 1:1/2"))
        }
        let usual = try await CommandRun.script(race, options: ["--virtual"])
        #expect(usual.status == 0 && usual.text == "3\n")
        let again = try await CommandRun.script(race, options: ["--virtual", "--replay", "1:1/2"])
        #expect(again.status == 1 && again.errors.contains("too early"))
        let none = try await CommandRun.script(race, options: ["--virtual", "--replay", "none"])
        #expect(none.status == 0 && none.text == "3\n")
    }

    @Test func `the command that runs it again can be pasted into a shell`() async throws {
        let code = "print('it is') error \"no\""
        let run = try await CommandRun.command(
            "--virtual",
            "--explore",
            "pct",
            "--max-steps",
            "500",
            "-e",
            code
        )
        #expect(run.status == 1)
        let line = try #require(run.errorLines.first { $0.contains("again: ") })
        let words = try #require(line.split(separator: ": opscript ").last)
        let again = try await CommandRun.shell("$opscript \(words)")
        #expect(again.status == 1 && again.text == "it is\n" && again.errors.contains(": no"), "\(line)")
        #expect(words.contains("--max-steps 500"))
    }

    @Test func `the absence of failures is reported`() async throws {
        let run = try await CommandRun.script(
            "sleep(1) print(1)",
            options: ["--virtual", "--explore", "pct", "--iterations", "5"]
        )
        #expect(run.status == 0 && run.text == "")
        #expect(run.errors.contains("interleavings without a failure: "))
    }

    @Test func `a schedule that does not fit is an error`() async throws {
        for schedule in ["9:1/2", "1:1/7"] {
            let run = try await CommandRun.script(race, options: ["--virtual", "--replay", schedule])
            #expect(run.status == 1 && run.errors.contains("the schedule does not fit this run"))
        }
    }

    @Test func `wrong options are reported`() async throws {
        let cases: [([String], String)] = [
            (["--virtual", "--explore", "all"], "random, pct or dfs"),
            (["--explore", "pct"], "--explore needs --virtual"),
            (["--replay", "none"], "--replay needs --virtual"),
            (["--max-steps", "5"], "--max-steps needs --virtual"),
            (["--virtual", "--iterations", "5"], "--iterations needs --explore"),
            (["--virtual", "--explore", "pct", "--depth", "0"], "--depth is 0"),
            (["--virtual", "--replay", "1"], "--replay is '1'"),
            (["--virtual", "--explore", "pct", "--replay", "none"], "use one of them"),
            (["--virtual", "--max-time", "-1"], "--max-time is -1"),
        ]
        for (options, text) in cases {
            let run = try await CommandRun.program(CommandRun.commandPath, options + ["-e", "print(1)"])
            #expect(
                run.status == 2 && run.text == "" && run.errors.contains(text),
                "\(options) \(run.errors)"
            )
        }
    }

    @Test func `a script that never ends is stopped, and its waits are named`() async throws {
        let steps = try await CommandRun.script(
            "while true do pcall(sleep, 1) end",
            options: ["--virtual", "--max-steps", "2000"]
        )
        #expect(steps.status == 4 && steps.errors.contains("it took 2000 steps and did not end"))
        #expect(steps.errors.contains("still running: the wait at"))
        let time = try await CommandRun.script(
            "Timer.scheduledTimer { interval = 1, repeats = true, block = function() end }",
            options: ["--virtual", "--max-time", "100"]
        )
        #expect(
            time.status == 4
                && time.errors.contains("within 100 s of virtual time; still running: the timer of")
        )
    }
}
