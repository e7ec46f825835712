import Testing

/// Standard output that cannot be written.
@Suite struct FullDeviceTests {
    @Test(arguments: [
        "--version", "--help", "--plan -e 'work.sleep(1)'", "works", "works file.read", "test --help",
        "--list -e 'arguments { { \"--x\" } }'",
    ])
    func `text of the command that is not written is a failure`(_ words: String) async throws {
        let run = try await CommandRun.shell("\"$opscript\" \(words) >/dev/full")
        #expect(run.status == 1)
        #expect(
            run.errors.contains("opscript: cannot write to standard output: no space left on device"),
            "\(run.errors)"
        )
    }

    @Test func `without a reader the command ends in silence`() async throws {
        let run = try await CommandRun.shell("{ \"$opscript\" --help; echo $? >&2; } | true; sleep 0")
        #expect(["0\n", "141\n"].contains(run.errors))
    }
}
