import SystemPackage
import Testing

/// The command line: the script, its arguments, and refusals.
@Suite struct CommandLineTests {
    @Test func `code on the command line runs before the script and shares its globals`() async throws {
        let run = try await CommandRun.command(
            "-e",
            "x = 4",
            "-ey = 3",
            "-",
            "a b",
            input: "print(x * y, arg[1], #arg)"
        )
        #expect(run.text == "12\ta b\t1\n")
        #expect(run.status == 0)
    }

    @Test func `standard input is the script when none is named`() async throws {
        let run = try await CommandRun.command(input: "print(arg[0], #arg)")
        #expect(run.text == "\(CommandRun.commandPath)\t0\n")
    }

    @Test func `a first line for the kernel is skipped and lines keep their numbers`() async throws {
        let scratch = try Scratch()
        let path = try scratch.file("job", "#!/usr/bin/env opscript\nprint(arg[0], ...)\nerror('here')")
        let run = try await CommandRun.command(path.string, "-v", "--", "x")
        #expect(run.text == "\(path)\t-v\t--\tx\n")
        #expect(run.errors.contains("job:3: here"))
        #expect(run.status == 1)
    }

    @Test func `negative places of arg hold the words before the script`() async throws {
        let scratch = try Scratch()
        let path = try scratch.file("job.lua", "print(arg[-1], arg[-2], arg[-3] ~= nil, arg[-4])")
        let run = try await CommandRun.command("-j", "2", path.string)
        #expect(run.text == "2\t-j\ttrue\tnil\n")
    }

    @Test func `version and help go to standard output`() async throws {
        for option in ["-v", "--version"] {
            let run = try await CommandRun.command(option)
            #expect(run.status == 0)
            #expect(run.text.hasPrefix("opscript "))
            #expect(run.errors.isEmpty)
        }
        let help = try await CommandRun.command("--help")
        #expect(help.status == 0)
        #expect(help.errors.isEmpty)
        for word in ["-e", "--jobs", "--timeout", "--quiet", "--version", "124", "130", "143", "129"] {
            #expect(help.text.contains(word))
        }
    }

    @Test(arguments: [
        (["-j", "x"], "The value 'x' is invalid for '-j <n>': it must be a whole number of at least 1."),
        (
            ["--timeout", "5m"],
            "The value '5m' is invalid for '--timeout <seconds>': it must be a number of seconds, such as 90 or 0.5."
        ),
        (["--replay", "xx"], "--replay is 'xx', but it must be a schedule such as 3:1/2,17:2/4, or 'none'."),
    ]) func `a refused value is answered with what the option takes`(
        _ words: [String],
        _ answer: String
    ) async throws {
        let run = try await CommandRun.program(CommandRun.commandPath, words)
        #expect(run.errors.hasPrefix("opscript: \(answer) "), "\(run.errors)")
        #expect(run.status == 2)
    }

    @Test func `an error of the script leaves out hints about operations that it could no longer add`()
        async throws
    {
        let run = try await CommandRun.script("local op = work.sleep(0) error('broken')")
        #expect(run.errors.contains("broken"))
        #expect(!run.errors.contains("never added"))
    }

    @Test(arguments: [
        ["--nonsense"], ["--jobs", "0"], ["--jobs", "many"], ["--jobs"], ["--timeout", "0"],
        ["--timeout", "x"], ["-e"],
    ]) func `wrong options are usage errors of one line`(_ words: [String]) async throws {
        let run = try await CommandRun.program(CommandRun.commandPath, words)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.errorLines.count == 1, "\(run.errors)")
        #expect(run.errors.hasPrefix("opscript: "))
        #expect(run.errors.contains("opscript --help"))
    }

    @Test func `a script that cannot be read is named in one line`() async throws {
        let scratch = try Scratch()
        let bytes = try scratch.file("bytes.lua", "print(1)\0\0")
        let compiled = try scratch.file("compiled.lua", "\u{1B}Lua")
        let wrong = try scratch.file("wrong.lua", "print(1)\nlocal = 2")
        let expected = [
            ("\(scratch.path)/missing.lua", "no such file"),
            (scratch.path.string, "is a directory"),
            (bytes.string, "is not a text file"),
            (compiled.string, "bad binary format (truncated chunk)"),
            // Opens, also for root, but cannot be read.
            ("/proc/self/mem", "input/output error"),
            (wrong.string, "wrong.lua:2: "),
        ]
        for (path, reason) in expected {
            let run = try await CommandRun.command(path)
            #expect(run.status == 1)
            #expect(run.output.isEmpty)
            #expect(run.errorLines.count == 1, "\(run.errors)")
            #expect(run.errors.hasPrefix("opscript: "))
            #expect(run.errors.contains(reason), "\(run.errors)")
        }
    }

    @Test func `jobs sets how many closures run at once`() async throws {
        let script = """
            local queue, most, now = OperationQueue { maxConcurrentOperationCount = 3 }, 0, 0
            for i = 1, 6 do
                local op = work.block(0.01)
                op:observe("isExecuting", function(change)
                    now = now + (change.new and 1 or -1)
                    most = math.max(most, now)
                end)
                queue:addOperation(op)
            end
            queue:waitUntilAllOperationsAreFinished()
            print(most, now)
            """
        #expect(try await CommandRun.script(script, options: ["--jobs", "1"]).text == "1\t0\n")
    }

    @Test func `quiet leaves out hints, but not failures`() async throws {
        let script = "work.sleep(0) OperationQueue():addOperation(function() error('broken') end)"
        let loud = try await CommandRun.script(script)
        #expect(loud.errors.contains("was made but never added to a queue"))
        let quiet = try await CommandRun.script(script, options: ["--quiet"])
        #expect(!quiet.errors.contains("was made but never added to a queue"))
        #expect(quiet.errors.contains("broken"))
        #expect(quiet.status == 1)
    }
}
