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

    @Test func `an error outside of scenarios is status 1, and the others go on`() async throws {
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

    @Test func `help says what there is`() async throws {
        let run = try await CommandRun.command("test", "--help")
        #expect(run.status == 0)
        #expect(run.text.contains("--timeout"))
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
}
