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
}
