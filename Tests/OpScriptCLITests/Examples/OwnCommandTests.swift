import SystemPackage
import Testing

/// The example of a command of one's own, as it was built beside the tests.
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
}
