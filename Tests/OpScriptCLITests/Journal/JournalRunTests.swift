import SystemPackage
import Testing

/// Runs that last, by the command.
@Suite(.timeLimit(.minutes(20))) struct JournalRunTests {
    private func shell(_ line: String, _ scratch: Scratch) async throws -> CommandRun {
        try await CommandRun.shell(line, folder: scratch.path)
    }

    @Test func `a run that was killed continues with the results that the script has seen`() async throws {
        let scratch = try Scratch()
        try scratch.script("killed_by_itself.lua")
        let killed = try await shell("\"$opscript\" -q --journal j job.lua 3; cat log", scratch)
        #expect(killed.text == "1\n2\n3\n")
        let resumed = try await shell("\"$opscript\" --journal j --resume job.lua; cat log", scratch)
        #expect(resumed.text == "1r 4r 9r 16 25\n1\n2\n3\n4\n5\n", "\(resumed.errors)")
        #expect(resumed.errors.contains("continues run 1 of "))
        #expect(resumed.errors.contains("opscript: journal: 3 recorded, 2 run"))
        let fresh = try await shell("\"$opscript\" --journal j --resume job.lua; wc -l < log", scratch)
        #expect(fresh.text == "1 4 9 16 25\n10\n")
        #expect(fresh.errors.contains("begins run 2: run 1 ended well"))
    }

    @Test func `equal operations keep their numbers when one of them failed`() async throws {
        let scratch = try Scratch()
        try scratch.script("tickets.lua")
        let first = try await shell("\"$opscript\" -q --resume job.lua", scratch)
        #expect(
            first.text == "1\tfalse\t1\n2\tfalse\t2\n3\tfalse\tfailed\n4\tfalse\t4\n5\tfalse\t5\n"
        )
        let second = try await shell("\"$opscript\" -q --resume job.lua", scratch)
        #expect(second.text == "1\ttrue\t1\n2\ttrue\t2\n3\tfalse\t6\n4\ttrue\t4\n5\ttrue\t5\n")
        let shown = try await shell(
            "\"$opscript\" journal .opscript/job.journal show ticket | grep -c 'it ran: nothing was recorded for it'",
            scratch
        )
        #expect(shown.text == "5\n")
    }

    @Test func `a name that no operation has is named at the end`() async throws {
        let scratch = try Scratch()
        try scratch.file("job.lua", "local a = work.compute.primes(9) a.name = 'count' await(a)")
        let options: [(String, Int32?)] = [("--again", 0), ("--explain", 1)]
        for (option, status) in options {
            let run = try await shell("\"$opscript\" --resume \(option) coumt job.lua", scratch)
            #expect(run.status == status)
            #expect(
                run.errors.contains("\(option): no operation has the name 'coumt' (did you mean 'count'?)"),
                "\(run.errors)"
            )
            for name in ["count", "compute.primes"] {
                let known = try await shell("\"$opscript\" --resume \(option) \(name) job.lua", scratch)
                #expect(known.status == 0 && !known.errors.contains("no operation"), "\(known.errors)")
            }
        }
        let run = try await shell("\"$opscript\" --resume --resolve count=done job.lua", scratch)
        #expect(run.errors.contains("--resolve: no operation 'count' has an effect that is not known"))
    }

    @Test func `a journal that was removed during the run is a failure`() async throws {
        let scratch = try Scratch()
        let run = try await shell(
            "\"$opscript\" -q --journal j -e 'await(work.process.shell(\"rm j\"))'",
            scratch
        )
        #expect(run.status == 1)
        #expect(
            run.errors.contains("the journal 'j' was removed or replaced during the run"),
            "\(run.errors)"
        )
    }

    @Test func `a run that continues in another folder says so`() async throws {
        let scratch = try Scratch()
        let run = try await shell(
            """
            mkdir a b
            (cd a; "$opscript" -q --journal ../j -e 'error("no", 0)' 2>/dev/null)
            cd b; "$opscript" --journal ../j --resume -e ''
            """,
            scratch
        )
        #expect(run.errors.contains("note: run 1 was in the folder '"), "\(run.errors)")
    }

    @Test func `a folder for journals that cannot be made is named`() async throws {
        let run = try await CommandRun.shell("cd /proc && \"$opscript\" --resume -e ''")
        #expect(run.status == 1)
        #expect(run.errors.contains("cannot make the folder '.opscript' for the journal: "), "\(run.errors)")
    }

    @Test func `a result with a metatable is no plain value`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local function main() return { setmetatable({}, {}) } end
            local op = Operation { name = "m", recording = "result", main = main }
            OperationQueue.default:addOperation(op)
            print(select(2, pawait(op)))
            """
        )
        let run = try await shell("\"$opscript\" -q --resume job.lua 2>/dev/null", scratch)
        #expect(
            run.text.contains("its result is not a plain value") && run.text.contains("metatable"),
            "\(run.text)"
        )
    }

    @Test func `functions with names may depend on each other where tickets are followed`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local a = Operation { name = "a", main = function() end }
            local b = work.compute.primes(10)
            local f = Operation { name = "f", main = function() end, dependencies = { a, b } }
            OperationQueue.default:addOperations { a, b, f }
            """
        )
        for option in ["--explain", "--again a", "--again f"] {
            let run = try await shell("\"$opscript\" -q --resume \(option) job.lua", scratch)
            #expect(run.status == 0, "\(option): \(run.errors)")
        }
    }

    @Test func `the key does not depend on comments, but on name, version and arguments`() async throws {
        let scratch = try Scratch()
        func run(_ code: String) async throws -> String {
            try scratch.file(
                "job.lua",
                code + "\nOperationQueue.default:addOperation(op)\npawait(op)\nprint(op.isRecorded)\nerror(0)"
            )
            return try await shell("\"$opscript\" -q --resume job.lua 2>/dev/null", scratch).text
        }
        #expect(try await run("local op = work.compute.primes(100)") == "false\n")
        #expect(try await run("-- A comment.\n\nlocal op = work.compute.primes(100)") == "true\n")
        #expect(try await run("local op = work.compute.primes(101)") == "false\n")
        #expect(try await run("local op = work.compute.primes(100) op.name = 'other'") == "false\n")
        #expect(try await run("local op = work.compute.primes(100) op.version = '2'") == "false\n")
        #expect(try await run("local op = work.compute.primes(100) op.version = '2' -- again") == "true\n")
        // An argument that is an operation counts as its result: 25 primes below 100 and below 101.
        #expect(try await run("local op = work.json.encode(work.compute.primes(100))") == "false\n")
        #expect(try await run("local op = work.json.encode(work.compute.primes(101))") == "true\n")
    }

    @Test func `a named function with recording runs again if its code or its variables differ`() async throws
    {
        let scratch = try Scratch()
        func run(_ body: String) async throws -> String {
            try scratch.file(
                "job.lua",
                """
                local op = Operation { name = "sum", recording = "result", main = \(body) }
                OperationQueue.default:addOperation(op)
                op:waitUntilFinished()
                print(op.isRecorded, op.result, op.error)
                error(0)
                """
            )
            return try await shell("\"$opscript\" -q --resume job.lua 2>/dev/null", scratch).text
        }
        #expect(try await run("function() return 1 + 2 end") == "false\t3\tnil\n")
        #expect(try await run("function()\n-- A comment.\nreturn 1 + 2 end") == "true\t3\tnil\n")
        #expect(try await run("function() return 1 + 3 end") == "false\t4\tnil\n")
        #expect(try await run("(function(n) return function() return n end end)(5)") == "false\t5\tnil\n")
        #expect(try await run("(function(n) return function() return n end end)(5)") == "true\t5\tnil\n")
        #expect(try await run("(function(n) return function() return n end end)(6)") == "false\t6\tnil\n")
        #expect(try await run("function() return print end").contains("cannot be recorded"))
    }

    @Test func `names given to --again run with all that depend on them`() async throws {
        let scratch = try Scratch()
        try scratch.script("dependent_steps.lua")
        let line = "\"$opscript\" -q --resume job.lua 2>/dev/null"
        #expect(try await shell(line, scratch).text == "a b c d \n")
        #expect(try await shell(line, scratch).text == "ar br cr dr \n")
        let again = line.replacing("job.lua", with: "--again b job.lua")
        #expect(try await shell(again, scratch).text == "ar b c dr \n")
    }

    @Test func `secrets are not in a journal`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local token = secret("hunter2-hunter2")
            local op = work.process.shell("echo " .. token)
            op.name = "with " .. token
            OperationQueue.default:addOperation(op)
            op:waitUntilFinished()
            print(op.isRecorded, #op.result.output)
            error(0)
            """
        )
        let run = try await shell(
            """
            for i in 1 2; do "$opscript" -q --journal j --resume job.lua 2>/dev/null; done
            cat j j-* j.* 2>/dev/null | grep -c hunter2
            """,
            scratch
        )
        #expect(run.text == "false\t16\nfalse\t16\n0\n")
    }

    @Test func `a second run at the same time is refused with the number of the first`() async throws {
        let scratch = try Scratch()
        let run = try await shell(
            """
            mkfifo ready
            "$opscript" -q --journal j -e 'io.open("ready", "w"):close() sleep(1000)' & first=$!
            read nothing < ready
            "$opscript" --journal j -e 'print(1)'; echo "status $?"
            kill -9 $first; wait
            "$opscript" -q --journal j -e 'print(2)'
            echo "$first" > number
            """,
            scratch
        )
        #expect(run.text == "status 1\n2\n", "\(run.errors)")
        #expect(run.errors.contains("another run uses the journal 'j': process "))
    }

    @Test(arguments: [
        ("--resume --fresh -e ''", "exclude each other"), ("--again a -e ''", "needs a journal"),
        ("--resume --virtual -e ''", "does not go with"), ("--resume --resolve a -e ''", "NAME=done"),
        ("--resume --resolve 'a=done:{b' -e ''", "is not JSON: "),
        ("--journal j --resume --explain --watch -e ''", "nothing to watch"),
    ])
    func `options that do not fit are refused`(_ words: String, _ message: String) async throws {
        let run = try await CommandRun.shell("\"$opscript\" \(words)")
        #expect(run.status == 2)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test func `after a run, the journal says why an operation ran`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local op = work.process.shell("echo " .. arg[1])
            op.name = "step"
            OperationQueue.default:addOperation(op)
            op:waitUntilFinished()
            """
        )
        let run = try await shell(
            """
            for word in a b; do "$opscript" -q --journal j job.lua $word; done
            "$opscript" journal j show step | grep -e 'it ran' -e "in run"
            """,
            scratch
        )
        #expect(
            run.text == """
                'step' in run 1: succeeded
                  it ran: nothing was recorded for it
                'step' in run 2: succeeded
                  it ran: its arguments differ: { "echo a" } -> { "echo b" }

                """
        )
    }

    @Test func `a full disk ends recording, and the run says so`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            for i = 1, 200 do await(work.process.shell("echo " .. string.rep(i, 5000))) end
            print("done")
            local mail = work.process.shell("echo sent >> outbox")
            mail.name, mail.recording = "mail", "once"
            OperationQueue.default:addOperation(mail)
            """
        )
        // A limit of the shell on the size of files has the effect of a full disk.
        let run = try await shell(
            "ulimit -f 200; \"$opscript\" -q --journal j job.lua",
            scratch
        )
        #expect(run.text == "done\n")
        #expect(run.status == 1)
        #expect(run.errors.contains("journal 'j'") && run.errors.contains("nothing more is recorded"))
        // Its body has not begun, and the command says so.
        #expect(run.errors.contains("'mail' needs its journal") && !run.errors.contains("is not known"))
    }

    // MARK: --again

    /// `y` copies the file of `x`, without declaring it; `x` fails while there is a file `fail`.
    private static let copies = """
        local x = work.process.shell("cat v > x.tmp; echo x >> log; test ! -e fail")
        local y = work.process.shell("cp x.tmp y.tmp; echo y >> log")
        local last = work.process.shell("test -e go")
        x.name, y.name = "x", "y"
        y:addDependency(x)
        OperationQueue.default:addOperations { x, y, last }
        """

    @Test func `--again holds until a run ends well, once for each operation`() async throws {
        let scratch = try Scratch()
        try scratch.file("job.lua", Self.copies)
        let run = try await CommandRun.shell(
            """
            echo 1 > v; "$opscript" -q --resume job.lua 2>/dev/null
            echo 2 > v; touch fail; "$opscript" -q --resume --again x job.lua 2>/dev/null
            rm fail; "$opscript" --resume job.lua 2>&1 | grep again; cat x.tmp y.tmp
            "$opscript" -q --resume --explain job.lua | sort; echo 3 > v
            "$opscript" -q --resume job.lua 2>/dev/null; cat x.tmp y.tmp; touch go
            "$opscript" -q --resume job.lua; cat x.tmp y.tmp log | tr -d '\\n'
            """,
            folder: scratch.path
        )
        let lines = run.text.split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "opscript: note: '--again x' of an earlier run still holds, since no run has ended well since",
                "2", "2",
                "'process.shell' would run: it failed in run 1: 'test -e go' ended with status 1",
                "'x' does not run: its result is recorded in run 1",
                "'y' does not run: its result is recorded in run 1",
                "2", "2", "22xyxxy",
            ],
            "\(run.text)\(run.errors)"
        )
    }

    @Test func `an operation that only waits for another one is not explained by it`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local x = work.process.shell("echo x > x.out")
            x.name, x.outputs = "x", { "x.out" }
            local y, z = work.process.shell("cp x.out y.out"), work.process.shell("cp x.out z.out")
            y.name, z.name, z.inputs = "y", "z", { "x.out" }
            y:addDependency(x)
            OperationQueue.default:addOperations { x, y, z, work.process.shell("false") }
            """
        )
        let run = try await CommandRun.shell(
            """
            "$opscript" -q --resume job.lua 2>/dev/null; rm x.out
            "$opscript" -q --resume --explain job.lua
            """,
            folder: scratch.path
        )
        let lines = run.text.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasPrefix("'x' would run: ") }, "\(run.text)")
        #expect(lines.contains("'y' does not run: its result is recorded in run 1"), "\(run.text)")
        #expect(lines.contains("'z' may run: it depends on 'x', which would run"), "\(run.text)")
    }

    @Test func `--again holds through groups, blocks and files of operations that have ended`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local function step(name)
              local op = work.process.shell("echo " .. name .. " >> log; echo " .. name .. " > " .. name .. ".out")
              op.name = name
              return op
            end
            local x, y, z, b, w, f, g = step "x", step "y", step "z", step "b", step "w", step "f", step "g"
            local group, blocks = GroupOperation { x, y, name = "group" }, BlockOperation(b)
            blocks.name = "blocks"
            z:addDependency(group)
            w:addDependency(blocks)
            f.inputs, f.outputs = {}, { "f.out" }
            OperationQueue.default:addOperations { group, blocks, z, w, f }
            await(f)
            g.inputs, g.outputs = { "f.out" }, { "g.out" }
            local h = step "h"
            h.inputs, h.outputs = { "f.*" }, { "h.out" }
            OperationQueue.default:addOperations { g, h, work.process.shell("false") }
            """
        )
        _ = try await CommandRun.shell("\"$opscript\" -q --resume job.lua", folder: scratch.path)
        for (name, expected) in [
            ("x", "x z"), ("y", "y z"), ("group", "x y z"), ("b", "b w"), ("blocks", "b w"), ("z", "z"),
            ("f", "f g h"),
        ] {
            let run = try await CommandRun.shell(
                """
                rm log; "$opscript" -q --resume --again \(name) job.lua 2>/dev/null; sort log | tr '\\n' ' '
                """,
                folder: scratch.path
            )
            #expect(run.text == expected + " ", "--again \(name)")
        }
    }

    @Test func `an explanation of a producer that has ended is that of its run`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local a = work.process.shell("cat in > mid")
            a.name, a.inputs, a.outputs = "a", { "in" }, { "mid" }
            OperationQueue.default:addOperation(a)
            await(a)
            local b = work.process.shell("cat mid > out")
            b.name, b.inputs, b.outputs = "b", { "mid" }, { "out" }
            local f = Operation { name = "f", recording = "result", main = function() io.open("end", "w"):close() end }
            f.inputs, f.outputs = { "mid" }, { "end" }
            local g = work.process.shell("cat mid")
            g.name = "g"
            OperationQueue.default:addOperations { b, f, g }
            """
        )
        let run = try await CommandRun.shell(
            """
            echo 1 > in; "$opscript" -q --resume job.lua; rm mid
            "$opscript" -q --resume --explain job.lua | sort
            "$opscript" -q --resume --again g --explain g job.lua
            """,
            folder: scratch.path
        )
        #expect(
            run.text
                == """
                'a' would run: the output 'mid' is missing
                'b' may run: it depends on 'a', which would run
                'f' may run: it depends on 'a', which would run
                'g' would run: it is recorded in run 1, which has ended
                'g' would run: --again names it, or an operation on which it depends

                """,
            "\(run.errors)"
        )
    }
}
