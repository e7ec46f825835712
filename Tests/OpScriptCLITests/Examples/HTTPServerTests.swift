#if HTTP
import Foundation
import SystemPackage
import TestSupport
import Testing

/// The example docs/Examples/HTTPServer, built from its own manifest and used by scripts.
///
/// SwiftNIO takes a minute to build, so `make test-server` runs this, and `make test` does not.
@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["OPSCRIPT_TEST_SERVER"] != nil,
        "make test-server builds the packages of the server"
    )
)
struct HTTPServerTests {
    private static let folder = SourceTree.root.appending("docs/Examples/HTTPServer")

    @Test(.timeLimit(.minutes(30))) func `a server's routes are functions of a script`() async throws {
        let scratch = try Scratch()
        let build = try await CommandRun.shell(
            "swift build --package-path '\(Self.folder)' --scratch-path '\(scratch.path)/built'"
        )
        try #require(build.status == 0, "\(build.errors) \(build.text)")
        let run = try await CommandRun.shell(
            """
            mkfifo output
            '\(scratch.path)/built/debug/HTTPServer' '\(Self.folder)/routes.lua' 0 >output & server=$!
            exec 3<output; read -r _ _ _ port <&3
            cat >ask.lua <<'END'
            local base = "http://127.0.0.1:" .. arg[1]
            local endless = work.http.get(base .. "/endless")
            OperationQueue.default:addOperation(endless)
            print(await(work.http.get(base .. "/hello?name=world")).body)
            print(await(work.http.get(base .. "/digests?texts=a,b")).body)
            print(await(work.http.get(base .. "/nowhere")).status)
            print(await(endless).status, (await(endless).body:gsub("\\n", "")))
            print(await(work.http.get(base .. "/served")).body)
            END
            "$opscript" ask.lua "$port"; echo "status $?"; kill $server
            """,
            folder: scratch.path
        )
        let lines = run.text.split(separator: "\n").map(String.init)
        #expect(lines.count == 7, "\(run.text) \(run.errors)")
        #expect(lines.prefix(4) == ["hello, world", "97", "98", "404"])
        let stopped = "routes.lua:18: the script ran longer than its limit (1 s) without a wait"
        #expect(lines.contains { $0.hasPrefix("500\t") && $0.hasSuffix(stopped) })
        #expect(lines.suffix(2) == ["1", "status 0"])
    }
}
#endif
