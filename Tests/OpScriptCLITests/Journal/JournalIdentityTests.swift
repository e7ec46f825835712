import Testing

/// The facts by which an operation is the same one in another run, for users who edit their scripts.
@Suite(.timeLimit(.minutes(20))) struct JournalIdentityTests {
    @Test func `a variable that is declared above a function does not make it another one`() async throws {
        let scratch = try Scratch()
        try scratch.script("captured_places.lua")
        let run = try await CommandRun.shell(
            """
            run() { "$opscript" -q --resume job.lua 2>/dev/null; }
            run; sed -i 's/-- INSERT/local a, b, c = 1/' job.lua; run; sed -i 's/k .. k/k .. "k"/' job.lua; run
            """,
            folder: scratch.path
        )
        #expect(run.text == "false\tfalse\ntrue\ttrue\ntrue\tfalse\n", "\(run.errors)")
    }

    @Test(arguments: ["done", "again"])
    func `an effect that is not known stays so if a result on which it depends has changed`(_ answer: String)
        async throws
    {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local stamp = work.process.shell("date +%N")
            stamp.name = "stamp"
            local mail = isolate(function(text)
                io.open("outbox", "a"):write("sent\\n"):close()
                if not io.open("calm") then os.execute("kill -9 $PPID") end
            end)(stamp)
            mail.name, mail.recording = "mail", "once"
            OperationQueue.default:addOperations { stamp, mail }
            """
        )
        let run = try await CommandRun.shell(
            """
            run() { "$opscript" -q --resume "$@" job.lua; echo $?; wc -l < outbox; }
            { run; } 2>/dev/null; touch calm; run --again stamp
            run --resolve mail=\(answer) --again stamp; run --again stamp
            """,
            folder: scratch.path
        )
        let (settled, later) = answer == "done" ? (1, 2) : (2, 3)
        let expected = "137\n1\n1\n1\n0\n\(settled)\n0\n\(later)\n"
        #expect(run.text == expected, "\(run.errors)")
        let told = "is not recorded (its arguments, or its code, were others). "
        #expect(run.errors.contains(told), "\(run.errors)")
    }

    @Test func `an operation that an explanation does not reach is named`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local a, b, c = work.process.shell("true"), work.process.shell("true"), work.process.shell("true")
            a.name, b.name, c.name = "a", "b.txt", "c"
            b:addDependency(a)
            OperationQueue.default:addOperations { b, c }
            async(function() await(a) end)
            """
        )
        let run = try await CommandRun.shell(
            """
            touch b.txt
            "$opscript" --journal j --explain job.lua | sort; echo; "$opscript" --journal j --explain b.txt job.lua
            """,
            folder: scratch.path
        )
        #expect(
            run.text == """
                'a' was not reached: nothing has added it, unless a body does
                'async' would run: its body is a function, which runs each time
                'b.txt' was not reached: it waits for something that only a body does
                'c' would run: nothing is recorded for it

                'b.txt' was not reached: it waits for something that only a body does

                """,
            "\(run.errors)"
        )
    }

    /// The arguments: the files that an effect declares, and how they change after it.
    @Test(arguments: [
        ("outputs = { 'pub' }", "rm pub"), ("outputs = { 'pub' }", "echo 2 >> pub"),
        ("inputs = { 'in' }", "echo 2 > in"), ("inputs = { 'in' }", "rm in"), ("depfile = 'd'", "rm d"),
        ("inputs, mail.outputs = { 'in' }, { 'pub' }", "echo 2 > in"), ("inputs = {}", ":"),
        ("outputs = {}", ":"),
    ])
    func `an effect does not happen again because of its files`(_ files: String, _ change: String)
        async throws
    {
        let scratch = try Scratch()
        try scratch.file("in", "1")
        try scratch.file(
            "job.lua",
            """
            local mail = work.process.shell("echo sent >> outbox; cat in > pub; echo 'pub: in' > d")
            mail.name, mail.recording = "mail", "once"
            mail.\(files)
            OperationQueue.default:addOperation(mail)
            mail:waitUntilFinished()
            print(mail.outcome, mail.isRecorded, mail.isUpToDate)
            if not io.open "calm" then error "not yet" end
            """
        )
        let run = try await CommandRun.shell(
            """
            run() { "$opscript" -q --resume job.lua 2> /dev/null; }
            run; \(change); run; touch calm; run; cat outbox
            """,
            folder: scratch.path
        )
        let again = "succeeded\ttrue\tfalse\n"
        #expect(run.text == "succeeded\tfalse\tfalse\n\(again)\(again)sent\n", "\(run.errors)")
    }

    @Test(arguments: [
        "outputs = { 'pub' }", "inputs = { 'in' }", "depfile = 'd'", "inputs, mail.outputs = {}, {}",
    ])
    func `an answer settles an effect with files`(_ files: String) async throws {
        let scratch = try Scratch()
        try scratch.file("in", "1")
        try scratch.file(
            "job.lua",
            """
            local mail = work.process.shell("echo sent >> outbox; cat in > pub; test -e calm || kill -9 $PPID")
            mail.name, mail.recording = "mail", "once"
            mail.\(files)
            OperationQueue.default:addOperation(mail)
            mail:waitUntilFinished()
            print(mail.outcome, mail.isRecorded)
            """
        )
        let run = try await CommandRun.shell(
            """
            { "$opscript" -q --resume job.lua; } 2> /dev/null; touch calm
            "$opscript" -q --resume --resolve mail=done job.lua; cat outbox
            """,
            folder: scratch.path
        )
        #expect(run.text == "succeeded\ttrue\nsent\n", "\(run.errors)")
    }

    @Test(arguments: ["name", "version"])
    func `operations keep their numbers when names or versions are exchanged`(_ property: String) async throws
    {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local list = {}
            for place, value in ipairs { "x", "x", "y", "x" } do
                local op = work.process.shell("echo sent >> outbox")
                op.recording, op.\(property) = "once", value
                list[place] = op
            end
            if arg[1] then
                for place, value in ipairs { "y", "x", "x", "x" } do list[place].\(property) = value end
            end
            OperationQueue { maxConcurrentOperationCount = 1 }:addOperations(list, true)
            for _, op in ipairs(list) do io.write(tostring(op.isRecorded), " ") end
            error "not yet"
            """
        )
        let run = try await CommandRun.shell(
            """
            run() { "$opscript" -q --resume job.lua "$@" 2> /dev/null; echo; }
            run; run 2; run 2; run; wc -l < outbox
            """,
            folder: scratch.path
        )
        let all = "true true true true \n"
        #expect(run.text == "false false false false \n\(all)\(all)\(all)4\n", "\(run.errors)")
    }

    @Test func `an explanation runs no block, and judges those that depend on an effect that is not known`()
        async throws
    {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local function note() io.open("ran", "a"):write("x"):close() end
            local several, one = BlockOperation(note, note), BlockOperation(note)
            several.name, one.name = "several", "one"
            local mail = work.process.shell("test -e calm || kill -9 $PPID; sleep 0.2")
            mail.name, mail.recording = "mail", "once"
            local after, rescue = work.process.shell("true"), work.process.shell("true")
            after.name, rescue.name = "after", "rescue"
            after:addDependency(mail)
            rescue:addDependency(mail, "failed")
            if not io.open("calm") then return await(mail) end
            OperationQueue.default:addOperations { several, one, mail, after, rescue }
            """
        )
        let run = try await CommandRun.shell(
            """
            { "$opscript" -q --resume job.lua; } 2> /dev/null; touch calm
            "$opscript" -q --resume --explain job.lua | sort | cut -c1-60; test -e ran; echo $?
            """,
            folder: scratch.path
        )
        let lines = run.text.split(separator: "\n").map { $0.prefix(28) }
        #expect(
            lines == [
                "'after' does not run: it dep", "'mail' would fail: the effec",
                "'one' would run: its body is",
                "'rescue' would run: nothing ", "'several' would run: there a", "1",
            ],
            "\(run.text) \(run.errors)"
        )
    }
}
