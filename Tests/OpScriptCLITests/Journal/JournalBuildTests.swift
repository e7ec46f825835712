import Glibc
import SystemPackage
import Testing

/// Builds with declared files, and jobs that are killed.
@Suite(.timeLimit(.minutes(20))) struct JournalBuildTests {
    private static let build = SourceTree.examples.appending("build.lua").string
    private static let crash = SourceTree.root.appending("scripts/crash/crash.lua").string

    /// Builds the C files of this project's layer around Lua.
    private func build(_ scratch: Scratch, _ options: String = "") async throws -> CommandRun {
        let root = SourceTree.root.string
        return try await CommandRun.shell(
            "CC=clang \"$opscript\" --journal j --resume \(options) '\(Self.build)' src out -Isrc/include "
                + "-I/usr/include/lua5.4 '-I\(root)/Sources/CLinux'",
            folder: scratch.path
        )
    }

    @Test func `an output and an input are one file by any spelling`() async throws {
        let scratch = try Scratch()
        let script = SourceTree.root.appending("Tests/OpScriptCLITests/Journal/Lua/spellings.lua").string
        let run = try await CommandRun.shell(
            "mkdir home; cd home; \"$opscript\" -q '\(script)' 400 7",
            folder: scratch.path
        )
        #expect(
            run.text.contains(/^[0-9]{2,} pairs lead to one file, [0-9]+ do not, wrong: 0\n$/),
            "\(run.text) \(run.errors)"
        )
    }

    @Test func `an operation that was under way when its run was killed is not up to date`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local interrupted = "if test -e kill; then echo half > out/f; kill -9 $PPID; sleep 1; fi; "
            local x = work.process.shell(interrupted .. "mkdir -p out; cat in > out/f")
            x.name, x.inputs, x.outputs = "x", { "in" }, { "out" }
            OperationQueue.default:addOperation(x)
            x:waitUntilFinished()
            print(x.isUpToDate)
            """
        )
        let run = try await CommandRun.shell(
            """
            echo a > in; "$opscript" -q --resume job.lua; echo b > in; touch kill
            { "$opscript" -q --resume job.lua; } 2>/dev/null; rm kill; echo a > in
            "$opscript" -q --resume job.lua; cat out/f
            """,
            folder: scratch.path
        )
        #expect(run.text == "false\nfalse\na\n", "\(run.errors)")
    }

    @Test func `an operation that reads files in a folder waits for the one that makes the folder`()
        async throws
    {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local use = work.process.shell("cat d/a/* > y")
            local late = work.process.shell("cat d/a/x > z")
            use.inputs, use.outputs = { "d/a/*" }, { "y" }
            local make = work.process.shell("mkdir -p d/a; cat in > d/a/x")
            make.inputs, make.outputs = { "in" }, { os.getenv("PWD") .. "/d" }
            late.inputs, late.outputs = { "d/a/x" }, { "z" }
            OperationQueue.default:addOperations({ use, late, make }, true)
            print(use.outcome, late.outcome)
            """
        )
        let run = try await CommandRun.shell(
            """
            echo 1 > in; "$opscript" -q --resume job.lua; echo 2 > in; "$opscript" -q --resume job.lua; cat y z
            """,
            folder: scratch.path
        )
        #expect(run.text == "succeeded\tsucceeded\nsucceeded\tsucceeded\n2\n2\n", "\(run.errors)")
    }

    @Test func `an explanation follows dependencies on operations that may run, whatever their condition`()
        async throws
    {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local start = Operation(function() end)
            local make, use = work.process.shell("cat in > x"), work.process.shell("cat x > y")
            start.name, make.name, use.name = "start", "make", "use"
            make.inputs, make.outputs, use.inputs, use.outputs = { "in" }, { "x" }, { "x" }, { "y" }
            make:addDependency(start)
            use:addDependency(make, "finished")
            OperationQueue.default:addOperations({ start, make, use }, true)
            """
        )
        let run = try await CommandRun.shell(
            """
            echo 1 > in; "$opscript" -q --resume --explain use job.lua; "$opscript" -q --resume job.lua
            echo 2 > in; "$opscript" -q --resume --explain use job.lua
            """,
            folder: scratch.path
        )
        let line = "'use' may run: it depends on 'make', which would run\n"
        #expect(run.text == line + line, "\(run.errors)")
    }

    @Test(arguments: [
        "return { n = 17 }", "return table.pack('a', nil, 'c', nil)", "return { n = 2, 'a', sum = 1 }",
    ])
    func `a recorded table is as it was`(_ body: String) async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local op = Operation { name = "op", recording = "result", main = function() \(body) end }
            local result = await(op)
            for _, key in ipairs { 1, 2, 3, "n", "sum" } do io.write(tostring(result[key]), " ") end
            print(op.isRecorded)
            error("not yet", 0)
            """
        )
        let run = try await CommandRun.shell(
            "for i in 1 2; do \"$opscript\" -q --resume job.lua 2>/dev/null; done",
            folder: scratch.path
        )
        let lines = run.text.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasSuffix(" false"), "\(run.text) \(run.errors)")
        #expect(lines.last.map { $0.dropLast(4) } == lines.first.map { $0.dropLast(5) }, "\(run.text)")
    }

    @Test func `a recorded operation gives its lines`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local op, other = work.process.shell("echo one; echo two; echo three >&2"), work.process.shell("echo four")
            other:addDependency(op)
            OperationQueue.default:addOperations { op, other }
            for line in op:lines() do io.write(line, " ") end
            for line in op:lines("error") do io.write(line, " ") end
            for line in other:lines() do io.write(line, " ") end
            print(op.isRecorded)
            error("not yet", 0)
            """
        )
        let run = try await CommandRun.shell(
            "for i in 1 2; do \"$opscript\" -q --resume job.lua 2>/dev/null; done",
            folder: scratch.path
        )
        #expect(run.text == "one two three four false\none two three four true\n", "\(run.errors)")
    }

    @Test func `an output that an operation has begun to read is refused`() async throws {
        let scratch = try Scratch()
        try scratch.script("late_output.lua")
        let run = try await CommandRun.shell(
            "touch upper.txt; \"$opscript\" -q job.lua \"$PWD\"",
            folder: scratch.path
        )
        #expect(
            run.text.contains("'upper' makes a file that 'count' reads, and that has begun"),
            "\(run.errors)"
        )
        #expect(run.status == 0)
    }

    @Test func `a journal keeps its large results whatever link leads to it`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local big = work.process.shell("head -c 400000 /dev/zero | tr '\\\\0' x")
            local last = work.process.shell("test -e go")
            last:addDependency(big)
            OperationQueue.default:addOperations { big, last }
            last:waitUntilFinished()
            print(big.isRecorded)
            """
        )
        let run = try await CommandRun.shell(
            """
            mkdir far; ln -s far/j j
            "$opscript" -q --journal j job.lua 2>/dev/null; ls far
            "$opscript" -q --journal far/j --resume job.lua 2>/dev/null
            ln far/j far/k; "$opscript" --journal far/k job.lua 2>&1 | grep -c 'has 2 names'
            """,
            folder: scratch.path
        )
        #expect(run.text == "false\nj\nj.results\ntrue\n1\n", "\(run.errors)")
    }

    @Test func `a C project is built once, and after a change only what depends on it`() async throws {
        let scratch = try Scratch()
        _ = try await CommandRun.shell("cp -r '\(SourceTree.root.string)/CLua' src", folder: scratch.path)
        let first = try await build(scratch)
        #expect(first.text == "out/library.a: built\n", "\(first.errors)")
        #expect(try await build(scratch).text == "out/library.a: up to date\n")
        // A comment changes no object, so the archive is up to date.
        _ = try await CommandRun.shell("echo '// comment' >> src/patterns.h", folder: scratch.path)
        let explained = try await build(scratch, "--explain")
        #expect(
            explained.text.contains("'patterns.c' would run: the dependency 'src/patterns.h' has changed")
        )
        #expect(explained.text.contains("'clock.c' does not run: it is up to date"))
        #expect(explained.text.contains("'library' may run: it depends on "))
        let comment = try await build(scratch)
        #expect(comment.text == "out/library.a: up to date\n")
        #expect(comment.errors.contains("23 up to date, 2 run"), "\(comment.errors)")
        _ = try await CommandRun.shell("rm out/clock.o; touch src/*", folder: scratch.path)
        #expect(try await build(scratch).errors.contains("23 up to date, 2 run"))
        // A failed build is continued, although its folder is gone.
        let gone = try await CommandRun.shell("echo x >> src/clock.c", folder: scratch.path)
        #expect(gone.status == 0)
        #expect(try await build(scratch).status == 1)
        _ = try await CommandRun.shell("rm -r out; sed -i '$d' src/clock.c", folder: scratch.path)
        #expect(try await build(scratch).text == "out/library.a: built\n")
        // Another flag is another key.
        let all = try await build(scratch, "--explain clock.c")
        #expect(all.text.split(separator: "\n").count == 1)
    }

    @Test func `jobs that are killed at random instants lose nothing and repeat nothing`() async throws {
        let scratch = try Scratch()
        let run = try await CommandRun.shell(
            "\"$opscript\" -q '\(Self.crash)' \"$opscript\" '\(scratch.path)' 40",
            folder: scratch.path
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.text.hasPrefix("jobs: 40, kills: "))
    }

    private static let hasNinja = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":")
        .contains { access("\($0)/ninja", X_OK) == 0 }

    @Test(.enabled(if: hasNinja, "the test compares with ninja, which is not installed"))
    func `after random edits, the same steps run as with ninja`() async throws {
        let scratch = try Scratch()
        let script = SourceTree.root.appending("scripts/ninja/differential.lua").string
        let run = try await CommandRun.shell(
            "\"$opscript\" -q '\(script)' \"$opscript\" '\(scratch.path)' 15",
            folder: scratch.path
        )
        #expect(run.text.hasPrefix("edits: 15, "), "\(run.errors)")
    }

    @Test func `a missing input is an error, and an output that was not made a failure`() async throws {
        let missing = try await CommandRun.script(
            """
            local op = work.process.shell("true")
            op.name, op.inputs, op.outputs = "step", { "nowhere" }, {}
            print(select(2, pawait(op)))
            local other = work.process.shell("true")
            other.name, other.outputs = "maker", { "nothing" }
            print(select(2, pawait(other)))
            """
        )
        #expect(
            missing.text == """
                the input 'nowhere' of 'step' is missing, and no operation on which it depends makes it
                'maker' has not made its output 'nothing'

                """
        )
    }

    @Test func `a file is an output of one operation, be it by its name or by a pattern`() async throws {
        for (first, second, isRefused) in [
            ("a", "a", true), ("a1", "a?", true), ("a?", "a1", true), ("a*", "a*", true), ("a", "b", false),
            ("b/a1", "a?", false), ("./a", "a", true),
        ] {
            let run = try await CommandRun.script(
                """
                local one, two = work.process.shell("true"), work.process.shell("true")
                one.name, one.outputs = "one", { "\(first)" }
                print(pcall(function() two.outputs = { "\(second)" } end))
                """
            )
            #expect(
                run.text.contains("among the outputs of 'one' already") == isRefused,
                "\(first), \(second): \(run.text)"
            )
        }
    }

    @Test(arguments: [("a1", "a?"), ("a?", "a1"), ("a?", "a?"), ("a1", "a1")])
    func `an operation depends on the one whose output it reads, by name or by pattern`(
        _ output: String,
        _ input: String
    ) async throws {
        for setsInputsFirst in [true, false] {
            let lines = ["reader.inputs = { \"\(input)\" }", "maker.outputs = { \"\(output)\" }"]
            let run = try await CommandRun.script(
                """
                local maker, reader = work.process.shell("true"), work.process.shell("true")
                \((setsInputsFirst ? lines : lines.reversed()).joined(separator: "\n"))
                print(#reader.dependencies, reader.dependencies[1] == maker)
                """
            )
            #expect(run.text == "1\ttrue\n", "\(run.text)\(run.errors)")
        }
    }

    @Test func `a dependent of a failure, or of an operation that would fail, is explained as such`()
        async throws
    {
        let scratch = try Scratch()
        try scratch.script("failures_ahead.lua")
        let explain = "\"$opscript\" -q --resume --explain job.lua"
        let run = try await CommandRun.shell(explain, folder: scratch.path)
        let lines = run.text.split(separator: "\n").map(String.init)
        for line in [
            "'instead' may run: it depends on a failure of 'a', which would run",
            "'function' may run: it depends on a failure of 'a', which would run",
            "'after' may run: it depends on 'a', which would run",
            "'late' would run: nothing is recorded for it",
            "'second' does not run: it depends on 'first', which would fail",
            "'third' does not run: it depends on 'second', which would fail",
        ] {
            #expect(lines.contains(line), "\(run.text)")
        }
    }

    @Test func `an input that another operation makes is a dependency, in any order of setting them`()
        async throws
    {
        let scratch = try Scratch()
        try scratch.script("inputs_in_any_order.lua")
        let run = try await CommandRun.command("job.lua", folder: scratch.path)
        #expect(run.text.hasPrefix("2\none\n"), "\(run.text)\(run.errors)")
    }
}
