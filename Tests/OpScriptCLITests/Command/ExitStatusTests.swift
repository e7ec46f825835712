import TestSupport
import Testing

/// The exit statuses that the command promises, and the order in which they count.
@Suite struct ExitStatusTests {
    /// The code with which a script sends the command a signal, as from a terminal.
    ///
    /// Not `os.execute`: the C library ignores SIGINT while that runs.
    static let interrupt = "io.popen('kill -INT $PPID'):close() sleep(1000)"

    @Test(
        arguments: [
            ("print('fine')", 0),
            ("error('broken')", 1),
            ("OperationQueue():addOperation(function() error('broken') end)", 1),
            ("local ok = pawait(async(error, 'broken'))", 0),
            ("local o = Operation(error) o.allowsFailure = true OperationQueue():addOperation(o)", 0),
            ("local o = BlockOperation(print) local q = OperationQueue() q:addOperation(o) o:cancel()", 0),
            ("local q = OperationQueue { name = 'q', isSuspended = true } q:addOperation(print)", 3),
            ("os.exit(7)", 7),
            ("os.exit(false)", 1),
            (interrupt, 130),
            ("io.popen('kill -TERM $PPID'):close() sleep(1000)", 143),
        ] as [(String, Int32)]
    )
    func `a run ends with its status`(_ script: String, _ status: Int32) async throws {
        let run = try await CommandRun.script(script)
        #expect(run.end == .exited(status), "\(run.errors)")
    }

    @Test func `a failure counts before operations that can never run`() async throws {
        let stuck = "OperationQueue { isSuspended = true }:addOperation(print) "
        let run = try await CommandRun.script(
            stuck + "OperationQueue():addOperation(function() error('broken') end)"
        )
        #expect(run.status == 1)
        #expect(run.errors.contains("broken"))
        #expect(run.errors.contains("is suspended and nothing is left that could resume it"))
    }

    @Test func `the time limit counts before a failure`() async throws {
        let run = try await CommandRun.script(
            "pcall(sleep, 1000) error('broken')",
            options: ["--timeout", "0.05"]
        )
        #expect(run.status == 124)
        #expect(run.errors.contains("the time limit of 0.05 s has run out"))
    }

    @Test func `os exit counts before a failure, and is not an error`() async throws {
        let run = try await CommandRun.script("pcall(await, async(error, 'x')) print('out') os.exit(0)")
        #expect(run.status == 0)
        #expect(run.text == "out\n")
        #expect(run.errors.isEmpty, "\(run.errors)")
    }
}
