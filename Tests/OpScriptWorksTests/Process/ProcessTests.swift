import Glibc
import CLinux
import OpScript
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import OpScriptWorks

@Suite(.timeLimit(.minutes(20))) struct ProcessTests {
    let scratch: Scratch
    let context = WorkContext()

    init() throws { scratch = try Scratch() }

    private func run(_ words: String..., options: ScriptTable = [:]) async throws -> ScriptTable {
        var table = options
        for (offset, word) in words.enumerated() {
            table.entries.append(.init(key: .integer(Int64(offset + 1)), value: .text(word)))
        }
        return try await runProcess(context, Command(scriptValue: .table(table)))
    }

    private func shell(_ text: String, _ options: ScriptTable = [:]) async throws -> ScriptTable {
        let options = try ProcessOptions(scriptValue: .table(options))
        return try await runProcess(context, Command(shell: Array(text.utf8), options: options))
    }

    @Test func `output and error output come back apart with the status`() async throws {
        let result = try await shell("echo out; echo err >&2; exit 3", ["check": .boolean(false)])
        #expect(result["status"] == .integer(3))
        #expect(result["signal"] == nil)
        #expect(result["output"] == .text("out\n"))
        #expect(result["errorOutput"] == .text("err\n"))
        #expect(try await run("printf", "%s|", "a b", "", "ü")["output"] == .text("a b||ü|"))
    }

    @Test func `ten megabytes of output lose no byte`() async throws {
        let data = noise(10_000_000)
        _ = try writeFile(context, scratch["a"], ScriptData(data))
        let result = try await shell("cat '\(scratch["a"])' & cat '\(scratch["a"])' >&2; wait")
        #expect(result["output"] == .string(data))
        #expect(result["errorOutput"] == .string(data))
    }

    @Test func `a status other than 0 fails with the command line and both outputs`() async {
        #expect(
            await message { _ = try await shell("echo 1; sleep 0.05; echo 2 >&2; exit 7") }
                == "'echo 1; sleep 0.05; echo 2 >&2; exit 7' ended with status 7:\n1\n2"
        )
        #expect(
            await message { _ = try await shell("echo 1; echo; exit 7") }
                == "'echo 1; echo; exit 7' ended with status 7:\n1"
        )
        #expect(
            await message { _ = try await run("false", "a b", "") } == "'false 'a b' ''' ended with status 1"
        )
        #expect(
            await message { _ = try await shell("kill -9 $$") }
                == "'kill -9 $$' was ended by signal 9 (SIGKILL)"
        )
    }

    @Test func `the error has the last lines, and its fields have everything`() async throws {
        let error = try #require(
            await #expect(throws: ScriptError.self) {
                _ = try await shell("seq 1 45; sleep 0.05; printf '%5000s\\n' x >&2; exit 3")
            }
        )
        let lines = error.message.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0].hasSuffix("ended with status 3:"))
        #expect(lines[1] == "(6 lines before this)" && lines[2] == "7" && lines.count == 42)
        #expect(error.fields["status"] == .integer(3) && error.fields["signal"] == nil)
        #expect(error.fields["output"] == .text((1...45).map { "\($0)\n" }.joined()))
        let failure = try #require(error.underlying as? ProcessFailure)
        #expect(failure.isOutputCut && failure.wholeOutput.count == 126 + 5001)
    }

    @Test func `one endless line is cut as well`() async throws {
        let error = try #require(
            await #expect(throws: ScriptError.self) { _ = try await shell("printf '%50000s' x; exit 1") }
        )
        #expect(error.message.contains("(the beginning of the line before this)"))
        #expect(error.message.utf8.count < 17_000)
    }

    @Test func `a signal is reported when the status does not count`() async throws {
        let result = try await shell("kill -TERM $$", ["check": .boolean(false)])
        #expect(result["signal"] == .integer(15))
        #expect(result["status"] == nil)
    }

    @Test func `a program that cannot be run is named`() async throws {
        #expect(
            await message { _ = try await run("no-such-program") }
                == "cannot run 'no-such-program': no such program"
        )
        #expect(await message { _ = try await run("./no/such") } == "cannot run './no/such': no such program")
        try scratch.file("plain", "x")
        let plain = scratch["plain"].string
        #expect(await message { _ = try await run(plain) } == "cannot run '\(plain)': permission denied")
        #expect(
            await message { _ = try await run("true", options: ["cwd": .text("/no/such")]) }
                == "cannot run 'true': no such directory '/no/such'"
        )
        try scratch.file("script", "#!/no/such/interpreter\n")
        let script = scratch["script"].string
        chmod(script, 0o755)
        #expect(
            await message { _ = try await run(script) }
                == "cannot run '\(script)': the interpreter that its first line names is missing: '/no/such/interpreter'"
        )
        try scratch.file("crlf", "#!/bin/sh\r\necho\r\n")
        chmod(scratch["crlf"].string, 0o755)
        let reason = "its lines end with a carriage return, which belongs to the name of the interpreter then"
        #expect(
            await message { _ = try await run(scratch["crlf"].string) }
                == "cannot run '\(scratch["crlf"])': \(reason)"
        )
        // The same for one that the search path leads to.
        #expect(
            await message {
                _ = try await run("crlf", options: ["env": .table(["PATH": .text(scratch.path.string)])])
            } == "cannot run 'crlf': \(reason)"
        )
        #expect(
            await message { _ = try await run("./plain", options: ["cwd": .text(scratch.path.string)]) }
                == "cannot run './plain': permission denied"
        )
        let path: ScriptTable = ["env": .table(["PATH": .text(scratch.path.string)])]
        #expect(
            await message { _ = try await run("true", options: path) } == "cannot run 'true': no such program"
        )
        #expect(
            await message { _ = try await run("plain", options: path) }
                == "cannot run 'plain': permission denied"
        )
    }

    @Test func `a program that is open for writing is refused, and runs afterwards`() async throws {
        try scratch.file("busy", "#!/bin/sh\n")
        let busy = scratch["busy"].string
        chmod(busy, 0o755)
        let descriptor = Glibc.open(busy, O_WRONLY | O_CLOEXEC)
        #expect(descriptor >= 0)
        #expect(await message { _ = try await run(busy) } == "cannot run '\(busy)': text file busy")
        close(descriptor)
        _ = try await run(busy)
    }

    @Test func `directory, variables and input are those of the options`() async throws {
        let options: ScriptTable = [
            "cwd": .text(scratch.path.string),
            "env": .table(["OPSCRIPT_A": .integer(1), "HOME": .boolean(false)]),
            "input": .text("in"),
        ]
        let result = try await shell("pwd -P; echo $OPSCRIPT_A-${HOME-none}; cat", options)
        let here = try #require(realpath(scratch.path.string, nil))
        defer { free(here) }
        #expect(result["output"] == .text("\(String(cString: here))\n1-none\nin"))
        #expect(try await run("cat")["output"] == .text(""))
    }

    @Test func `a program that is named by a relative path runs in its directory`() async throws {
        try scratch.file("tool", "#!/bin/sh\necho here\n")
        chmod(scratch["tool"].string, 0o755)
        let result = try await run("./tool", options: ["cwd": .text(scratch.path.string)])
        #expect(result["output"] == .text("here\n"))
    }

    @Test func `input that is not read does no harm`() async throws {
        let result = try await run("true", options: ["input": .data(ScriptData(noise(1_000_000)))])
        #expect(result["status"] == .integer(0))
    }

    @Test func `output goes to a file`() async throws {
        let result = try await shell("echo out; echo err >&2", ["output": .text(scratch["log"].string)])
        #expect(result["output"] == nil)
        #expect(result["errorOutput"] == .text("err\n"))
        #expect(try scratch.text("log") == "out\n")
    }

    @Test func `wrong options are refused by name`() {
        func complaint(_ table: ScriptTable) -> String {
            do throws(ScriptConversionError) {
                _ = try Command(scriptValue: .table(table))
            } catch {
                return error.description
            }
            return "no error"
        }
        let program = ScriptTable.Entry(key: .integer(1), value: .text("true"))
        func with(_ name: String, _ value: ScriptValue) -> ScriptTable {
            ScriptTable([program, .init(key: .text(name), value: value)])
        }
        #expect(complaint(with("chek", .boolean(true))) == "unknown option 'chek' (did you mean 'check'?)")
        #expect(complaint(with("check", .integer(1))) == "field 'check': boolean expected, got number")
        #expect(
            complaint(with("grace", .number(-1))) == "field 'grace': seconds of at least 0 expected, got -1.0"
        )
        #expect(
            complaint(with("env", .table(["A": .boolean(true)])))
                == "field 'env.A': string, number or false expected, got boolean"
        )
        #expect(
            complaint(with("env", .table(["A": .string([0x78, 0])])))
                == "field 'env.A': string, number or false expected, got a string with a NUL inside"
        )
        #expect(
            complaint([:]) == "table of a program and its arguments expected, got a table without a program"
        )
        #expect(
            complaint(with("cwd", .string([0])))
                == "field 'cwd': string expected, got a string with a NUL inside"
        )
        let hole = ScriptTable([program, .init(key: .integer(3), value: .text("x"))])
        #expect(complaint(hole) == "field '[2]': string expected, got nil")
    }

    /// Runs a script that prints into a named pipe once it is on its way, and returns its output.
    private func started(_ task: Task<ScriptTable, any Error>, _ pipe: FilePath) async throws -> [pid_t] {
        // A script that ends without output must not leave the test waiting.
        let reading = WorkContext()
        Task {
            _ = await task.result
            reading.cancel()
        }
        let bytes = try await blocking { try readFile(reading, pipe) }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { pid_t($0) }
    }

    /// Writes a line into a named pipe once it has a reader, or does nothing if the process has ended before.
    private func open(_ gate: FilePath, _ line: String = "\n", unless task: Task<ScriptTable, any Error>)
        async throws
    {
        let writing = WorkContext()
        Task {
            _ = await task.result
            writing.cancel()
        }
        do {
            try await blocking { _ = try appendToFile(writing, gate, ScriptData(Array(line.utf8))) }
        } catch is CancellationError {
            // It may also have ended between the writing and the end of the work.
        }
    }

    @Test func `cancelling ends the whole group`() async throws {
        let pipe = scratch["pipe"]
        #expect(mkfifo(pipe.string, 0o600) == 0)
        let task = Task { [context] in
            let text =
                "sleep 1000 & (trap '' TERM; exec sleep 1000) & { echo $$; echo $!; } > '\(pipe)'; wait"
            var options = ProcessOptions()
            options.grace = 0.1
            return try await runProcess(context, Command(shell: Array(text.utf8), options: options))
        }
        let running = try await started(task, pipe)
        #expect(running.count == 2)
        for process in running { #expect(kill(process, 0) == 0) }
        context.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // Nothing is left of the group, not even the one that does not listen.
        let group = try #require(running.first)
        #expect(kill(-group, 0) == -1 || isZombieGroup(group))
    }

    @Test func `a process that ends on request needs no force`() async throws {
        let pipe = scratch["pipe"]
        #expect(mkfifo(pipe.string, 0o600) == 0)
        let log = scratch["log"]
        let task = Task { [context] in
            let text =
                "trap 'echo bye > \(log); exit 0' TERM; echo $$ > '\(pipe)'; while :; do sleep 0.01; done"
            var options = ProcessOptions()
            options.grace = 1000
            return try await runProcess(context, Command(shell: Array(text.utf8), options: options))
        }
        _ = try await started(task, pipe)
        context.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try scratch.text("log") == "bye\n")
    }

    @Test func `killAll kills all groups, and later ones at their start`() async throws {
        let registry = ProcessRegistry()
        let pipe = scratch["pipe"]
        #expect(mkfifo(pipe.string, 0o600) == 0)
        let task = Task { [context] in
            let text = "sleep 1000 & echo $$ > '\(pipe)'; wait"
            return try await runProcess(
                context,
                Command(shell: Array(text.utf8), options: ProcessOptions()),
                registry: registry
            )
        }
        _ = try await started(task, pipe)
        registry.killAll()
        #expect(await message { _ = try await task.value }.hasSuffix("was ended by signal 9 (SIGKILL)"))
        let late = Command(words: ["sleep", "1000"].map { Array($0.utf8) })
        #expect(
            await message { _ = try await runProcess(context, late, registry: registry) }
                == "'sleep 1000' was ended by signal 9 (SIGKILL)"
        )
    }

    @Test func `the guardian ends groups that it knows when its owner is gone`() async throws {
        let pipe = scratch["pipe"]
        #expect(mkfifo(pipe.string, 0o600) == 0)
        // Two groups in the guardian's table, one of which is removed from it.
        let kept = try await group(pipe)
        let forgotten = try await group(pipe)
        defer { kill(-forgotten.group, SIGKILL) }
        var guardian = Guardian()
        try #require(guardian != nil)
        guardian?.watch(kept.group)
        guardian?.watch(forgotten.group)
        guardian?.forget(forgotten.group)
        guardian = nil
        #expect(await message { _ = try await kept.task.value }.hasSuffix("was ended by signal 9 (SIGKILL)"))
        #expect(kill(-forgotten.group, 0) == 0)
        forgotten.task.cancel()
    }

    private func group(_ pipe: FilePath) async throws -> (group: pid_t, task: Task<ScriptTable, any Error>) {
        let task = Task {
            let text = "echo $$ > '\(pipe)'; exec sleep 1000"
            return try await runProcess(
                WorkContext(),
                Command(shell: Array(text.utf8), options: ProcessOptions())
            )
        }
        return (try #require(try await started(task, pipe).first), task)
    }

    @Test func `one that was cancelled before is not started`() async throws {
        let path = scratch["started"]
        context.cancel()
        await #expect(throws: CancellationError.self) { try await run("touch", path.string) }
        #expect(try scratch.names() == [])
    }

    @Test func `no wait for output that another process keeps open`() async throws {
        let result = try await shell("sleep 1000 & echo $!")
        guard case .string(let output)? = result["output"] else { throw ScriptError(.failed, "no output") }
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.hasSuffix("\n"))
        let other = try #require(pid_t(text.dropLast()))
        // It must not be killed: the process that started it has succeeded.
        #expect(kill(other, 0) == 0)
        kill(other, SIGKILL)
    }

    @Test func `the end of a process that closes its output is awaited`() async throws {
        let pipe = scratch["pipe"]
        #expect(mkfifo(pipe.string, 0o600) == 0)
        let task = Task {
            try await shell(
                "echo out; exec >&- 2>&-; read word < '\(pipe)'; exit $word",
                ["check": .boolean(false)]
            )
        }
        // Opens when the process does, which has closed its output by then.
        try await open(pipe, "7\n", unless: task)
        let result = try await task.value
        #expect(result["status"] == .integer(7))
        #expect(result["output"] == .text("out\n"))
    }

    @Test func `a cancelled operation lasts until its group is gone`() async throws {
        let (pipe, gate) = (scratch["pipe"], scratch["gate"])
        for path in [pipe, gate] { #expect(mkfifo(path.string, 0o600) == 0) }
        let isDone = Atomic(false)
        // The first process ends on request; its child ends when the gate has no writer any more.
        let text = """
            (trap '' TERM; echo $$ > '\(pipe)'; exec cat '\(gate)') &
            wait
            """
        let task = Task { [context] in
            defer { isDone.store(true, ordering: .sequentiallyConsistent) }
            var options = ProcessOptions()
            options.grace = 1000
            return try await runProcess(context, Command(shell: Array(text.utf8), options: options))
        }
        let leader = try #require(try await started(task, pipe).first)
        context.cancel()
        var held: SharedDescriptor? = try await blocking {
            // Opens when the other one reads.
            let held = try SharedDescriptor { Glibc.open(gate.string, O_WRONLY | O_CLOEXEC) }
            let process = try SharedDescriptor { linux_open_process(leader) }
            var event = pollfd(fd: process.number, events: Int16(POLLIN), revents: 0)
            try systemCall { poll(&event, 1, -1) }
            return held
        }
        // Later ends are reported later.
        for _ in 0..<3 {
            _ = try await runProcess(WorkContext(), Command(words: [Array("true".utf8)]))
        }
        let wasDone = isDone.load(ordering: .sequentiallyConsistent)
        #expect(!wasDone)
        #expect(held != nil)
        held = nil
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `many at once all come back`() async throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // Three descriptors each, and six in the moment of the start; the other tests have some as well.
        let count = min(500, (Int(clamping: limit.rlim_cur) - 300) / 4)
        try await withThrowingTaskGroup(of: ScriptTable.self) { group in
            for number in 0..<count {
                group.addTask {
                    try await runProcess(
                        WorkContext(),
                        Command(words: ["echo", "\(number)"].map { Array($0.utf8) })
                    )
                }
            }
            var lines: Set<[UInt8]> = []
            for try await result in group {
                if case .string(let output)? = result["output"] { lines.insert(output) }
            }
            #expect(lines.count == count)
        }
    }

    /// Whether all of a group have ended, and are only not reaped yet.
    private func isZombieGroup(_ group: pid_t) -> Bool {
        let processes =
            (try? listDirectory(WorkContext(), "/proc", ListOptions(pattern: Array("[0-9]*".utf8)))) ?? []
        return processes.allSatisfy { name in
            let path = FilePath("/proc/\(String(decoding: name, as: UTF8.self))/stat")
            guard let bytes = try? readFile(WorkContext(), path) else { return true }
            // After the name in brackets: state, parent, group.
            let fields =
                String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count < 3 || pid_t(fields[2]) != group || fields[0] == "Z"
        }
    }
}
