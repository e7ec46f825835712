import SystemPackage
import Testing

/// The contents of standard output and standard error, and the time of writing.
@Suite struct OutputTests {
    @Test func `standard output has the script's lines only, in order`() async throws {
        let script =
            "for i = 1, 3000 do if i % 2 == 0 then print(i) else io.write(i, '\\n') end end error('broken')"
        let run = try await CommandRun.script(script)
        #expect(run.text == (1...3000).map { "\($0)\n" }.joined())
        #expect(run.errors.contains("broken"))
    }

    @Test func `lines that are printed in parallel bodies are whole`() async throws {
        let script = """
            local queue = OperationQueue()
            for i = 1, 50 do
                queue:addOperation(function() for j = 1, 20 do print(("line %d %d"):format(i, j)) sleep(0) end end)
            end
            """
        let lines = try await CommandRun.script(script).text.split(separator: "\n").map(String.init)
        let expected = (1...50).flatMap { i in (1...20).map { "line \(i) \($0)" } }
        #expect(lines.sorted() == expected.sorted())
    }

    @Test func `a failure is reported with name, place, time and reason`() async throws {
        let scratch = try Scratch()
        let path = try scratch.file(
            "job.lua",
            "local q = OperationQueue()\nlocal o = work.file.read('/nowhere')\no.name = 'fetch'\nq:addOperation(o)"
        )
        let run = try await CommandRun.command(path.string)
        #expect(run.status == 1)
        #expect(run.errors.contains("opscript: 0 succeeded, 1 failed in "))
        #expect(run.complaints.split(separator: "\n").count == 1, "\(run.errors)")
        #expect(run.errors.contains("failed: 'fetch' (\(path):2) after "))
        #expect(run.complaints.hasSuffix(" s: cannot read '/nowhere': no such file\n"), "\(run.errors)")
    }

    @Test func `off a terminal a successful run prints nothing`() async throws {
        let run = try await CommandRun.script("await(work.sleep(0.5))")
        #expect(run.errors.isEmpty)
        #expect(run.output.isEmpty)
    }

    @Test func `on a terminal live lines show progress, at most ten times a second, and are removed`()
        async throws
    {
        let clock = ContinuousClock()
        let start = clock.now
        let run = try await CommandRun.shell(
            "env -u CI TERM=xterm script -qec \"$opscript -e 'await(work.sleep(1.2)) print(1)'\" /dev/null"
        )
        let seconds = (clock.now - start) / .seconds(1)
        #expect(run.status == 0)
        let draws = run.text.split(
            separator: /\r(\u{1B}\[[0-9]*[ABK])+/,
            omittingEmptySubsequences: false
        )
        let shown = draws.filter { $0.contains("1 running, 1") && $0.contains("s  sleep") }
        #expect(!shown.isEmpty, "\(run.text)")
        #expect(Double(shown.count) <= 10 * seconds + 1)
        // Each line of the script is on a line of its own, and no live line is left at the end. On a busy
        // machine, live lines may be drawn once more after it.
        #expect(draws.contains { $0.hasPrefix("1\r\n") }, "\(run.text)")
        #expect(draws.last == "1\r\n" || draws.last == "", "\(run.text)")
    }

    @Test(arguments: [
        "while true do print 'x' sleep(0) end",
        "while true do print 'x' end",
        "while true do io.write 'x\\n' end",
        "while true do pcall(print, 'x') end",
        "while true do pcall(io.write, 'x\\n') sleep(0) end",
        "async(function() while true do print 'x' end end)",
        "OperationQueue.default:addOperation(work.sleep(60)) while true do print 'x' sleep(0.01) end",
        "work.process.run { 'sleep', '60' } while true do print 'x' sleep(0.01) end",
        "io.stdout:setvbuf 'no' while true do io.stdout:write 'x\\n' end",
    ])
    func `an end of the reader ends the command at once, in silence`(_ code: String) async throws {
        let run = try await CommandRun.shell("{ $opscript -e \"\(code)\"; echo $? >&2; } | head -n 1")
        #expect(run.text == "x\n")
        #expect(run.errorLines == ["141"])
    }

    @Test func `an end of the reader of a few lines and of tests ends them in silence`() async throws {
        let folder = try Scratch()
        try folder.file("a_spec.lua", "for i = 1, 5000 do it('case ' .. i, function() end) end")
        for command in ["$opscript -e 'sleep(0.3) print(1)'", "$opscript test a_spec.lua"] {
            let run = try await CommandRun.shell("{ \(command); echo $? >&2; } | true", folder: folder.path)
            #expect(run.errorLines == ["141"])
        }
    }

    @Test(arguments: [
        ("print(1)", "> /dev/full", "no space left on device"),
        ("io.write(1)", "> /dev/full", "no space left on device"),
        ("io.write((\"x\"):rep(1 << 20))", "> /dev/full", "no space left on device"),
        ("print(1)", ">&-", "bad file descriptor"),
    ]) func `output that is refused is a failure, with the reason`(
        _ code: String,
        _ target: String,
        _ reason: String
    ) async throws {
        let run = try await CommandRun.shell("$opscript -e '\(code)' \(target)")
        #expect(run.status == 1)
        #expect(run.errors == "opscript: cannot write to standard output: \(reason)\n")
    }

    @Test func `names in failures and hints cannot change the terminal`() async throws {
        let script = #"""
            async(function() error("x\ny", 0) end).name = "a\27[31mb\nfake: line"
            kept = Operation(function() end)
            kept.name = "c\nd"
            """#
        let run = try await CommandRun.script(script)
        #expect(run.status == 1)
        #expect(run.errors.contains("failed: 'a?[31mb?fake: line' (stdin:1) after "))
        // The message is the script's own.
        #expect(run.errors.contains(": x\ny\n"))
        #expect(
            run.errors.contains("opscript: 'c?d' (stdin:2) was made but never added to a queue\n"),
            "\(run.errors)"
        )
    }
}
