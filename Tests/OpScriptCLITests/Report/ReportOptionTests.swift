import Foundation
import SystemPackage
import Testing

/// `--report`, `--profile` and `--plan` of the command.
@Suite struct ReportOptionTests {
    private static let job = """
        local queue = OperationQueue { name = "pictures", maxConcurrentOperationCount = 1 }
        local fetch = work.sleep(1)
        fetch.name = 'fetch "</script>"'
        local resize = Operation { name = "resize", main = function() sleep(2) end }
        resize:addDependency(fetch)
        queue:addOperations({ fetch, resize }, true)
        print("done")
        """

    private func text(_ scratch: Scratch, _ name: String) throws -> String {
        try String(contentsOfFile: scratch.path.appending(name).string, encoding: .utf8)
    }

    @Test func `each ending selects its format, and no temporary file is left`() async throws {
        let scratch = try Scratch()
        try scratch.file("job.lua", Self.job)
        let names = ["a.jsonl", "a.dot", "a.mmd", "a.pftrace", "a.html"]
        let run = try await CommandRun.program(
            CommandRun.commandPath,
            names.flatMap { ["--report", $0] } + ["--virtual", "job.lua"],
            folder: scratch.path
        )
        #expect(run.status == 0 && run.text == "done\n" && run.errors == "")
        let found = try FileManager.default.contentsOfDirectory(atPath: scratch.path.string).sorted()
        #expect(found == (names + ["job.lua"]).sorted())
        let lines = try text(scratch, "a.jsonl").split(separator: "\n")
        #expect(lines.count == 3 && lines[0].contains(#""duration":3000000000"#))
        #expect(lines[1].contains(#""name":"fetch \"\u003c/script\u003e\"""#))
        #expect(try text(scratch, "a.dot").contains("o0 -> o1"))
        #expect(try text(scratch, "a.mmd").hasPrefix("flowchart LR"))
        #expect(try text(scratch, "a.html").contains("<!DOCTYPE html>"))
    }

    @Test(arguments: ["x.foo", "x", "x.html.gz"])
    func `an unknown ending is an error before the run`(_ name: String) async throws {
        let run = try await CommandRun.command("--report", name, "-e", "print 'ran'")
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(
            run.errorLines.count == 1 && run.errors.contains("'\(name)'") && run.errors.contains(".pftrace")
        )
    }

