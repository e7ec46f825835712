import Foundation
import Glibc
import SystemPackage
import Testing

/// `--watch` with a journal: a run after each change.
@Suite(.timeLimit(.minutes(20))) struct JournalWatchTests {
    /// A command that watches its files.
    private final class Watch {
        private let process: ChildProcess
        private var lines: LineReader
        private let scratch: Scratch

        init(_ scratch: Scratch, _ options: [String] = []) throws {
            self.scratch = scratch
            let errors = Pipe()
            process = try ChildProcess(
                CommandRun.commandPath.string,
                ["--watch", "--resume"] + options + ["job.lua"],
                folder: scratch.path.string,
                errors: errors
            )
            lines = LineReader(errors.fileHandleForReading)
        }

        deinit {
            process.signal(SIGKILL)
            process.wait()
        }

        /// Waits until it waits for the next change, and gives the lines that all runs have written.
        func runs() throws -> [String] {
            while let line = lines.next() {
                guard line.contains("waiting for a change") else { continue }
                let text = try String(contentsOfFile: scratch.path.appending("log").string, encoding: .utf8)
                return text.split(separator: "\n").map(String.init)
            }
            return []
        }

        func whileStopped(_ body: () throws -> Void) rethrows {
            process.signal(SIGSTOP)
            try body()
            process.signal(SIGCONT)
        }

        func interrupt() -> Int32 {
            process.signal(SIGINT)
            return process.wait()
        }
    }

    private static let job = """
        local op = work.process.shell("cat one two > both")
        op.inputs, op.outputs = { "one", "two" }, { "both" }
        OperationQueue.default:addOperation(op)
        op:waitUntilFinished()
        local log <close> = io.open("log", "a")
        log:write(op.isUpToDate and "up to date" or "built", "\\n")
        """

    @Test func `a file that comes to match a pattern is a change, one that the run makes is none`()
        async throws
    {
        let scratch = try Scratch()
        try scratch.folder("in")
        try scratch.file("in/a.t", "1")
        try scratch.file(
            "job.lua",
            """
            local op = work.process.shell("cat in/*/*.t in/*.t > in/all.u 2> /dev/null; true")
            op.inputs, op.outputs = { "in/*.[tu]", "in/*/*.t" }, { "in/all.u" }
            OperationQueue.default:addOperation(op)
            op:waitUntilFinished()
            local log <close> = io.open("log", "a")
            log:write(io.open("in/all.u"):read("a"), "\\n")
            """
        )
        try await onOwnThread {
            let watch = try Watch(scratch)
            #expect(try watch.runs() == ["1"])
            try scratch.file("in/b.t", "2")
            #expect(try watch.runs() == ["1", "12"])
            try FileManager.default.removeItem(atPath: scratch.path.appending("in/a.t").string)
            #expect(try watch.runs() == ["1", "12", "2"])
            // The folder is new, too.
            try scratch.folder("in/more")
            try scratch.file("in/more/c.t", "3")
            #expect(try watch.runs() == ["1", "12", "2", "32"])
            #expect(watch.interrupt() == 130)
        }
    }

    @Test func `a dependency file that is removed is a change`() async throws {
        let scratch = try Scratch()
        try scratch.file("in.h", "1")
        try scratch.file(
            "job.lua",
            """
            local op = work.process.shell("echo 'out: in.h' > out.d; cp in.h out; echo ran >> log")
            op.outputs, op.depfile = { "out" }, "out.d"
            OperationQueue.default:addOperation(op)
            """
        )
        try await onOwnThread {
            let watch = try Watch(scratch)
            #expect(try watch.runs() == ["ran"])
            try FileManager.default.removeItem(atPath: scratch.path.appending("out.d").string)
            #expect(try watch.runs() == ["ran", "ran"])
            #expect(watch.interrupt() == 130)
        }
    }

    @Test(arguments: ["os.remove 'both'", "io.open('both', 'a'):write('more'):close()"])
    func `an output that changes after its operation while the run lasts is a change`(_ change: String)
        async throws
    {
        let scratch = try Scratch()
        try scratch.file("one", "1")
        try scratch.file("two", "2")
        let end = "\nif not io.open 'done' then io.open('done', 'w'):close() \(change) end\n"
        try scratch.file("job.lua", Self.job + end)
        let watch = try Watch(scratch)
        #expect(try watch.runs() == ["built", "built"])
        #expect(watch.interrupt() == 130)
    }

    @Test func `changes of different files in one run each let it run once more`() async throws {
        let scratch = try Scratch()
        let names = ["a", "b", "c", "d", "e"]
        for name in names { try scratch.file(name, "1") }
        try scratch.file(
            "job.lua",
            """
            local names, texts, count = { "a", "b", "c", "d", "e" }, {}, 0
            for place, name in ipairs(names) do
                local op = work.file.read(name)
                op.inputs = { name }
                texts[place] = await(op)
                if texts[place] == "2" then count = place end
            end
            local log <close> = io.open("log", "a")
            log:write(table.concat(texts), "\\n")
            -- As a person edits one file after the other.
            if names[count + 1] then io.open(names[count + 1], "w"):write("2"):close() end
            """
        )
        let watch = try Watch(scratch)
        #expect(try watch.runs() == ["11111", "21111", "22111", "22211", "22221", "22222"])
        #expect(watch.interrupt() == 130)
    }

    @Test func `a change while the first run lasts is not missed`() async throws {
        let scratch = try Scratch()
        let job = """
            require "module"
            local op = work.process.shell("cat one > both; touch begun; while test -e held; do sleep 0.01; done")
            op.inputs, op.outputs = { "one", "more/*.t" }, { "both" }
            OperationQueue.default:addOperation(op)
            op:waitUntilFinished()
            local log <close> = io.open("log", "a")
            log:write(io.open("both"):read("a"), "\\n")
            """
        try scratch.folder("more")
        try scratch.file("module.lua", "")
        for changed in ["one", "job.lua", "more/a.t", "module.lua"] {
            for path in [".opscript", "log", "begun", "more/a.t"] {
                try? FileManager.default.removeItem(atPath: scratch.path.appending(path).string)
            }
            try scratch.file("job.lua", job)
            try scratch.file("one", "1")
            try scratch.file("held", "")
            try await onOwnThread {
                let watch = try Watch(scratch)
                while access(scratch.path.appending("begun").string, F_OK) != 0 { usleep(2_000) }
                let text = [
                    "one": "2", "job.lua": job.replacingOccurrences(of: "cat", with: "echo -n 2; cat"),
                ]
                try scratch.file(changed, text[changed] ?? "-- new")
                try FileManager.default.removeItem(atPath: scratch.path.appending("held").string)
                let runs = try watch.runs()
                #expect(runs == ["1", changed == "one" ? "2" : "1"], "\(changed)")
                #expect(watch.interrupt() == 130)
            }
        }
    }

    @Test func `a script that writes its own input runs once for each change`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local made <close> = io.open("made", "w")
            made:write("as before")
            made:close()
            \(Self.job.replacingOccurrences(of: "\"one\"", with: "\"made\", \"one\""))
            """
        )
        try scratch.file("one", "1")
        try scratch.file("two", "1")
        try await onOwnThread {
            let watch = try Watch(scratch)
            #expect(try watch.runs() == ["built"])
            try scratch.file("one", "2")
            #expect(try watch.runs() == ["built", "built"])
            #expect(watch.interrupt() == 130)
        }
    }

    @Test func `a script that writes a file which nothing reads does not run for ever`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local made <close> = io.open("config", "w")
            made:write("as before")
            made:close()
            local bad, op = work.process.shell("false"), work.process.shell("cat config > out")
            op.inputs, op.outputs = { "config" }, { "out" }
            op:addDependency(bad)
            OperationQueue.default:addOperations { bad, op }
            local log <close> = io.open("log", "a")
            log:write("run\\n")
            """
        )
        try await onOwnThread {
            let watch = try Watch(scratch)
            #expect(try watch.runs() == ["run", "run", "run"])
            #expect(watch.interrupt() == 130)
        }
    }

    @Test func `each change runs the script again, several at once one time, and Ctrl-C ends it`()
        async throws
    {
        let scratch = try Scratch()
        try scratch.file("job.lua", Self.job)
        try scratch.file("one", "1")
        try scratch.file("two", "1")
        try await onOwnThread {
            let watch = try Watch(scratch)
            var expected = ["built"]
            #expect(try watch.runs() == expected)
            // It sees both changes at the same moment.
            try watch.whileStopped {
                try scratch.file("one", "2")
                try scratch.file("two", "2")
            }
            expected.append("built")
            #expect(try watch.runs() == expected)
            // A comment changes the script, and nothing that it does.
            try scratch.file("job.lua", "-- A comment.\n" + Self.job)
            expected.append("up to date")
            #expect(try watch.runs() == expected)
            let begun = ContinuousClock.now
            try scratch.file("one", "3")
            try scratch.file("two", "3")
            let isAtOnce = ContinuousClock.now - begun < .milliseconds(25)
            let runs = try watch.runs()
            // A machine that is busy may take longer for two files; then they may count as two.
            if isAtOnce { #expect(runs == expected + ["built"]) }
            #expect(watch.interrupt() == 130)
        }
    }

    @Test func `the answers of --resolve and --again hold for the first run`() async throws {
        let scratch = try Scratch()
        let job = """
            local mail = work.process.shell("test -e go || kill -9 $PPID; sleep 0.1")
            mail.name, mail.recording = "mail", "once"
            OperationQueue.default:addOperation(mail)
            mail:waitUntilFinished()
            \(Self.job)
            """
        try scratch.file("job.lua", job)
        for name in ["one", "two"] { try scratch.file(name, name) }
        _ = try await CommandRun.shell(
            "{ \"$opscript\" -q --resume job.lua; } 2>/dev/null; touch go",
            folder: scratch.path
        )
        try await onOwnThread {
            let watch = try Watch(scratch, ["--resolve", "mail=done", "--again", "process.shell"])
            #expect(try watch.runs() == ["built"])
            try scratch.file("one", "another one")
            #expect(try watch.runs() == ["built", "built"])
            try scratch.file("job.lua", "-- A comment.\n" + job)
            #expect(try watch.runs() == ["built", "built", "up to date"])
            #expect(watch.interrupt() == 130)
        }
        let wrong = try await CommandRun.shell(
            "\"$opscript\" --watch --resume --resolve other=done job.lua; echo $?",
            folder: scratch.path
        )
        #expect(wrong.text == "1\n" && wrong.errors.contains("the script has not run"))
    }
}
