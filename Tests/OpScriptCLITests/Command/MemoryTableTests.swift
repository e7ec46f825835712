import Foundation
import HTTPTestServer
import SystemPackage
import TestSupport
import Testing

/// A lack of memory never ends the process: each script of the folder `Memory` under several limits of its addresses.
///
/// The scripts check the errors that they can catch. The debug build of the command needs 100 MB of addresses to start.
@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: Sanitizer.current == nil))
struct MemoryTableTests {
    /// In thousands of bytes, as `ulimit -v` takes them.
    private static let limits = [300_000, 450_000, 600_000]

    private static func scripts() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: SourceTree.memoryScripts.string)
            .filter { $0.hasSuffix(".lua") }.sorted()
    }

    @Test(arguments: try scripts()) func `a lack of memory is an error`(_ script: String) async throws {
        let server = try HTTPTestServer()
        defer { server.stop() }
        let path = SourceTree.memoryScripts.appending(script)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for limit in Self.limits {
                group.addTask {
                    let scratch = try Scratch()
                    let run = try await CommandRun.shell(
                        "ulimit -v \(limit); export SERVER='\(server.url(""))' SWIFT_BACKTRACE=enable=no; "
                            + "exec timeout 240 \"$opscript\" -j 2 '\(path)' >output",
                        folder: scratch.path
                    )
                    let ends = run.errors.suffix(1000)
                    // Without status 0, there has to be an operation that failed with a reason.
                    #expect(run.status == 0 || run.status == 1, "\(limit): \(run.end) \(ends)")
                    if run.status == 1 {
                        #expect(ends.contains("memory") || ends.contains("failed"), "\(limit): \(ends)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `there are at least twenty scripts`() throws {
        #expect(try Self.scripts().count >= 20)
    }
}
