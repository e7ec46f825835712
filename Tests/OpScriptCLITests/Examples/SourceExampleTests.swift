import SystemPackage
import Testing

/// The examples that wait for events, driven by a shell that waits for their lines.
@Suite struct SourceExampleTests {
    private static func example(_ name: String) -> String { SourceTree.examples.appending(name).string }

    /// Runs `script` in the background, with its output at descriptor 3 and its errors at 4 of the shell, and then
    /// `line`.
    private func run(
        _ script: String,
        _ words: String,
        before: String = ":",
        _ line: String,
        in scratch: Scratch
    )
        async throws -> CommandRun
    {
        try await CommandRun.shell(
            """
            mkfifo output errors && \(before)
            "$opscript" --progress plain '\(Self.example(script))' \(words) >output 2>errors & job=$!
            exec 3<output 4<errors
            \(line)
            wait $job; echo "status $?"; cat <&4 >&2
            """,
            folder: scratch.path
        )
    }

    private static let picture = "printf 'P3\\n2 2\\n9\\n9 9 9 9 9 9 9 9 9 9 9 9\\n'"

    @Test func `pictures that arrive in a folder are converted, and a file that is not a picture is named`()
        async throws
    {
        let run = try await run(
            "watch_folder.lua",
            "in out 3",
            before: "mkdir in out && \(Self.picture) >in/first.ppm",
            """
            read line <&3; echo "$line"
            echo none >bad && mv bad in/bad.pgm; read line <&4; echo "$line"
            \(Self.picture) >next && mv next in/second.ppm; read line <&3; echo "$line"
            """,
            in: try Scratch()
        )
        #expect(
            run.text == """
                converted first.ppm
                watch_folder: cannot read 'in/bad.pgm': not a JPEG, PNG, WebP, GIF, PBM, PGM, PPM or PAM image
                converted second.ppm
                status 0

                """
        )
        #expect(run.complaints.isEmpty)
    }

    @Test func `a watch of a folder ends in order at an interrupt`() async throws {
        let scratch = try Scratch()
        let run = try await run(
            "watch_folder.lua",
            "in out",
            before: "mkdir in out && \(Self.picture) >in/first.ppm",
            "read line <&3; echo \"$line\"; kill -INT $job",
            in: scratch
        )
        #expect(run.text == "converted first.ppm\nstatus 0\n")
        #expect(run.complaints.isEmpty)
    }

    @Test func `a log is followed through rotation and removal`() async throws {
        let run = try await run(
            "tail_log.lua",
            "log error",
            before: "echo 'old error' >log",
            """
            read line <&4; echo "$line"
            echo 'one error' >>log; read line <&3; echo "$line"
            echo nothing >>log; printf 'half an ' >>log; echo 'error' >>log; read line <&3; echo "$line"
            mv log log.1; echo 'new error' >log; read line <&3; echo "$line"
            rm log; echo 'newer error' >log; read line <&3; echo "$line"
            kill -INT $job
            """,
            in: try Scratch()
        )
        #expect(
            run.text == """
                tail_log: follows 'log'
                one error
                half an error
                new error
                newer error
                status 0

                """
        )
        #expect(run.complaints.isEmpty)
    }

    @Test func `a configuration is read again at a signal, and a bad one changes nothing`() async throws {
        let run = try await run(
            "reload_on_signal.lua",
            "configuration",
            before: "printf 'interval = 0.01\\ngreeting = hello\\n' >configuration",
            """
            read line <&3; echo "$line"
            printf 'interval = 0.02\\n' >configuration; kill -HUP $job; read line <&3; echo "$line"
            echo 'interval = often' >configuration; kill -HUP $job; read line <&4; echo "$line"
            kill -TERM $job; read line <&3; echo "$line"
            """,
            in: try Scratch()
        )
        #expect(
            run.text == """
                works every 0.01 s: hello
                works every 0.02 s: no greeting
                reload_on_signal: continues as before: interval: a number above 0 expected
                SIGTERM: ends after its work
                status 0

                """
        )
        #expect(run.complaints.isEmpty)
    }

    @Test func `an operation is started by hand once its checks pass`() async throws {
        let run = try await run(
            "manual_start.lua",
            "file 600",
            "read line <&3; echo \"$line\"; printf abc >part && mv part file; read line <&3; echo \"$line\"",
            in: try Scratch()
        )
        #expect(
            run.text == """
                'digest.file' is not ready: it depends on 'the file has settled', which has not finished
                ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  file
                status 0

                """
        )
    }

    @Test func `a check that never settles is abandoned`() async throws {
        let scratch = try Scratch()
        let run = try await CommandRun.program(
            CommandRun.commandPath,
            [Self.example("manual_start.lua"), "missing", "0.2"],
            folder: scratch.path
        )
        #expect(run.status == 1)
        #expect(run.errors.contains("manual_start: 'missing' has not settled within 0.2 s"))
    }

    @Test(arguments: ["watch_folder.lua", "tail_log.lua", "reload_on_signal.lua", "manual_start.lua"])
    func `without arguments the usage is shown`(_ name: String) async throws {
        let run = try await CommandRun.program(CommandRun.commandPath, [Self.example(name)])
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("usage: opscript \(name) "))
    }

    @Test func `services become ready in their order, reload at HUP and end at TERM`() async throws {
        let run = try await run(
            "services/services.lua",
            "",
            """
            for number in 1 2 3 4; do read line <&3; echo "$line"; done
            kill -HUP $job
            while read line <&3; do case "$line" in cache*) echo "$line"; break;; esac; done
            kill -TERM $job
            """,
            in: try Scratch()
        )
        #expect(
            run.text == """
                database | ready
                cache | ready
                web | ready
                all are ready
                cache | reloaded
                status 143

                """
        )
        #expect(run.errors.contains("interrupted: cancelling the run"))
    }
}
