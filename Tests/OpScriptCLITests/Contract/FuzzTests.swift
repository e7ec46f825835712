import Glibc
import SystemPackage
import Testing

/// Random jobs keep the contract; `scripts/fuzz/README.md` describes them.
///
/// The same jobs each time, on virtual time, so that a busy machine cannot change the result.
/// `OPSCRIPT_FUZZ_SECONDS` runs new jobs in all modes for that long instead.
@Suite struct FuzzTests {
    @Test func `random jobs of scripts keep the contract`() async throws {
        let options =
            getenv("OPSCRIPT_FUZZ_SECONDS").map { ["--seconds", String(cString: $0)] }
            ?? ["--only", "virtual", "--seed", "173", "--count", "120", "--seconds", "3600"]
        let run = try await CommandRun.program(
            CommandRun.commandPath,
            ["--quiet", "scripts/fuzz/jobs.lua", CommandRun.commandPath.string] + options,
            folder: SourceTree.root
        )
        #expect(run.status == 0, "\(run.text)\n\(run.errors)")
    }
}
