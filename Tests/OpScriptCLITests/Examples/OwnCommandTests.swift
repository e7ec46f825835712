import SystemPackage
import Testing

/// The example of a custom command, as it was built beside the tests.
struct OwnCommandTests {
    private var path: FilePath { CommandRun.commandPath.removingLastComponent().appending("OwnCommand") }

    @Test func `it has its own works and those of the command`() async throws {
        let run = try await CommandRun.program(
            path,
            ["-e", "print(await(work.greet('world')), await(work.digest.crc32('')))"]
        )
        #expect(run.text == "hello, world\t00000000\n")
        #expect(run.status == 0)
    }

    @Test func `it has the command's options and statuses`() async throws {
        #expect(try await CommandRun.program(path, ["--no-such-option"]).status == 2)
        #expect(try await CommandRun.program(path, ["-e", "error('no')"]).status == 1)
    }

    #if Journal
    @Test func `its journals lie in a folder of its own name`() async throws {
        let scratch = try Scratch()
        try scratch.file("job.lua", "print(await(work.greet('world')))")
        let words = ["--quiet", "--resume", "job.lua"]
        let run = try await CommandRun.program(path, words, folder: scratch.path)
        #expect(run.text == "hello, world\n" && run.status == 0, "\(run.errors)")
        #expect(try scratch.names() == [".greeter", "job.lua"])
    }
    #endif

    @Test func `its diagnoses have its own name`() async throws {
        let version = try await CommandRun.program(path, ["--version"])
        #expect(version.text == "greeter 1.0\n")
        let help = try await CommandRun.program(path, ["--help"])
        #expect(help.text.contains("USAGE: greeter [<options>] [<script> [<arguments> ...]]"))
        let usage = try await CommandRun.program(path, ["--no-such-option"])
        #expect(usage.errors.hasPrefix("greeter: ") && usage.errors.contains("See 'greeter --help'."))
        let failure = try await CommandRun.program(path, ["-e", "error('no', 0)"])
        #expect(failure.errors.hasPrefix("greeter: no\n"))
        for run in [version, help, usage, failure] {
            #expect(!run.text.contains("opscript") && !run.errors.contains("opscript"))
        }
    }
}
