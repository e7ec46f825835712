import Testing

/// Effects that happen once, by the command.
@Suite(.timeLimit(.minutes(20))) struct JournalEffectTests {
    @Test func `a further attempt of a block operation does not repeat an effect`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local mail = work.process.shell("echo sent >> outbox; echo 1")
            local other = work.process.shell("echo other >> log; test $(wc -l < log) -ge 3")
            mail.name, mail.recording = "mail", "once"
            local block = BlockOperation(mail, other)
            block.retry = { attempts = 5 }
            OperationQueue.default:addOperation(block)
            """
        )
        let run = try await CommandRun.shell(
            "\"$opscript\" -q --resume job.lua; echo $?; cat outbox; wc -l < log; "
                + "\"$opscript\" journal .opscript/job.journal show mail | grep -c 'in run 1'",
            folder: scratch.path
        )
        #expect(run.text == "0\nsent\n3\n1\n", "\(run.errors)")
    }

    @Test func `a further attempt of a block operation does not repeat an effect of an earlier run`()
        async throws
    {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local pay, ship = work.process.shell("echo paid >> ledger"), work.process.shell("test -e ready")
            pay.name, pay.recording = "pay", "once"
            local block = BlockOperation(pay, ship)
            block.retry = { attempts = 2 }
            OperationQueue.default:addOperation(block)
            """
        )
        let run = try await shell(
            """
            for i in 1 2 3; do "$opscript" -q --resume job.lua 2>/dev/null; done; cat ledger
            """,
            scratch
        )
        #expect(run.text == "paid\n", "\(run.errors)")
    }

    @Test(arguments: ["--resume", "--fresh"])
    func `a function whose effect has happened, and whose result cannot be recorded, is not repeated`(
        _ option: String
    )
        async throws
    {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local mail = Operation { name = "mail", recording = "once", allowsFailure = true, main = function()
                io.open("outbox", "a"):write("sent\\n"):close()
                return print
            end }
            OperationQueue.default:addOperation(mail)
            """
        )
        let run = try await shell(
            """
            "$opscript" -q --resume job.lua; echo $?; "$opscript" -q \(option) job.lua; cat outbox
            "$opscript" -q --resume --resolve mail=done job.lua; echo $?; cat outbox
            """,
            scratch
        )
        #expect(run.text == "1\nsent\n0\nsent\n", "\(run.errors)")
        #expect(
            run.errors.matches(of: /is not known: .*, and it has happened, but 'mail' cannot/).count == 2,
            "\(run.errors)"
        )
    }

    @Test func `names of functions that differ in a secret are different`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local pay = Operation { name = "pay " .. secret(arg[1]), recording = "once", main = function(op)
                io.open("ledger", "a"):write(op.name, "\\n"):close()
            end }
            OperationQueue.default:addOperation(pay)
            pay:waitUntilFinished()
            print(pay.isRecorded)
            error("not yet", 0)
            """
        )
        let run = try await shell(
            """
            for name in ann-1 bob-2 ann-1; do "$opscript" -q --resume job.lua $name 2>/dev/null; done; cat ledger
            grep -c ann-1 .opscript/job.journal
            """,
            scratch
        )
        #expect(run.text == "false\nfalse\ntrue\npay ann-1\npay bob-2\n0\n", "\(run.errors)")
    }

    @Test func `a function whose effect was cancelled is said to have been cancelled`() async throws {
        let scratch = try Scratch()
        let run = try await CommandRun.shell(
            """
            "$opscript" -q --resume -e '
            local op = Operation { name = "mail", recording = "once", main = function() sleep(60) end }
            OperationQueue.default:addOperation(op)
            while not op.isExecuting do sleep(0.001) end
            op:cancel()'
            """,
            folder: scratch.path
        )
        #expect(
            run.errors.contains("in run 1, and it was cancelled, or its time was over. "),
            "\(run.errors)"
        )
    }

    private func shell(_ line: String, _ scratch: Scratch) async throws -> CommandRun {
        try await CommandRun.shell(line, folder: scratch.path)
    }

    @Test func `an effect that is not known is repeated neither by retry nor by an option`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local mail = work.process.shell("echo sent >> outbox; test -e sent || kill -9 $PPID; sleep 0.1")
            mail.name, mail.recording, mail.retry = "mail", "once", { attempts = 3, delay = 0.01 }
            OperationQueue.default:addOperation(mail)
            """
        )
        let first = try await shell("{ \"$opscript\" -q --resume job.lua; } 2>/dev/null; touch sent", scratch)
        #expect(first.status == 0)
        for option in ["", "--fresh --journal .opscript/job.journal", "--again mail"] {
            let words = option.hasPrefix("--fresh") ? option : "--resume \(option)"
            let run = try await shell("\"$opscript\" -q \(words) job.lua; wc -l < outbox", scratch)
            #expect(run.text == "1\n", "\(option)")
            #expect(run.errors.contains("the effect of 'mail' is not known"), "\(option): \(run.errors)")
        }
    }

    @Test func `an effect whose time is over is not tried again`() async throws {
        let scratch = try Scratch()
        let run = try await shell(
            """
            "$opscript" -q --resume -e '
            local op = work.process.shell("echo sent >> outbox; sleep 60")
            op.recording, op.timeout, op.retry = "once", 0.2, { attempts = 3, delay = 0.01 }
            OperationQueue.default:addOperation(op)'; wc -l < outbox
            """,
            scratch
        )
        #expect(run.text == "1\n" && run.errors.contains("is not known"), "\(run.errors)")
    }

    @Test func `a run with an effect that is not known is continued, though that failure is allowed`()
        async throws
    {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local queue = OperationQueue { maxConcurrentOperationCount = 1 }
            for _, name in ipairs { "one", "two" } do
              local code = "echo " .. name .. " >> outbox"
              if name == "two" then code = code .. "; test -e sent || kill -9 $PPID; sleep 0.1" end
              local effect = work.process.shell(code)
              effect.name, effect.recording, effect.allowsFailure = name, "once", true
              queue:addOperation(effect)
            end
            """
        )
        let run = try await shell(
            """
            { "$opscript" -q --resume job.lua; } 2>/dev/null; touch sent
            "$opscript" -q --resume job.lua
            "$opscript" --resume --resolve two=done job.lua; cat outbox
            "$opscript" journal .opscript/job.journal | grep -c 'run 1, continued'
            """,
            scratch
        )
        #expect(run.text == "one\ntwo\n2\n", "\(run.errors)")
        #expect(run.errors.contains("which ended with an effect that is not known"), "\(run.errors)")
    }

    @Test
    func
        `an effect that succeeded without a result that can be written is not repeated, and ends a run well`()
        async throws
    {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local op = work.process.shell("echo sent >> outbox; echo $WORD", { env = { WORD = secret "s3cret" } })
            op.name, op.recording = "op", "once"
            OperationQueue.default:addOperation(op)
            op:waitUntilFinished()
            if arg[1] then error("not yet", 0) end
            """
        )
        let run = try await shell(
            """
            "$opscript" -q --resume job.lua fail; "$opscript" -q --resume job.lua; wc -l < outbox
            "$opscript" -q --resume --resolve op=done job.lua; wc -l < outbox
            "$opscript" -q --resume job.lua; wc -l < outbox
            """,
            scratch
        )
        #expect(run.text == "1\n1\n2\n", "\(run.errors)")
    }

    @Test func `many equal results that are large are written side by side`() async throws {
        let scratch = try Scratch()
        for _ in 0..<3 {
            let run = try await shell(
                """
                rm -rf .opscript
                "$opscript" -q --resume -e '
                for _ = 1, 12 do
                  OperationQueue.default:addOperation(work.process.shell("head -c 400000 /dev/zero | tr \\\\0 x"))
                end'
                ls .opscript/code.journal.results | wc -l
                """,
                scratch
            )
            #expect(run.text == "1\n" && run.errors.isEmpty, "\(run.text)\(run.errors)")
        }
    }

    @Test func `a result that is no plain value is a failure in the journal, too`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local op = Operation { name = "m", recording = "result", main = function() return print end }
            OperationQueue.default:addOperation(op)
            """
        )
        let run = try await shell(
            "\"$opscript\" -q --resume job.lua 2>/dev/null; \"$opscript\" journal .opscript/job.journal show m",
            scratch
        )
        #expect(run.text.hasPrefix("'m' in run 1: failed\n"), "\(run.text)")
    }

    @Test func `an explanation says what would fail`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local queue = OperationQueue.default
            local a = work.process.shell("true")
            a.name, a.inputs, a.outputs = "a", { "gone" }, {}
            queue:addOperation(a)
            local b = Operation { name = "b", recording = "result", main = function() return queue end }
            queue:addOperation(b)
            """
        )
        let run = try await shell("\"$opscript\" -q --resume --explain job.lua", scratch)
        #expect(
            run.text.contains("'a' would fail: the input 'gone' of 'a' is missing"),
            "\(run.text)\(run.errors)"
        )
        #expect(run.text.contains("'b' would fail: 'b' cannot be recorded"), "\(run.text)\(run.errors)")
    }

    @Test func `an input that is a pipe, or has the form of a pattern, is a file`() async throws {
        let scratch = try Scratch()
        try scratch.file("q[1].c", "one")
        try scratch.file(
            "job.lua",
            """
            local op = work.process.shell("cat 'q[1].c' > out")
            op.inputs, op.outputs = { "q[1].c", "pipe" }, { "out" }
            OperationQueue.default:addOperation(op)
            op:waitUntilFinished()
            print(op.isUpToDate)
            """
        )
        let run = try await shell(
            """
            mkfifo pipe; for text in one one two; do printf $text > 'q[1].c'; "$opscript" -q --resume job.lua; done
            cat out
            """,
            scratch
        )
        #expect(run.text == "false\ntrue\nfalse\ntwo", "\(run.text)\(run.errors)")
    }

    @Test func `an empty file in the place of a journal is named`() async throws {
        let scratch = try Scratch()
        let run = try await shell(
            ": > j; \"$opscript\" --journal j -e ''; \"$opscript\" --journal k -e ''",
            scratch
        )
        #expect(run.errors.contains("the journal 'j' was empty"))
        #expect(!run.errors.contains("'k'"))
    }

    @Test func `numbers of entries that were removed are not used again`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local mail = work.process.shell("echo sent >> outbox")
            mail.name, mail.recording = "mail", "once"
            local last = work.process.shell("test -e go")
            last:addDependency(mail)
            local early = work.process.shell("test ! -e kill || kill -9 $PPID; sleep 0.05")
            early.recording = "never"
            mail:addDependency(early)
            OperationQueue.default:addOperations { early, mail, last }
            """
        )
        let run = try await CommandRun.shell(
            """
            "$opscript" -q --resume job.lua 2>/dev/null
            touch kill; { "$opscript" -q --fresh job.lua; } 2>/dev/null; rm kill
            "$opscript" journal .opscript/job.journal clean
            "$opscript" -q --resume job.lua 2>/dev/null; wc -l < outbox
            "$opscript" -q --resume job.lua 2>/dev/null; wc -l < outbox
            touch go; "$opscript" -q --resume job.lua; wc -l < outbox
            """,
            folder: scratch.path
        )
        #expect(run.text == "removed: 2 entries, 0 files\n2\n2\n2\n", "\(run.errors)")
    }

    @Test(arguments: ["--again other", "--explain"])
    func `an effect without a name is the same one when dependencies are followed`(_ options: String)
        async throws
    {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            for i = 1, 3 do
              local prepare = Operation(function() end)
              local step = Operation(function() io.open("log", "a"):write("x"):close() end)
              step.name, step.recording = "step " .. i, "result"
              step:addDependency(prepare)
              local note = Operation { main = function() end }
              note.version = "2"
              OperationQueue.default:addOperations { prepare, step, note }
            end
            local other = work.process.shell("test -e go")
            other.name = "other"
            OperationQueue.default:addOperation(other)
            """
        )
        let run = try await CommandRun.shell(
            """
            "$opscript" -q --resume job.lua 2>/dev/null; touch go
            "$opscript" -q --resume \(options) job.lua > /dev/null; "$opscript" journal .opscript/job.journal show
            cat log
            """,
            folder: scratch.path
        )
        #expect(run.text.hasSuffix("xxx"), "\(run.text)\(run.errors)")
    }

    @Test(arguments: ["result", "once"], ["cancel", "timeout", "limit", "TERM"])
    func `a function that returns because it was stopped is not recorded as a success`(
        _ recording: String,
        _ way: String
    ) async throws {
        let scratch = try Scratch()
        try scratch.script("stopped_function.lua")
        let options = way == "limit" ? "--timeout 0.3" : ""
        let first = try await CommandRun.shell(
            "\"$opscript\" -q --resume \(options) job.lua \(recording) \(way)",
            folder: scratch.path
        )
        #expect(first.text == (["limit", "TERM"].contains(way) ? "" : "part\n"), "\(first.text)")
        let second = try await CommandRun.shell(
            "\"$opscript\" -q --resume job.lua \(recording); cat log",
            folder: scratch.path
        )
        if recording == "once" {
            #expect(second.text == "failed\tnil\tfalse\nran\n", "\(second.text)")
            #expect(second.errors.contains("the effect of 'count' is not known"), "\(second.errors)")
        } else {
            #expect(second.text == "succeeded\twhole\tfalse\nran\nran\n", "\(second.text)")
        }
    }

    @Test func `an answer is not about an effect of an earlier run that has succeeded`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local mail = work.process.shell("echo $WORD", { env = { WORD = secret "s3cret" } })
            mail.name, mail.recording = "mail", "once"
            OperationQueue.default:addOperations { mail, work.process.shell("false") }
            """
        )
        let run = try await CommandRun.shell(
            """
            "$opscript" -q --resume job.lua 2>/dev/null
            "$opscript" -q --fresh --resolve mail=done job.lua 2>&1 | head -1
            """,
            folder: scratch.path
        )
        #expect(
            run.text
                == "opscript: --resolve: no operation 'mail' has an effect that is not known; the script has not run\n"
        )
    }
}
