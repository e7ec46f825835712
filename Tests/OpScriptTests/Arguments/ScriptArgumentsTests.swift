import OpScript
import Synchronization
import Testing

/// `arguments` and `task` in an engine of a host.
@Suite struct ScriptArgumentsTests {
    /// An engine, and the texts that it has written.
    private final class Host: Sendable {
        let output = Mutex("")
        let errors = Mutex("")

        func engine() -> ScriptEngine {
            var configuration = ScriptEngine.Configuration()
            configuration.standardOutput = { [self] bytes in
                output.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            }
            configuration.standardError = { [self] line in errors.withLock { $0 += line + "\n" } }
            return ScriptEngine(configuration)
        }
    }

    private static let script = """
        local options = arguments { { "--jobs", type = "integer", default = 4 } }
        local first = task("first", "Comes first.", function() print "first" end)
        local second = task("second", "Comes second.", function(given) print("second", given.jobs) end)
        second:addDependency(first)
        task("third", "Is not chosen.", function() end):addDependency(work.sleep(1))
        """

    @Test func `each run of an engine reads its own words`() async throws {
        let host = Host()
        let engine = host.engine()
        for words in [["second"], ["--jobs", "8", "first"]] {
            let report = try await engine.run(Self.script, named: "=script", arguments: words)
            #expect(report.exitRequest == nil)
            #expect(report.neverAdded.isEmpty)
        }
        #expect(host.output.withLock { $0 } == "first\nsecond\t4\nfirst\n")
    }

    @Test func `a wrong word ends the run, and not the program`() async throws {
        let host = Host()
        let engine = host.engine()
        let report = try await engine.run(Self.script, named: "=script", arguments: ["--jbos"])
        #expect(report.exitRequest == 2)
        #expect(
            host.errors.withLock { $0 }
                == "script: there is no option '--jbos' (did you mean '--jobs'?). See 'script --help'.\n"
        )
        let unknown = try await engine.run(Self.script, named: "=script", arguments: ["fourth"])
        #expect(unknown.exitRequest == 2 && unknown.succeeded == 0)
    }

    @Test func `help goes to the standard output of the host`() async throws {
        let host = Host()
        let report = try await host.engine().run(Self.script, named: "=script", arguments: ["--help"])
        #expect(report.exitRequest == 0)
        #expect(host.output.withLock { $0 }.contains("  third                   Is not chosen.\n"))
        #expect(host.errors.withLock { $0 }.isEmpty)
    }
}
