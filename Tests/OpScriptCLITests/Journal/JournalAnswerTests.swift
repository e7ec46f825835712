import Testing

/// Effects that are not known, the answers about them, and the words that the command says about a journal.
@Suite(.timeLimit(.minutes(20))) struct JournalAnswerTests {
    private func shell(_ line: String, _ scratch: Scratch) async throws -> CommandRun {
        try await CommandRun.shell(line, folder: scratch.path)
    }

    /// An effect during which the command is killed, unless there is a file `sent`.
    private static let mail = """
        local mail = work.process.shell("echo sent >> outbox; test -e sent || kill -9 $PPID; sleep 0.1")
        mail.name, mail.recording = "my mail", "once"
        OperationQueue.default:addOperation(mail)
        """

    @Test func `the answer that an effect runs again holds for all later runs`() async throws {
        let scratch = try Scratch()
        try scratch.file("job.lua", Self.mail)
        let run = try await shell(
            """
            { "$opscript" -q --resume job.lua; } 2>/dev/null; touch sent
            "$opscript" -q --resume job.lua; echo $?
            "$opscript" -q --resume --resolve 'my mail=again' job.lua; echo $?; wc -l < outbox
            "$opscript" -q --resume job.lua; echo $?; wc -l < outbox
            "$opscript" -q --resume job.lua; echo $?; wc -l < outbox
            """,
            scratch
        )
        #expect(run.text == "1\n0\n2\n0\n3\n0\n4\n", "\(run.errors)")
        #expect(
            run.errors.contains(
                "--resume --resolve 'my mail=done' (done:JSON with its result) or --resume --resolve 'my mail=again'"
            ),
            "\(run.errors)"
        )
    }

    @Test(arguments: ["done": "sent", "again": "sent\nsent"])
    func `an answer holds even if its run is killed before the effect`(_ answer: (String, outbox: String))
        async throws
    {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local first = work.process.shell("test -e go || kill -9 $PPID; sleep 0.1")
            first.recording = "never"
            local mail = work.process.shell("echo sent >> outbox; test -e sent || kill -9 $PPID; sleep 0.1")
            mail.name, mail.recording = "mail", "once"
            if not arg[1] then mail:addDependency(first) end
            OperationQueue.default:addOperations { first, mail }
            """
        )
        let run = try await shell(
            """
            touch go; { "$opscript" -q --resume job.lua; } 2>/dev/null; rm go; touch sent
            "$opscript" -q --resume --explain mail --resolve mail=\(answer.0) job.lua alone
            { "$opscript" -q --resume --resolve mail=\(answer.0) job.lua; } 2>/dev/null; touch go
            "$opscript" -q --resume job.lua; echo $?; cat outbox
            """,
            scratch
        )
        let explained = answer.0 == "done" ? "ended" : "runs again"
        let verb = answer.0 == "done" ? "does not" : "would"
        let line =
            "'mail' \(verb) run: --resolve says that it \(answer.0 == "done" ? "has " : "")\(explained)"
        #expect(run.text == "\(line)\n0\n\(answer.outbox)\n", "\(run.errors)")
    }

    @Test func `os.exit during an effect leaves it unknown, and says so`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local mail = work.process.shell("echo sent >> outbox; touch begun; sleep 5")
            mail.name, mail.recording = "mail", "once"
            OperationQueue.default:addOperation(mail)
            while #await(work.file.list(".", { pattern = "begun" })) == 0 do sleep(0.01) end
            os.exit(0)
            """
        )
        let run = try await shell(
            """
            "$opscript" -q --resume job.lua; echo $?
            "$opscript" journal .opscript/job.journal | grep -c 'ended with an effect that is not known'
            """,
            scratch
        )
        #expect(run.text == "1\n1\n", "\(run.text) \(run.errors)")
        #expect(run.errors.contains("it was under way when the run ended. "), "\(run.errors)")
    }

    @Test func `effects with one name that are not known have an answer each`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            for _, who in ipairs { "ann", "bob" } do
              local mail = work.process.shell("echo " .. who .. " >> outbox; sleep 5")
              mail.name, mail.recording, mail.timeout = "mail", "once", arg[1] and 0.2 or nil
              if arg[1] then mail.allowsFailure = true end
              OperationQueue.default:addOperation(mail)
              mail:waitUntilFinished()
            end
            """
        )
        let first = try await shell("\"$opscript\" -q --resume job.lua stop; echo $?; cat outbox", scratch)
        #expect(first.text == "1\nann\nbob\n", "\(first.errors)")
        // Both are named, although their failures are allowed.
        #expect(first.errors.matches(of: /effect of 'mail' is not known: .* its time was over/).count == 2)
        #expect(first.errors.contains("--resolve '#1=done'") && first.errors.contains("--resolve '#2=again'"))
        let second = try await shell("\"$opscript\" -q --resume job.lua", scratch)
        #expect(
            second.errors.contains("--resolve '#1=done'") && second.errors.contains("--resolve '#2=again'")
        )
        let third = try await shell(
            "\"$opscript\" -q --resume --resolve '#1=done' --resolve '#2=done' job.lua; echo $?; cat outbox",
            scratch
        )
        #expect(third.text == "0\nann\nbob\n", "\(third.errors)")
    }

    @Test func `an answer about a known effect is refused where a run continues, too`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            print "begins"
            local mail = work.process.shell("echo sent >> outbox")
            mail.name, mail.recording = "mail", "once"
            OperationQueue.default:addOperations { mail, work.process.shell("test -e go") }
            """
        )
        let run = try await shell(
            """
            "$opscript" -q --resume job.lua 2>/dev/null; touch go
            "$opscript" -q --resume --resolve mail=again job.lua; echo $?
            "$opscript" -q --resume job.lua; echo $?; cat outbox
            """,
            scratch
        )
        #expect(run.text == "begins\n1\nbegins\n0\nsent\n", "\(run.errors)")
        #expect(
            run.errors
                == "opscript: --resolve: no operation 'mail' has an effect that is not known; the script has not run\n"
        )
    }

    @Test func `an answer about an effect that is known is refused before the script runs`() async throws {
        let scratch = try Scratch()
        try scratch.file("job.lua", Self.mail)
        let run = try await shell(
            """
            { "$opscript" -q --resume job.lua; } 2>/dev/null; touch sent
            "$opscript" -q --resume --resolve 'my mail=done' --resolve 'my mail=again' job.lua; echo $?
            "$opscript" -q --resume --resolve 'my mail=done' job.lua; echo $?
            "$opscript" -q --resume --resolve 'my mail=done' job.lua; echo $?
            "$opscript" -q --resume --resolve '#1=done' job.lua; echo $?; cat outbox
            "$opscript" journal .opscript/job.journal show 'my mail' | grep 'did not run'
            """,
            scratch
        )
        #expect(
            run.text == "2\n0\n1\n1\nsent\n  it did not run: --resolve says that it has ended\n",
            "\(run.text) \(run.errors)"
        )
        #expect(
            run.errors.contains(
                "no operation 'my mail' has an effect that is not known; the script has not run"
            )
        )
        #expect(run.errors.contains("there is no entry '#1' with an effect that is not known"))
        #expect(run.errors.matches(of: /that is not known; the script has not run/).count == 2)
        #expect(run.errors.matches(of: /has an effect that is not known/).count == 1, "\(run.errors)")
        #expect(run.errors.contains("--resolve has more than one answer about 'my mail'"))
    }

    @Test func `an effect that is not known and that no operation asks for is not forgotten`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local mail = work.process.shell("echo " .. arg[1] .. " >> outbox; test -e sent || kill -9 $PPID; sleep 0.1")
            mail.name, mail.recording = "mail", "once"
            OperationQueue.default:addOperation(mail)
            """
        )
        let run = try await shell(
            """
            { "$opscript" -q --resume job.lua one; } 2>/dev/null; touch sent
            "$opscript" journal .opscript/job.journal | grep -c '(0 recorded, 1 not known)'
            "$opscript" -q --resume job.lua two; echo $?
            "$opscript" -q --resume job.lua two; echo $?
            "$opscript" -q --resume --resolve mail=done job.lua two; echo $?; cat outbox
            "$opscript" -q --resume job.lua one; echo $?; cat outbox
            """,
            scratch
        )
        #expect(run.text == "1\n1\n1\n0\none\ntwo\n0\none\ntwo\none\n", "\(run.text) \(run.errors)")
        #expect(run.errors.contains("No operation of this run has asked for it."), "\(run.errors)")
    }

    @Test func `a function with an effect needs a name of its own`() async throws {
        let scratch = try Scratch()
        let run = try await shell(
            """
            "$opscript" -q --resume -e '
            for _, who in ipairs { "ann", "bob" } do
              local main = function() print(who) end
              OperationQueue.default:addOperation(Operation { name = "mail", recording = "once", main = main })
            end'
            """,
            scratch
        )
        #expect(run.text == "ann\n" && run.status == 1)
        #expect(run.errors.contains("'mail' is the name of another function, too"), "\(run.errors)")
    }

    @Test(arguments: ["dependencies", "userInfo"])
    func `a function that reads what is not in its key is not recorded`(property: String) async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local now = work.process.shell("date +%N")
            now.recording = "never"
            local function main(op) return #op.\(property) end
            local sum = Operation { name = "sum", recording = "result", dependencies = { now }, main = main }
            sum.userInfo = { 1 }
            OperationQueue.default:addOperations { now, sum }
            sum:waitUntilFinished()
            print(sum.result, sum.isRecorded)
            local main = function() sleep(0.05) return 1 end
            local other = Operation { name = "other", recording = "result", dependencies = { now }, main = main }
            OperationQueue.default:addOperation(other)
            sleep(0.01)
            -- The main chunk reads it, which is nothing to the body.
            assert(other.isRecorded or #other.dependencies == 1 and other.userInfo == nil)
            other:waitUntilFinished()
            print(other.isRecorded)
            error("not yet", 0)
            """
        )
        let run = try await shell("\"$opscript\" --resume job.lua; \"$opscript\" --resume job.lua", scratch)
        #expect(run.text == "1\tfalse\nfalse\n1\tfalse\ntrue\n")
        #expect(
            run.errors.contains("'sum' is not recorded: it has read op.\(property), which is not in its key"),
            "\(run.errors)"
        )
    }

    @Test
    func `a function that reads what another operation has, or that captures a failed one, is not recorded`()
        async throws
    {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local source = Operation { name = "source", userInfo = arg[1], main = function() return 1 end }
            local bad = Operation { name = "bad", main = function() error("x", 0) end }
            local function read() return source.userInfo end
            local function take() return tostring(bad.error) end
            local reads = Operation { name = "reads", recording = "result", main = read }
            local takes = Operation { name = "takes", recording = "result", main = take }
            reads:addDependency(source)
            takes:addDependency(bad, "finished")
            OperationQueue.default:addOperations { source, bad, reads, takes }
            takes:waitUntilFinished()
            print(reads.result, reads.isRecorded, takes.result, takes.isRecorded)
            """
        )
        let run = try await shell(
            "\"$opscript\" -q --resume job.lua one; \"$opscript\" -q --resume job.lua two",
            scratch
        )
        #expect(run.text == "one\tfalse\tx\tfalse\ntwo\tfalse\tx\tfalse\n", "\(run.errors)")
        #expect(run.errors.contains("'reads' is not recorded: it has read op.userInfo"), "\(run.errors)")
    }

    @Test func `scripts with one name and one journal are named`() async throws {
        let scratch = try Scratch()
        let run = try await shell(
            """
            mkdir a b; touch a/job.lua b/job.lua
            "$opscript" --resume a/job.lua; "$opscript" --resume "$PWD/./a/job.lua"; echo between >&2
            "$opscript" --resume b/job.lua
            """,
            scratch
        )
        let parts = run.errors.split(separator: "between")
        #expect(parts.count == 2 && !parts[0].contains("note:"), "\(run.errors)")
        #expect(
            parts.last?.contains("a/job.lua', and this is 'b/job.lua': give each script a journal") == true
        )
    }

    @Test func `operations that failed count as run`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            for _, code in ipairs { "true", "false", "exit 3" } do
              OperationQueue.default:addOperation(work.process.shell(code))
            end
            """
        )
        let run = try await shell(
            "\"$opscript\" -q --resume job.lua; \"$opscript\" --resume job.lua",
            scratch
        )
        #expect(run.errors.contains("journal: 1 recorded, 2 run"), "\(run.errors)")
    }

    @Test func `an explanation tries nothing twice, and a wait for a dependent ends it`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local a, b = work.process.shell("exit 1"), work.process.shell("cat")
            a.name, a.retry, b.name = "a", { attempts = 3, delay = 60 }, "b"
            b:addDependency(a)
            OperationQueue.default:addOperations { a, b }
            await(b)
            """
        )
        let run = try await shell("\"$opscript\" -q --resume --explain job.lua", scratch)
        #expect(run.status == 0)
        #expect(
            run.text
                == "'a' would run: nothing is recorded for it\n'b' may run: it depends on 'a', which would run\n"
        )
        #expect(run.errors.contains("the script ended at its wait: 'b' was skipped"), "\(run.errors)")
    }

    @Test func `names are listed, and texts have their line breaks`() async throws {
        let scratch = try Scratch()
        let run = try await shell(
            """
            "$opscript" -q --journal j -e '
            local op = work.process.shell("echo a\\necho b") op.name = "two lines"
            OperationQueue.default:addOperations { op, work.compute.primes(3), work.compute.primes(4) }'
            "$opscript" journal j show; "$opscript" journal j show 'two lines'; chmod 444 j
            "$opscript" journal j | wc -l
            """,
            scratch
        )
        #expect(
            run.text.hasPrefix(
                "compute.primes  2 entries, the last one of run 1\ntwo lines  1 entry, the last one of run 1\n"
            ),
            "\(run.text)"
        )
        #expect(
            run.text.contains(#"{ "echo a\necho b" }"#) && run.text.contains(#"output = "a\nb\n""#),
            "\(run.text)"
        )
        #expect(run.text.hasSuffix("\n1\n"), "\(run.text) \(run.errors)")
    }

    /// Runs in which an effect becomes unknown and is answered with `done`: it happened once, whatever comes then.
    @Test(arguments: [
        ["--fresh --resolve mail=done", "--resume"],
        ["--fresh", "--resume --resolve mail=done", "--resume"],
        ["--resume --again first", "--resume --resolve mail=done", "--resume"],
        ["--resume --again first --resolve mail=done", "--resume"],
        ["--fresh --again first", "--resume --resolve mail=done", "--resume", "--resume"],
    ])
    func `an effect that has ended by an answer does not happen again`(_ runs: [String]) async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local first = work.process.shell("echo first")
            local mail = work.process.shell("echo sent >> outbox; test -e sent || kill -9 $PPID; sleep 0.1")
            local last = work.process.shell("test -e go")
            first.name, mail.name, mail.recording = "first", "mail", "once"
            mail:addDependency(first)
            last:addDependency(mail)
            OperationQueue.default:addOperations { first, mail, last }
            """
        )
        _ = try await shell("{ \"$opscript\" -q --resume job.lua; } 2>/dev/null; touch sent", scratch)
        for options in runs { _ = try await shell("\"$opscript\" -q \(options) job.lua", scratch) }
        let end = try await shell("touch go; \"$opscript\" -q --resume job.lua; echo $?; cat outbox", scratch)
        #expect(end.text == "0\nsent\n", "\(end.errors)")
    }
}
