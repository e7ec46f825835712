import Testing

/// The end of a run in its journal: it ended well exactly if the command did.
@Suite(.timeLimit(.minutes(20))) struct JournalEndTests {
    @Test func `a run that a signal ends after its last operation is continued`() async throws {
        let scratch = try Scratch()
        try scratch.script("late_signal.lua")
        let run = try await CommandRun.shell(
            """
            "$opscript" --resume job.lua 2> errors; echo $?
            "$opscript" --resume job.lua; cat outbox
            """,
            folder: scratch.path
        )
        #expect(run.text == "143\nsent\n", "\(run.errors)")
        #expect(run.errors.contains("continues run 1"), "\(run.errors)")
        #expect(run.errors.contains("which was cancelled"), "\(run.errors)")
    }

    /// The arguments: a script's last line, how the command is given its output, and the end of the run.
    @Test(arguments: [
        ("print 'done'", "> /dev/full", "ended with the exit status 1"),
        ("print 'done' await(work.sleep(60))", "> /dev/full", "was cancelled"),
        ("os.execute 'rm -r reports'", "--report reports/run.jsonl", "ended with the exit status 1"),
    ])
    func `a run whose output is lost is continued`(_ end: String, _ output: String, _ outcome: String)
        async throws
    {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local mail = work.process.shell("echo sent >> outbox")
            mail.name, mail.recording = "mail", "once"
            await(mail)
            if not io.open("again") then \(end) end
            """
        )
        let isReport = output.hasPrefix("-")
        let run = try await CommandRun.shell(
            """
            mkdir reports
            "$opscript" --resume \(isReport ? output : "") job.lua \(isReport ? "" : output); echo $?
            touch again; "$opscript" --resume job.lua; cat outbox
            """,
            folder: scratch.path
        )
        #expect(run.text == "1\nsent\n", "\(run.errors)")
        #expect(run.errors.contains("continues run 1"), "\(run.errors)")
        #expect(run.errors.contains("which \(outcome)"), "\(run.errors)")
    }

    @Test func `an effect whose program the command kills is not known`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local mail = work.process.shell("echo sent >> outbox; test -e calm || sleep 60")
            mail.name, mail.recording = "mail", "once"
            OperationQueue.default:addOperation(mail)
            while not io.open("outbox") do sleep(0.001) end
            for i = 1, 100000 do print(i) io.stdout:flush() end
            """
        )
        let run = try await CommandRun.shell(
            """
            "$opscript" -q --resume job.lua | head -1; touch calm
            "$opscript" -q --resume job.lua > /dev/null; echo $?; cat outbox
            """,
            folder: scratch.path
        )
        #expect(run.text == "1\n1\nsent\n", "\(run.errors)")
        #expect(run.errors.contains("the effect of 'mail' is not known"), "\(run.errors)")
    }

    @Test(arguments: ["os.exit(0)", "os.exit(3)", "os.exit(1, true)"])
    func `an effect that ends its own run is not known`(_ exit: String) async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local mail = Operation { name = "mail", recording = "once", main = function()
                io.open("outbox", "a"):write("sent\\n"):close()
                \(exit)
            end }
            OperationQueue.default:addOperation(mail)
            """
        )
        let run = try await CommandRun.shell(
            """
            "$opscript" -q --resume job.lua; test $? -ne 0 && "$opscript" -q --resume job.lua; echo $?; cat outbox
            """,
            folder: scratch.path
        )
        #expect(run.text == "1\nsent\n", "\(run.errors)")
    }

    @Test(arguments: ["--help", "", "--wrong"])
    func `a run that only shows its help or its tasks does not end the one before`(_ words: String)
        async throws
    {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            arguments { { "--number", type = "integer", default = 1 } }
            local mail = work.process.shell("echo sent >> outbox")
            mail.name, mail.recording = "mail", "once"
            task("send", "Sends.", function() await(mail) if not io.open "calm" then error "no" end end)
            """
        )
        let run = try await CommandRun.shell(
            """
            run() { "$opscript" -q --resume job.lua "$@" > /dev/null 2>&1; echo $?; }
            run send; run \(words); touch calm; run send; cat outbox
            """,
            folder: scratch.path
        )
        #expect(run.text == "1\n\(words == "--wrong" ? 2 : 0)\n0\nsent\n", "\(run.errors)")
    }
}
