import SystemPackage
import Testing

/// `--list`: the arguments and tasks that a script declares.
@Suite struct ListingTests {
    private static let tasks = """
        print "main chunk"
        local options = arguments { { "--jobs", type = "integer", required = true, help = "How many." } }
        print(options.jobs + 1)
        task("build", "Builds it.", function() error "it ran" end)
        for _, name in ipairs { "a", "b" } do task(name, "Computed.", function() end) end
        """

    @Test func `a listing has the arguments and all tasks, and nothing that the script prints`() async throws
    {
        let scratch = try Scratch()
        _ = try scratch.file("job.lua", Self.tasks)
        let run = try await CommandRun.shell("\"$opscript\" --list job.lua", folder: scratch.path)
        #expect(
            run.text == """
                USAGE: opscript job.lua --jobs <jobs> <task> ...

                OPTIONS:
                  --jobs <jobs>           How many. (required)
                  -h, --help              Show this help.

                TASKS:
                  build                   Builds it.
                  a                       Computed.
                  b                       Computed.

                """
        )
        #expect(run.errors.isEmpty)
        #expect(run.status == 0)
    }

    @Test(arguments: [
        "os.remove 'kept'", "io.open('kept', 'w'):close()", "os.execute 'rm kept'", "io.popen 'rm kept'",
        "sleep(0) os.remove 'kept'", "os.exit(3)", "io.read 'l'",
    ])
    func `a listing ends where the script would change something or wait`(_ code: String) async throws {
        let scratch = try Scratch()
        _ = try scratch.file(
            "job.lua",
            "task('build', 'Builds it.', print)\n\(code)\ntask('late', '', print)"
        )
        _ = try scratch.file("kept", "text")
        let run = try await CommandRun.shell("\"$opscript\" --list job.lua; cat kept", folder: scratch.path)
        #expect(run.text.contains("build"))
        #expect(!run.text.contains("late"))
        #expect(run.text.hasSuffix("text"))
    }

    @Test func `without tasks it ends at the call of arguments`() async throws {
        let run = try await CommandRun.command("--list", "-e", "arguments { { 'file' } } error(1)")
        #expect(run.text.contains("<file>"))
        #expect(run.status == 0)
    }

    @Test func `an error of the main chunk is shown below what was declared`() async throws {
        let run = try await CommandRun.command(
            "--list",
            "-e",
            "task('build', 'Builds it.', print) error 'broken'"
        )
        #expect(run.text.contains("build"))
        #expect(run.errors.contains("broken"))
        #expect(run.status == 1)
    }

    @Test func `a script without declarations is reported`() async throws {
        let scratch = try Scratch()
        let path = try scratch.file("job.lua", "print 'hi'")
        let run = try await CommandRun.command("--list", path.string)
        #expect(run.text.isEmpty)
        #expect(run.errors == "opscript: '\(path)' declares no arguments and no tasks\n")
        let alone = try await CommandRun.command("--list")
        #expect(alone.status == 2)
        #expect(alone.errors.contains("--list needs a script"))
        let plan = try await CommandRun.command("--list", "--plan", path.string)
        #expect(plan.status == 2)
    }

    @Test func `tasks are part of a plan`() async throws {
        let run = try await CommandRun.shell(
            "\"$opscript\" --plan - build",
            input: "task('build', 'Builds it.', print) task('clean', '', print)"
        )
        #expect(run.text.contains("'build', queue 'default'"))
        #expect(!run.text.contains("clean"))
    }
}
