import Foundation
import SystemPackage
import Testing

/// Programs that use the terminal.
///
/// One after the other: each has a terminal of its own, and two cores do not hold many.
@Suite(.serialized) struct TerminalProgramTests {
    private static let limit = TimeLimitTrait.Duration.minutes(5)
    private static let obstacles = Set(Conversation.all.compactMap(\.obstacle)).sorted()

    /// A folder with the files that the programs use.
    private static func folder(_ script: String) async throws -> Scratch {
        let scratch = try Scratch()
        try scratch.file("poem.txt", "a line of a poem\n")
        try scratch.file("page.1", ".TH page 1\n.SH NAME\na page of a manual\n")
        try scratch.file("job.lua", script)
        return scratch
    }

    @Test(.timeLimit(limit), arguments: Conversation.all.filter { $0.obstacle == nil })
    func `a program that uses the terminal works`(_ conversation: Conversation) async throws {
        let scratch = try await Self.folder(
            """
            -- Another operation is shown in live lines, which must not disturb.
            local beside = work.process.run { "sleep", "1000" }
            OperationQueue.default:addOperation(beside)
            local command = { \(conversation.luaWords), input = "inherit", output = "inherit", check = false }
            local run = work.process.run(command)
            print("ended", await(run).status)
            beside:cancel()
            """
        )
        if conversation.words[0] == "git" {
            let line = "git init -q . && git add poem.txt && echo another >>poem.txt"
            #expect(try await CommandRun.shell(line, folder: scratch.path).status == 0)
        }
        let folder = scratch.path.string
        try await onOwnThread {
            let line = #"modes=$(stty -g); "$opscript" job.lua && [ "$modes" = "$(stty -g)" ]"#
            let terminal = try TypedTerminal(line, folder: folder)
            for (shows, keys) in conversation.turns {
                try terminal.waitForBytes(shows)
                terminal.type(keys)
            }
            try terminal.waitForBytes(conversation.end)
            try terminal.waitForBytes("ended\t\(conversation.status)")
            try terminal.waitForBytes("status 0")
        }
    }

    @Test(.enabled(if: obstacles.isEmpty, Comment(rawValue: obstacles.joined(separator: ", "))))
    func `all of these programs are installed`() {}

    @Test func `at least eight of these programs are installed`() {
        #expect(Set(Conversation.all.filter { $0.obstacle == nil }.map(\.words[0])).count >= 8)
    }

    /// Before, the program got the foreground when it ran already, and a Ctrl-C that answered its first text could
    /// reach the command.
    @Test(.timeLimit(limit)) func `a program has the foreground from its first instruction`() async throws {
        // The fifth field is the group of the process, the eighth that of the foreground.
        let scratch = try await Self.folder(
            """
            local late = 0
            for i = 1, 100 do
                local run = work.process.run {
                    "sh", "-c", "read -r line </proc/self/stat; set -- $line; [ $5 = $8 ]",
                    input = "inherit", check = false
                }
                if await(run).status ~= 0 then late = late + 1 end
            end
            print("late:", late)
            """
        )
        let folder = scratch.path.string
        try await onOwnThread {
            let terminal = try TypedTerminal("\"$opscript\" job.lua", folder: folder)
            try terminal.waitForBytes("late:\t0")
            try terminal.waitForBytes("status 0")
        }
    }

    @Test(.timeLimit(limit)) func `a program that cannot be started leaves the foreground`() async throws {
        let scratch = try await Self.folder(
            """
            print(pawait(work.process.run { "./poem.txt", input = "inherit" }))
            print(await(work.process.run { "sh", "-c", "read x; echo got $x", input = "inherit" }).output)
            """
        )
        try scratch.file("poem.txt", "#!/no/such\n")
        let folder = scratch.path.string
        try await onOwnThread {
            let terminal = try TypedTerminal("chmod +x poem.txt; \"$opscript\" job.lua", folder: folder)
            try terminal.waitForBytes("the interpreter that its first line names is missing")
            terminal.type("joe\r")
            try terminal.waitForBytes("got joe")
            try terminal.waitForBytes("status 0")
        }
    }

    @Test(.timeLimit(limit)) func `a program and the command stop and continue together`() async throws {
        let scratch = try await Self.folder(
            """
            local code = "echo ready; read x; echo got $x"
            await(work.process.run { "bash", "-c", code, input = "inherit", output = "inherit" })
            """
        )
        let folder = scratch.path.string
        try await onOwnThread {
            let terminal = try TypedTerminal("set -m; \"$opscript\" job.lua; echo halted; fg", folder: folder)
            try terminal.waitForBytes("ready")
            terminal.type("\u{1A}")
            try terminal.waitForBytes("halted\r\n")
            terminal.type("joe\r")
            try terminal.waitForBytes("got joe")
            try terminal.waitForBytes("status 0")
        }
    }

    // MARK: Without the terminal as its input

    /// A program that opens the terminal although its input is nothing, and a part of the result.
    struct Intruder: Sendable, CustomTestStringConvertible {
        let conversation: Conversation
        let output: String
        let result: String

        var testDescription: String { "\(conversation.testDescription), output \(output)" }

        init(_ words: [String], output: String = "capture", _ result: String) {
            conversation = Conversation(words, [], "")
            self.output = output
            self.result = result
        }
    }

    private static let reads = "stopped, because it wants to read from the terminal"
    private static let writes = "stopped, because it wants to write to the terminal"

    private static let intruders = [
        Intruder(["bash", "-c", "read x </dev/tty"], reads),
        Intruder(["sh", "-c", "cat </dev/tty; true"], reads),
        Intruder(["bash", "--norc", "-i"], output: "inherit", "no job control"),
        Intruder(["python3", "-c", "import getpass; getpass.getpass()"], writes),
        Intruder(["ssh-keygen", "-q", "-t", "ed25519", "-f", "key"], writes),
        Intruder(["openssl", "passwd", "-6"], "ended with status 1"),
        Intruder(["git", "credential", "fill"], "fatal:"),
        Intruder(
            ["sh", "-c", #"printf 'protocol=https\nhost=a.invalid\n\n' | git credential fill"#],
            reads
        ),
        Intruder(["less", "poem.txt"], "a line of a poem"),
        Intruder(["less", "poem.txt"], output: "inherit", "ended with status 1"),
        Intruder(["more", "poem.txt"], "a line of a poem"),
        Intruder(["top"], output: "inherit", "status\t1"),
        Intruder(["stty", "-F", "/dev/tty", "size"], "24 500"),
        Intruder(["setsid", "-w", "sh", "-c", "read x </dev/tty"], "cannot open /dev/tty"),
    ].filter { $0.conversation.obstacle == nil }

    @Test(.timeLimit(limit), arguments: intruders)
    func `a program that may not read from the terminal works or fails with a reason`(_ intruder: Intruder)
        async throws
    {
        let scratch = try await Self.folder(
            """
            local run = work.process.run { \(intruder.conversation.luaWords), output = "\(intruder.output)" }
            local isFine, result = pawait(run)
            print(isFine and result.output or result)
            print("status", run.error and run.error.status)
            """
        )
        let folder = scratch.path.string
        try await onOwnThread {
            // This capability, which root has, would override that the terminal of the outputs cannot be opened.
            let limits = geteuid() == 0 ? "setpriv --bounding-set=-sys_admin" : ""
            let terminal = try TypedTerminal("\(limits) \"$opscript\" job.lua", columns: 500, folder: folder)
            try terminal.waitForBytes(intruder.result)
            try terminal.waitForBytes("status 0")
        }
    }
}