    @Test func `a folder that does not exist is an error before the run`() async throws {
        let scratch = try Scratch()
        let run = try await CommandRun.command(
            "--report",
            "no/x.html",
            "-e",
            "print 'ran'",
            folder: scratch.path
        )
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.errors == "opscript: cannot write 'no/x.html': there is no folder 'no'\n")
        try scratch.folder("x.dot")
        let other = try await CommandRun.command(
            "--report",
            "x.dot",
            "-e",
            "print 'ran'",
            folder: scratch.path
        )
        #expect(other.errors == "opscript: cannot write 'x.dot': it is a folder\n" && other.output.isEmpty)
    }

    @Test func `a full disk is one clear line, and changes nothing of the job`() async throws {
        let scratch = try Scratch()
        try scratch.file("x.html", "as it was")
        let line = "ulimit -f 1; \"$opscript\" --report x.html -e 'print \"ran\"'"
        let run = try await CommandRun.shell(line, folder: scratch.path)
        #expect(run.text == "ran\n" && run.status == 1)
        #expect(run.errors == "opscript: cannot write 'x.html': file too large\n")
        #expect(try text(scratch, "x.html") == "as it was")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path.string) == ["x.html"])
    }

    @Test func `a run that ends by os.exit, an error or its time limit is marked`() async throws {
        let scratch = try Scratch()
        let cases = [
            ("await(work.sleep(0)) os.exit(7)", Int32(7), "\"end\":\"exited\"", [String]()),
            ("await(work.sleep(0)) error('no')", 1, "\"end\":\"failed\"", []),
            ("await(work.sleep(0)) sleep(600)", 124, "\"end\":\"cancelled\"", ["--timeout", "2"]),
        ]
        for (code, status, mark, options) in cases {
            let run = try await CommandRun.program(
                CommandRun.commandPath,
                options + ["--report", "r.jsonl", "-e", code],
                folder: scratch.path
            )
            #expect(run.status == status, "\(run.errors)")
            let lines = try text(scratch, "r.jsonl").split(separator: "\n")
            #expect(lines[0].contains(mark) && lines[0].contains("\"complete\":false"))
            #expect(lines.count == 2 && lines[1].contains("\"outcome\":\"succeeded\""))
        }
    }

    @Test func `a drawing needs Graphviz, and says so before the run`() async throws {
        let scratch = try Scratch()
        let line = "PATH=/nowhere \"$opscript\" --report x.svg -e 'print \"ran\"'"
        let run = try await CommandRun.shell(line, folder: scratch.path)
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.errors.contains("Graphviz") && run.errorLines.count == 1)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/dot"), "needs Graphviz"))
    func `Graphviz draws names as they are`() async throws {
        let scratch = try Scratch()
        try scratch.file("job.lua", Self.job)
        let run = try await CommandRun.command(
            "--report",
            "a.svg",
            "--virtual",
            "job.lua",
            folder: scratch.path
        )
        #expect(run.status == 0 && run.errors == "")
        let drawing = try text(scratch, "a.svg")
        #expect(drawing.contains("<svg") && drawing.contains("fetch &quot;&lt;/script&gt;&quot;"))
    }

    @Test func `a profile says where the time went`() async throws {
        let scratch = try Scratch()
        try scratch.file("job.lua", Self.job)
        let run = try await CommandRun.command("--profile", "--virtual", "job.lua", folder: scratch.path)
        #expect(run.text == "done\n" && run.status == 0)
        #expect(
            run.errors == """
                opscript: profile of job.lua (finished)
                  wall time      3 s of virtual time
                  elsewhere      busy for 1 s (33 %), 1 operation
                  script thread  had bodies for 2 s (66 %), 1 operation
                  longest        'resize' #1 2 s, 'fetch "</script>"' #0 1 s
                  bound          3 s: 'fetch "</script>"' #0 → 'resize' #1
                  critical path  3 s: running 3 s
                          1 s  'fetch "</script>"' #0
                          2 s  'resize' #1
                  advice         a chain of dependencies takes 3 s of 3 s: only shorter operations on it help, \
                'resize' first

                """
        )
    }

    @Test func `a plan is a tree, and starts nothing`() async throws {
        let scratch = try Scratch()
        try scratch.file("job.lua", Self.job)
        let run = try await CommandRun.command("--plan", "job.lua", folder: scratch.path)
        #expect(run.status == 0 && run.errors == "")
        #expect(
            run.text == """
                plan of job.lua: 2 operations
                queue 'pictures' (width 1): 2
                'resize', queue 'pictures', job.lua:4
                  ← 'fetch "</script>"', work sleep, queue 'pictures', job.lua:2
                waits for 'fetch "</script>"', 'resize' in job.lua:6; the rest depends on its result

                """
        )
    }

    /// Operations with equal options and equal depth are one submission.
    @Test func `a plan has the commands that would submit to a cluster`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local nodes = OperationQueue { name = "nodes", on = "slurm", cpus = 2 }
            local first = work.compute.primes(10)
            nodes:addOperation(first)
            for i = 1, 3 do
                local next = work.compute.primes(i)
                next:addDependency(first)
                nodes:addOperation(next)
            end
            local large = work.compute.primes(5)
            large.cluster, large.timeout, large.queuePriority = { memory = "2G" }, 90, "veryHigh"
            local group = GroupOperation { large, maxConcurrentOperationCount = 2 }
            group:addOperation(work.compute.primes(6))
            nodes:addOperation(group)
            nodes:addOperation(function() end)
            local pilots = OperationQueue { name = "fast", on = "slurm", partition = "p", pilots = { max = 2 } }
            for i = 1, 3 do pilots:addOperation(work.compute.primes(i)) end
            local narrow = OperationQueue { name = "narrow", on = "slurm", maxConcurrentOperationCount = 2 }
            for i = 1, 5 do narrow:addOperation(work.compute.primes(i)) end
            """
        )
        let run = try await CommandRun.command("--plan", "job.lua", folder: scratch.path)
        #expect(run.status == 0 && run.errors == "")
        #expect(
            run.text.split(separator: "\n").prefix { !$0.hasPrefix("'") }.joined(separator: "\n") == """
                plan of job.lua: 16 operations
                queue 'nodes' (no width; on slurm): 6
                  sbatch --cpus-per-task=2 --nice=200 --requeue: 4 operations, about 2 submissions
                group 'group' (width 2; on slurm): 2
                  sbatch --time=3 --cpus-per-task=2 --mem=2G --nice=0 --requeue: 1 operation
                  sbatch --cpus-per-task=2 --nice=200 --requeue: 1 operation
                queue 'fast' (no width; on slurm): 3
                  srun --partition=p: 3 operations, by pilots
                queue 'narrow' (width 2; on slurm): 5
                  sbatch --nice=200 --requeue: 5 operations, about 3 submissions
                """
        )
    }

    /// The failures of earlier attempts, of a Lua body, of a time limit, and of a work.
    @Test func `a record has the failure of each attempt`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local q = OperationQueue { maxConcurrentOperationCount = 1 }
            local lua = Operation(function(op) if op.attempt < 3 then error("try " .. op.attempt, 0) end end)
            local slow = Operation(function(op) if op.attempt == 1 then sleep(9) end end)
            slow.timeout = 0.5
            local work = work.file.read("none")
            for _, op in ipairs { lua, slow, work } do
                op.retry = { attempts = 3, delay = 0.01 }
                op.allowsFailure = true
                q:addOperation(op)
            end
            """
        )
        let run = try await CommandRun.command("--report", "run.jsonl", "job.lua", folder: scratch.path)
        #expect(run.status == 0, "\(run.errors)")
        let lines = try text(scratch, "run.jsonl").split(separator: "\n").dropFirst()
        let errors = try lines.map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let attempts = value?["earlierAttempts"] as? [[String: Any]] ?? []
            return attempts.map { $0["error"] as? String ?? "" }
        }
        let missing = "cannot read 'none': no such file"
        #expect(errors == [["try 1", "try 2"], ["timed out after 0.5 s"], [missing, missing]])
    }

    /// What each script prints, and the last line of its plan.
    @Test(arguments: [
        (
            #"for _, name in ipairs(await(work.file.list("in"))) do print(name) q:addOperation(work.file.copy(name, "x")) end"#,
            ["a", "b"], 2, "the main chunk ends; it waits for nothing"
        ),
        (
            #"print(await(work.json.decode(work.file.read("in/a"))).n)"#, ["7"], 0,
            "the main chunk ends; it waits for nothing"
        ),
        (
            #"print(pawait(work.file.stat("none")))"#, ["false\tcannot stat 'none': no such file"], 0,
            "the main chunk ends; it waits for nothing"
        ),
        (
            #"local all = await.all { work.file.read "in/a", work.file.read "in/b" } print(#all)"#, ["2"], 0,
            "the main chunk ends; it waits for nothing"
        ),
        // Behind anything that changes something, it is not known what there is to read.
        (
            #"local r = work.file.read("x") r:addDependency(work.file.copy("in/a", "x")) await(r) print "no""#,
            [], 2,
            "waits for 'file.read' in job.lua:1; the rest depends on its result"
        ),
        (
            #"local r = work.file.read("in/a") q:addOperation(r) await(r) print "no""#, [], 1,
            "waits for 'file.read' in job.lua:1; the rest depends on its result"
        ),
        (
            #"await.all { work.file.read "in/a", work.file.copy("in/a", "x") } print "no""#, [], 2,
            "waits for 'file.read', 'file.copy' in job.lua:1; the rest depends on its result"
        ),
    ])
    func `a plan reads what it has to know`(_ code: String, _ printed: [String], _ count: Int, _ end: String)
        async throws
    {
        let scratch = try Scratch()
        try scratch.folder("in")
        try scratch.file("in/a", #"{"n":7}"#)
        try scratch.file("in/b", "")
        try scratch.file("job.lua", "local q = OperationQueue() " + code)
        let run = try await CommandRun.command("--plan", "job.lua", folder: scratch.path)
        #expect(run.status == 0)
        let lines = run.text.split(separator: "\n").map(String.init)
        #expect(Array(lines.prefix(printed.count)) == printed, "\(run.text)")
        #expect(lines.contains { $0.hasPrefix("plan of job.lua: \(count) operation") }, "\(run.text)")
        #expect(lines.last == end, "\(run.text)")
        #expect(!FileManager.default.fileExists(atPath: scratch.path.appending("x").string))
    }

    @Test func `a plan shows the operations inside a group below it`() async throws {
        let scratch = try Scratch()
        let script = """
            local function step(name) return Operation { name = name, main = function() end } end
            local a, b, outside = step "a", step "b", step "outside"
            b:addDependency(a)
            local group = GroupOperation { name = "files", step "c", a, b }
            outside:addDependency(group)
            OperationQueue { name = "build" }:addOperations { group, outside }
            """
        try scratch.file("job.lua", script)
        let run = try await CommandRun.command("--plan", "job.lua", folder: scratch.path)
        #expect(
            run.text == """
                plan of job.lua: 5 operations
                group 'files' (no width): 3
                queue 'build' (no width): 2
                'outside', queue 'build', job.lua:1
                  ← 'files', queue 'build', job.lua:4
                      · 'b', job.lua:1
                          ← 'a', job.lua:1
                      · 'c', job.lua:1
                the main chunk ends; it waits for nothing

                """
        )
    }

    @Test func `a plan can be a file, and an error of the main chunk is reported`() async throws {
        let scratch = try Scratch()
        try scratch.file("job.lua", Self.job)
        let run = try await CommandRun.command("--plan", "--report", "p.dot", "job.lua", folder: scratch.path)
        #expect(run.status == 0 && run.text == "" && run.errors == "")
        #expect(try text(scratch, "p.dot").contains("o0 -> o1"))
        let code = "OperationQueue():addOperation(work.sleep(1)) error('no')"
        let broken = try await CommandRun.command("--plan", "-e", code)
        #expect(broken.status == 1 && broken.errors.contains("no"))
        #expect(broken.text.contains("an error ends the main chunk"))
    }

    @Test func `starts by hand, and threads, end a plan`() async throws {
        for code in [
            "Operation(function() print 'ran' end):start()",
            "Thread { isolate = function() print(1) end }:start()",
        ] {
            let run = try await CommandRun.command("--plan", "-e", code)
            #expect(
                run.status == 0 && !run.text.contains("ran") && run.text.contains("the rest was not run")
            )
        }
    }

    @Test(arguments: [
        ["--plan", "--profile"], ["--plan", "--virtual"], ["--progress", "noisy"],
        ["--explore", "random", "--virtual", "--report", "x.html"],
    ]) func `options that contradict each other are usage errors`(_ words: [String]) async throws {
        let run = try await CommandRun.program(CommandRun.commandPath, words + ["-e", "print 'ran'"])
        #expect(run.status == 2 && run.output.isEmpty && run.errorLines.count == 1)
    }

    // MARK: --longest-first

    @Test func `a record that is no record is an error before the run`() async throws {
        let scratch = try Scratch()
        try scratch.file("last.jsonl", "{}\n\nnonsense\n")
        let run = try await CommandRun.command(
            "--longest-first",
            "last.jsonl",
            "-e",
            "print 'ran'",
            folder: scratch.path
        )
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(
            run.errors
                == "opscript: cannot use 'last.jsonl' for --longest-first: line 3 of the record is not an object "
                + "of JSON\n"
        )
        try scratch.folder("folder")
        let other = try await CommandRun.command("--longest-first", "folder", "-e", "", folder: scratch.path)
        #expect(other.status == 1 && other.errors.hasPrefix("opscript: cannot open 'folder': "))
    }

    @Test func `with --quiet, a record that does not exist yet is no news`() async throws {
        let run = try await CommandRun.command(
            "--quiet",
            "--longest-first",
            "none.jsonl",
            "-e",
            "print 'ran'"
        )
        #expect(run.status == 0 && run.text == "ran\n" && run.errors.isEmpty)
    }

    @Test func `exploration tries other orders`() async throws {
        let run = try await CommandRun.command(
            "--virtual",
            "--explore",
            "random",
            "--longest-first",
            "x.jsonl",
            "-e",
            ""
        )
        #expect(run.status == 2 && run.errors.contains("--longest-first"))
    }
}
