import Glibc
import SystemPackage
import Testing

/// Processes that programs leave behind, and programs that want the terminal.
@Suite(.timeLimit(.minutes(20))) struct LeftProcessTests {
    /// Whether a process runs; one that has ended and was not reaped does not.
    private func runs(_ number: String) -> Bool {
        guard let file = fopen("/proc/\(number)/stat", "re") else { return false }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 512)
        guard fgets(&line, Int32(line.count - 1), file) != nil else { return false }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text[(text.lastIndex(of: ")") ?? text.startIndex)...].dropFirst(2).first != "Z"
    }

    /// The first program waits in this way until the last one has written its number, and `$f` is there.
    private static let untilThere = "until [ -e $f ]; do sleep 0.01; done; rm $f"

    /// Every program writes the number of the process that it leaves behind.
    @Test(arguments: [
        "sleep 1000 >/dev/null 2>&1 & echo $!",
        "sleep 1000 & echo $!",
        "setsid sh -c 'echo $$; : >$f; exec sleep 1000 >/dev/null 2>&1' & \(untilThere)",
        "(setsid sh -c 'echo $$; : >$f; exec sleep 1000' &) ; \(untilThere)",
        "(trap '' HUP; setsid nohup sh -c 'echo $$; : >$f; exec sleep 1000 </dev/null >/dev/null 2>&1' &) ; \(untilThere)",
    ])
    func `processes that a program leaves behind end with the command`(_ text: String) async throws {
        let script = "io.write(await(work.process.shell([[export f=$(mktemp -u); \(text)]])).output)"
        let run = try await CommandRun.script(script)
        #expect(run.status == 0, "\(run.errors)")
        let number = run.text.split(separator: "\n").first.map(String.init) ?? ""
        #expect(!number.isEmpty && !runs(number), "\(run.text)")
    }

    /// The run is over, and the command waits for the stray.
    @Test func `a signal after the end of the run leaves nothing behind`() async throws {
        let scratch = try Scratch()
        try scratch.file(
            "job.lua",
            """
            local stray = "trap '' TERM INT HUP; echo $$ > pid; while :; do sleep 0.1; done"
            local start = ("setsid sh -c %q >/dev/null 2>&1 & "):format(stray)
            await(work.process.shell(start:gsub("%$", "\\\\$") .. "until [ -s pid ]; do sleep 0.01; done"))
            """
        )
        let run = try await CommandRun.shell(
            """
            "$opscript" --journal j job.lua & number=$!
            until "$opscript" journal j 2>/dev/null | grep -q 'ended well'; do sleep 0.01; done
            kill -TERM $number; wait $number; echo $?
            # It was killed, and ends when it next has a core.
            until ! kill -0 $(cat pid) 2>/dev/null || grep -q '^State:.Z' /proc/$(cat pid)/status; do sleep 0.01; done
            """,
            folder: scratch.path
        )
        #expect(run.text == "0\n", "\(run.errors)")
    }

    @Test func `one that does not listen is killed when its grace is over`() async throws {
        let run = try await CommandRun.script(
            """
            local text = "trap '' TERM; while :; do sleep 0.05; done >/dev/null 2>&1"
            io.write(await(work.process.shell("(" .. text .. ") & echo $!", { grace = 0.1 })).output)
            """
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(!runs(run.text.split(separator: "\n").first.map(String.init) ?? "1"))
    }

    @Test(arguments: [
        "o.timeout = 5", "async(function() o:lines()() o:cancel() end)",
    ])
    func `the end of an operation also ends a grandchild in a session of its own`(_ end: String) async throws
    {
        let scratch = try Scratch()
        let run = try await CommandRun.script(
            """
            local child = "echo $$ >\(scratch.path)/number; echo ready; exec sleep 1000"
            local o = work.process.shell("setsid sh -c '" .. child .. "' & wait")
            \(end)
            print(pawait(o))
            local number = io.open("\(scratch.path)/number"):read("l")
            local stat = io.open("/proc/" .. number .. "/stat")
            local line = stat and stat:read("a") or ""
            assert(line == "" or line:match("%) (%a)") == "Z", line)
            """
        )
        #expect(run.status == 0, "\(run.errors)\(run.text)")
    }

    // MARK: The terminal

    private func onTerminal(_ script: String, _ options: String = "-q", typed: String = "") async throws
        -> CommandRun
    {
        let scratch = try Scratch()
        let path = try scratch.file("job.lua", script)
        return try await CommandRun.shell(
            "TERM=dumb script -qec \"$opscript \(options) \(path)\" /dev/null",
            input: typed
        )
    }

    @Test(arguments: [
        #""bash", "-c", "read x </dev/tty""#, #""sh", "-c", "cat /dev/tty; true""#,
        #""sh", "-c", "trap '' TERM; read x </dev/tty", grace = 0.1"#,
    ])
    func `a program that reads the terminal without permission fails with the reason`(_ words: String)
        async throws
    {
        let run = try await onTerminal("print(select(2, pawait(work.process.run { \(words) })))")
        #expect(run.text.contains("stopped, because it wants to read from the terminal"), "\(run.text)")
        #expect(run.text.contains("input = \"inherit\""))
    }

    @Test(arguments: [
        #""sh", "-c", "read x; echo got $x""#, #""sh", "-c", "read x </dev/tty; echo got $x""#,
    ])
    func `a program with the command's input may ask`(_ words: String) async throws {
        let script = """
            for i = 1, 2 do io.write(await(work.process.run { \(words), input = "inherit" }).output) end
            print("the command has the terminal again: " .. io.read("l"))
            """
        let run = try await onTerminal(script, typed: "one\ntwo\nthree\n")
        #expect(run.text.contains("got one") && run.text.contains("got two"), "\(run.text)")
        #expect(run.text.contains("again: three"), "\(run.text)")
    }

    @Test func `programs with the command's input run one after the other`() async throws {
        let script = """
            local ops = {}
            for i = 1, 3 do
                ops[i] = work.process.run { "sh", "-c", "read x; echo got $x", input = "inherit" }
            end
            for _, op in ipairs(await.settled(ops)) do io.write(op.result.output) end
            """
        let run = try await onTerminal(script, typed: "one\ntwo\nthree\n")
        for word in ["one", "two", "three"] { #expect(run.text.contains("got \(word)"), "\(run.text)") }
    }
}
