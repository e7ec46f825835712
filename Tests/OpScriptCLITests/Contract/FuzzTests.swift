import Glibc
import SystemPackage
import Testing

/// Random jobs keep the contract; `scripts/fuzz/README.md` describes them.
///
/// `OPSCRIPT_FUZZ_SECONDS` sets the time.
@Suite struct FuzzTests {
    @Test func `random jobs of scripts keep the contract`() async throws {
        let seconds = getenv("OPSCRIPT_FUZZ_SECONDS").map { String(cString: $0) } ?? "60"
        let run = try await CommandRun.command(
            "--quiet",
            "scripts/fuzz/jobs.lua",
            CommandRun.commandPath.string,
            "--seconds",
            seconds,
            folder: SourceTree.root
        )
        #expect(run.status == 0, "\(run.text)\n\(run.errors)")
    }
}
