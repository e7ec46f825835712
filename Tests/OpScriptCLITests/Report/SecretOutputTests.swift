import Foundation
import SystemPackage
import Testing

@testable import OpScriptCLI

/// A job that has secrets in every place, with every option that shows something of a run: no byte that the command
/// writes has a piece of a secret.
@Suite(.timeLimit(.minutes(10))) struct SecretOutputTests {
    /// The values, and pieces of them that occur nowhere else, even if other characters are escaped.
    private static let token = "hunter2-hunter2"
    private static let variable = "Tr0ub'4\"d0ur&3"
    private static let pieces = ["hunter2", "unter2", "Tr0ub", "d0ur", "4dcor"]

    /// Without a wait before all operations are added, so that a plan shows them.
    private static let job = #"""
        local token, variable = secret("hunter2-hunter2"), os.getenv("DEPLOY_TOKEN")
        local key = secret("first line of a key\n4dcorrecthorsebattery\nlast line")
        local both = token .. " and " .. variable
        local queue = OperationQueue { name = "queue " .. both }
        local function add(op, name)
            op.name = name
            return queue:addOperation(op)
        end

        -- Programs: the environment, words, the text for a shell, both outputs, pieces, a long output.
        add(work.process.shell([[
            printf '%s|' "$GIVEN" "$DEPLOY_TOKEN" > received
            printf 'out %s\n' "$GIVEN"; printf 'err %s\n' "$GIVEN" >&2; exit 3
        ]], { env = { GIVEN = both } }), "environment " .. both)
        add(work.process.shell([[printf "$A"; sleep 0.05; echo between >&2; sleep 0.05; echo "$B"; exit 4]],
            { env = { A = "hunter2-h", B = "unter2" } }), "pieces")
        add(work.process.shell("echo " .. token .. "; echo '" .. key .. "' >&2; exit 5"), "shell " .. token)
        add(work.process.run { "sh", "-c", "exit 6", variable, token, ("x"):rep(250) .. token }, nil)
        add(work.process.run { "/no/such/program/" .. token }, nil)
        add(work.process.run { "true", cwd = "/no/such/folder/" .. token }, "folder")
        add(work.process.shell([[for i in $(seq 3000); do echo "$GIVEN $i"; done; exit 7]], { env = { GIVEN = both } }),
            "long")
        add(work.process.shell("echo " .. token .. " fine >&2"), "warning " .. token)

        -- Other works, and arguments.
        add(work.file.read("/no/such/file/" .. token), nil)
        add(work.json.decode('{"a": ' .. token .. "}"), nil)
        add(work.http.get("http://me:" .. token .. "@127.0.0.1:1/?key=" .. token), nil)
        add(Operation(function() work.http.get("ftp://" .. token) end), "address")

        -- Errors of the script.
        local raising = add(Operation(function() error("no access with " .. both) end), "raise " .. token)
        add(Operation(function() error(setmetatable({}, { __tostring = function() return "object " .. both end })) end),
            "object")
        add(Operation(function() load("error 'in a chunk'", "=chunk " .. token)() end), "chunk")
        add(Operation(function() load("local t = '" .. token .. "' error 'in text'")() end), "text of a chunk")
        add(Operation(function() sleep(token) end), "argument")
        add(Operation(function() isolate(function(text) error("isolate " .. text) end)(token):start() end), "isolate")
        local again = Operation { retry = { attempts = 2, delay = 0.01 }, main = function() error("again " .. token) end }
        add(again, "again " .. token)
        local skipped = Operation(print)
        skipped:addDependency(raising)
        add(skipped, "skipped " .. token)

        -- Progress that is long enough to be shown.
        add(Operation(function(op)
            op.progress.localizedDescription = "text " .. both
            await(work.process.shell("sleep 1.3; : " .. token))
        end), "progress " .. both)

        -- Operations that end late or never.
        Operation { name = "forgotten " .. both, main = print }
        local never = Operation { name = "never " .. token, main = print }
        add(never, "never " .. token):addDependency(Gate("gate " .. token))
        Timer.scheduledTimer { interval = 0.1, block = function() warn("@on") warn("warned " .. both) end }
        queue:waitUntilAllOperationsAreFinished()
        """#

    /// Runs the job in a folder of its own with options; returns everything that was written, also into files.
    private func run(
        _ options: String,
        _ job: String = job,
        isOnTerminal: Bool = false,
        isProgramRun: Bool = true
    ) async throws -> String {
        let folder = try Scratch()
        try folder.file("job.lua", job)
        let command = "'\(CommandRun.commandPath)' \(options) job.lua"
        let quoted = Self.variable.replacing("'", with: "'\\''")
        var line = "export DEPLOY_TOKEN='\(quoted)' XDG_STATE_HOME=\"$PWD/state\"; "
        line +=
            isOnTerminal
            ? "export CI= TERM=xterm command=\"\(command)\"; "
                + "script -qec 'stty rows 40 cols 100; eval \"$command\"' /dev/null"
            : command
        let run = try await CommandRun.shell(line, folder: folder.path)
        if isProgramRun {
            let received = try Data(
                contentsOf: URL(fileURLWithPath: folder.path.appending("received").string)
            )
            let both = "\(Self.token) and \(Self.variable)"
            #expect(String(decoding: received, as: UTF8.self) == "\(both)|\(Self.variable)|")
        }
        var written = run.text + run.errors
        let files = FileManager.default.enumerator(atPath: folder.path.string)
        while let name = files?.nextObject() as? String {
            written += name + "\n"
            if name == "job.lua" || name == "received" { continue }
            let data = FileManager.default.contents(atPath: folder.path.appending(name).string)
            written += String(decoding: data ?? Data(), as: UTF8.self)
        }
        return written
    }

    private func expectNoSecret(_ text: String, _ options: String) {
        for piece in Self.pieces {
            guard let place = text.firstRange(of: piece) else { continue }
            let start =
                text.index(place.lowerBound, offsetBy: -200, limitedBy: text.startIndex) ?? text.startIndex
            let end = text.index(place.upperBound, offsetBy: 100, limitedBy: text.endIndex) ?? text.endIndex
            Issue.record("'\(piece)' with \(options): …\(text[start..<end])…")
        }
    }

    @Test(arguments: [
        "", "-q", "--progress plain", "--progress json", "--progress none", "--profile", "--trace trace",
        "--report run.html --report run.jsonl --report run.dot --report run.mmd --report run.pftrace",
        "--output group", "--output prefix", "--output stream", "--output errors", "--fail-fast",
        "-j 1 --seed 1",
    ])
    func `nothing that the command writes has a secret`(_ options: String) async throws {
        let text = try await run(options)
        expectNoSecret(text, options)
        #expect(text.contains("•••"))
        // The whole output of a failed program is kept in a file, if the report leaves some of it out.
        if options != "--progress json" { #expect(text.contains("••• and ••• 1\n")) }
    }

    @Test func `without secrets, the same job shows each of them`() async throws {
        let job = Self.job.replacing("secret(", with: "tostring(")
        let text = try await run("--redact '' --report run.jsonl --trace trace --output group", job)
        for piece in Self.pieces { #expect(text.contains(piece), "\(piece)") }
    }

    @Test func `a plan and a simulated run have none`() async throws {
        let plan = try await run("--plan", isProgramRun: false)
        expectNoSecret(plan, "--plan")
        #expect(plan.contains("environment ••• and •••"))
        for options in ["--virtual --trace trace", "--virtual --check-determinism"] {
            let text = try await run(
                options,
                "simulate('*', 'instant') print 'begun'\n" + Self.job,
                isProgramRun: false
            )
            expectNoSecret(text, options)
            #expect(text.contains("begun") && text.contains("•••"))
        }
    }

    @Test func `the lines that change on a terminal have none`() async throws {
        let text = try await run("", isOnTerminal: true)
        expectNoSecret(text, "a terminal")
        #expect(text.contains("progress ••• and •••") && text.contains("text ••• and •••"))
    }

    @Test(arguments: [
        "error('main chunk with ' .. token)",
        "error(setmetatable({}, { __tostring = function() return token end }))",
        "sleep(token)", "Gate(token):waitUntilFinished()", "OperationQueue.named(token)", "require(token)",
        "local t = setmetatable({}, { __index = function() error(token) end }) return t.x",
        "await(work.process.run { 'false', token })", "work[token]()", "Operation { [token] = 1 }",
        "OperationQueue()[token] = 1", "os.exit(token)",
    ])
    func `an error of the main chunk has none`(_ code: String) async throws {
        for options in [[], ["--progress", "json"]] {
            let script = "local token = secret 'hunter2-hunter2'\n\(code)"
            let run = try await CommandRun.script(script, options: options)
            #expect(run.status != 0)
            expectNoSecret(run.text + run.errors, code)
        }
    }

    @Test func `the help of a script has none in its defaults`() async throws {
        let script = """
            local token = secret "hunter2-hunter2"
            arguments { { "--token", default = token, help = "as " .. token } }
            task("go", "goes with " .. token, print)
            """
        for words in [["--list"], []] {
            let folder = try Scratch()
            try folder.file("job.lua", script)
            let run = try await CommandRun.program(
                CommandRun.commandPath,
                words + ["job.lua"] + (words.isEmpty ? ["--help"] : []),
                folder: folder.path
            )
            #expect(run.status == 0 && run.text.contains("•••"), "\(run.text)\(run.errors)")
            expectNoSecret(run.text + run.errors, "--list, --help")
        }
    }

    @Test(arguments: [[], ["-o", "tap"], ["-o", "json"], ["-o", "junit"], ["--list"]])
    func `a report of tests has none`(_ options: [String]) async throws {
        let folder = try Scratch()
        let file = try folder.file(
            "deploy_spec.lua",
            """
            local token = secret("hunter2-hunter2")
            describe("deploy " .. token, function()
                it("compares " .. token, function() assert.same({ a = token }, { a = 1 }) end)
                it("raises", function() error("bad " .. token) end)
                it("runs", function() await(work.process.shell("echo " .. token .. "; exit 3")) end)
            end)
            """
        )
        let run = try await CommandRun.program(
            CommandRun.commandPath,
            ["test"] + options + [file.string],
            folder: folder.path
        )
        expectNoSecret(run.text + run.errors, "test \(options)")
        #expect((run.text + run.errors).contains("deploy •••"))
    }

    @Test func `an error at the prompt has none`() async throws {
        let lines = "t = secret 'hunter2-hunter2'\nerror('bad ' .. t)\nOperation { name = t, main = print }\n"
        let run = try await CommandRun.program(CommandRun.commandPath, ["-i", "-e", ""], input: lines)
        #expect((run.text + run.errors).contains("stdin:1: bad •••\n"))
        #expect(run.text.contains("Operation '•••' (pending)"))
        expectNoSecret(run.text + run.errors, "-i")
    }

    @Test func `output of the script itself is not changed`() async throws {
        let run = try await CommandRun.script(
            "local t = secret 'hunter2-hunter2' print(t) io.write(t, '\\n') io.stderr:write(t, '\\n')"
        )
        #expect(run.text == "hunter2-hunter2\nhunter2-hunter2\n")
        #expect(run.errors == "hunter2-hunter2\n")
    }

    @Test(arguments: [
        ("", "••• ••• bbbb-5678"), ("--redact 'X_*'", "••• ••• •••"),
        ("--redact ''", "aaaa-1234 cccc-9012 bbbb-5678"),
        ("--redact '' --redact X_B", "aaaa-1234 cccc-9012 •••"),
    ])
    func `patterns say which variables are secret`(_ options: String, _ shown: String) async throws {
        let run = try await CommandRun.shell(
            """
            X_TOKEN_A=aaaa-1234 X_B=bbbb-5678 X_KEY=cccc-9012 "$opscript" \(options) -e '
                error(os.getenv "X_TOKEN_A" .. " " .. os.getenv "X_KEY" .. " " .. os.getenv "X_B", 0)'
            """
        )
        #expect(run.errors.contains("opscript: \(shown)\n"), "\(run.errors)")
    }

    #if Dashboard
    @Test func `the live page has none`() async throws {
        let scratch = try Scratch()
        try await onOwnThread {
            try scratch.file(
                "job.lua",
                Self.job.replacing("os.getenv(\"DEPLOY_TOKEN\")", with: "secret 'Tr0ub-d0ur'")
            )
            let command = try LiveCommand(
                ["--dashboard", "--dashboard-keep", "job.lua"],
                folder: scratch.path
            )
            let client = try PageClient(port: command.port)
            client.send("GET", command.path("/events"), ["Host: 127.0.0.1"])
            var text = ""
            while let message = try client.nextMessage() {
                text += String(
                    decoding: try JSONSerialization.data(withJSONObject: message.json),
                    as: UTF8.self
                )
                if (message.json["run"] as? [String: Any])?["end"] is String { break }
            }
            try command.waitForLine(containing: "the page stays until Ctrl-C")
            text += try PageClient.ask(command.port, "GET", command.path("/report")).body
            text += try PageClient.ask(command.port, "GET", command.path("/")).body
            command.interrupt()
            _ = command.wait()
            self.expectNoSecret(text, "--dashboard")
            #expect(text.contains("environment •••"))
        }
    }
    #endif
}
