import SystemPackage
import Testing

/// `opscript test` as a user calls it.
@Suite struct TestCommandTests {
    @Test func `all passed is status 0, a failure 1`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "good_spec.lua",
            "it('a', function() assert.equals(1, await(work.compute.primes(3))) end)"
        )
        let good = try await CommandRun.command("test", folder: scratch.path)
        #expect(good.status == 0)
        #expect(good.text.hasPrefix("good_spec.lua\n  pass a\n\n1 passed ("))
        #expect(good.errors == "")
        try scratch.file("bad_scenario.lua", "it('b', function() error('no') end)")
        let bad = try await CommandRun.command("test", ".", folder: scratch.path)
        #expect(bad.status == 1)
        #expect(bad.text.hasPrefix("bad_scenario.lua\n  FAIL b\ngood_spec.lua\n  pass a\n"))
        #expect(bad.text.contains("1 passed, 1 failed ("))
        let one = try await CommandRun.command("test", "good_spec.lua", folder: scratch.path)
        #expect(one.status == 0)
    }

    @Test func `an error outside scenarios is status 1, and other files run`() async throws {
        let scratch = try Scratch()
        try scratch.file("a_spec.lua", "it('x', function( end)")
        try scratch.file("b_spec.lua", "it('y', function() end)")
        let run = try await CommandRun.command("test", folder: scratch.path)
        #expect(run.status == 1)
        #expect(run.text.contains("  pass y\n"))
        #expect(run.text.contains("a_spec.lua:1: "))
    }

    @Test(
        arguments: [
            (["--colour"], "Unknown option '--colour'"),
            (["--timeout", "0"], "--timeout is 0.0, but it must be a number of seconds above 0."),
            (["--output", "html"], "one of the following:\n  - readable\n  - tap\n  - junit\n  - json\n"),
            (["--filter", "("], "--filter: '(' is not a Lua pattern: '(' without ')'."),
            (["--tags", "a,,b"], "--tags is 'a,,b', but it must be tags with commas between."),
            (["--seed", "-1"], "--seed is '-1', but it must be a whole number of at least 0"),
            (["--repeat", "0"], "--repeat is 0, but it must be a whole number of at least 1."),
            (["--jobs", "0"], "--jobs is 0, but it must be a whole number of at least 1."),
            (["--real", "--explore", "pct"], "--explore is for virtual time, and --real for the real clock"),
            (
                ["--real", "--replay", "1@none"],
                "--replay is for virtual time, and --real for the real clock"
            ),
            (["--replay", "none"], "--replay is 'none', but here it is the number of a scenario"),
            (["--coverage="], "--coverage= needs the path of a file behind it."),
            (["no/such"], "cannot read 'no/such': no such file or directory"),
            (["."], "there is no file *_scenario.lua or *_spec.lua in '.'"),
        ]
    ) func `wrong options and paths are status 2`(_ words: [String], _ message: String) async throws {
        let scratch = try Scratch()
        let run = try await CommandRun.program(CommandRun.commandPath, ["test"] + words, folder: scratch.path)
        #expect(run.status == 2)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(run.text == "")
    }

    @Test func `help lists the options`() async throws {
        let run = try await CommandRun.command("test", "--help")
        #expect(run.status == 0)
        #expect(run.text.contains("--timeout"))
    }

    @Test func `--real runs all scenarios on the real clock, unchanged`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "a_spec.lua",
            "it('a', function() assert.is_false(clock.isVirtual) sleep(0.001) end)"
        )
        let real = try await CommandRun.command("test", "--real", folder: scratch.path)
        #expect(real.status == 0 && real.text.contains("1 passed"))
        let usual = try await CommandRun.command("test", folder: scratch.path)
        #expect(usual.status == 1 && usual.text.contains("1 failed"))
    }

    @Test func `a schedule is for one file, and --list shows the scenario of the schedule`() async throws {
        let scratch = try Scratch()
        try scratch.file("a_spec.lua", "it('one', function() end)\nit('two', function() end)")
        let list = try await CommandRun.command(
            "test",
            "--list",
            "--replay",
            "2@none",
            folder: scratch.path
        )
        #expect(list.status == 0 && list.text == "a_spec.lua:2: two\n")
        let all = try await CommandRun.command("test", "--list", "--explore", "pct", folder: scratch.path)
        #expect(all.status == 0 && all.text == "a_spec.lua:1: one\na_spec.lua:2: two\n")
        try scratch.file("b_spec.lua", "it('three', function() end)")
        let many = try await CommandRun.command("test", "--replay", "1@none", folder: scratch.path)
        #expect(many.status == 2 && many.text == "")
        #expect(many.errors.contains("--replay 1@none is for a scenario of one file, and there are 2"))
    }

    @Test func `--list names scenarios and runs none`() async throws {
        let scratch = try Scratch()
        try scratch.file("a_spec.lua", "it('a #x', function() print('run') end)\nit('b')")
        let run = try await CommandRun.command("test", "--list", folder: scratch.path)
        #expect(run.status == 0)
        #expect(run.text == "a_spec.lua:1: a #x\na_spec.lua:2: b (pending)\n")
        let chosen = try await CommandRun.command(
            "test",
            "--list",
            "--output=json",
            "--tags=x",
            folder: scratch.path
        )
        #expect(chosen.text.hasPrefix(#"{"event":"scenario","file":"a_spec.lua","line":1,"name":"a #x""#))
        #expect(chosen.text.split(separator: "\n").count == 1)
    }

    @Test func `an empty selection is reported`() async throws {
        let scratch = try Scratch()
        try scratch.file("a_spec.lua", "it('a', function() end)")
        let run = try await CommandRun.command("test", "--filter", "zzz", folder: scratch.path)
        #expect(run.status == 0)
        #expect(run.errors == "opscript: no scenario was chosen: 1 left out\n")
        #expect(run.text.contains("0 passed, 1 not chosen ("))
    }

    @Test func `the output of a scenario is kept out of a format for tools`() async throws {
        let scratch = try Scratch()
        try scratch.file("a_spec.lua", "it('a', function() io.write('ok 9 - x\\n') print('not ok 8') end)")
        let run = try await CommandRun.command("test", "--output", "tap", folder: scratch.path)
        #expect(run.status == 0)
        #expect(run.text.hasPrefix("TAP version 14\n# a_spec.lua\n# ok 9 - x\n# not ok 8\nok 1 - a\n"))
    }

    @Test func `a shuffled run prints the seed that repeats it`() async throws {
        let scratch = try Scratch()
        let text = (0..<8).map { "it('\($0)', function() end)" }.joined(separator: "\n")
        try scratch.file("a_spec.lua", text)
        let first = try await CommandRun.command("test", "--shuffle", folder: scratch.path)
        let seed = try #require(first.text.firstMatch(of: #/shuffled by --seed (\d+)/#)).1
        let again = try await CommandRun.command(
            "test",
            "--shuffle",
            "--seed",
            String(seed),
            folder: scratch.path
        )
        #expect(first.text.prefix { $0 != "(" } == again.text.prefix { $0 != "(" })
    }

    @Test func `coverage is reported, and written for lcov`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "sums.lua",
            "local sums = {}\nfunction sums.add(a, b)\n  return a + b\nend\nfunction sums.sub(a, b)\n  return a - b\nend\nreturn sums\n"
        )
        try scratch.file(
            "sums_spec.lua",
            "local s = require 'sums'\nit('adds', function() assert.equals(3, s.add(1, 2)) end)"
        )
        let run = try await CommandRun.command("test", "--coverage=out.info", folder: scratch.path)
        #expect(run.status == 0)
        #expect(
            run.text.hasSuffix("coverage:\n  sums.lua   87.5 % (7 of 8 lines)  missed: 6\n"),
            "\(run.text)"
        )
        let file = try await CommandRun.program("/bin/cat", ["out.info"], folder: scratch.path)
        #expect(file.text.contains("/sums.lua\nDA:1,1\nDA:2,1\nDA:3,1\n"), "\(file.text)")
        let lost = try await CommandRun.command("test", "--coverage=no/such/file", folder: scratch.path)
        #expect(lost.status == 2)
        #expect(lost.errors == "opscript: cannot write 'no/such/file': there is no folder 'no/such'\n")
    }

    @Test func `a script that is called test has to be named by a path`() async throws {
        let scratch = try Scratch()
        try scratch.file("test", "print('script')")
        let run = try await CommandRun.command("./test", folder: scratch.path)
        #expect(run.text == "script\n")
    }

    @Test func `an interruption runs no more scenarios, and reports those that ran`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "a_spec.lua",
            """
            it("before", function() end)
            it.real("interrupts", function()
                local file <close> = io.open("/proc/self/stat")
                await(work.process.run { "kill", "-INT", tostring(file:read("n")) })
                sleep(1e6)
            end)
            it("after", function() end)
            """
        )
        let run = try await CommandRun.command("test", folder: scratch.path)
        #expect(run.status == 130)
        #expect(run.text.hasPrefix("a_spec.lua\n  pass before\n\n1 passed, interrupted ("))
        #expect(run.errors.contains("no more scenarios are run"))
    }

    @Test func `--list has one line for each scenario, whatever its name`() async throws {
        let scratch = try Scratch()
        try scratch.file("a_spec.lua", "it('one\\ntwo', function() end)\nit('three', function() end)")
        let run = try await CommandRun.command("test", "--list", folder: scratch.path)
        #expect(run.status == 0 && run.text == "a_spec.lua:1: one?two\na_spec.lua:2: three\n")
    }
}
