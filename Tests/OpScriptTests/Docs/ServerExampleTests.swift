import Foundation
import OpScript
import Synchronization
import Testing

/// The Swift code that docs/server.md shows is here, too, so that it is compiled and run.
struct ServerExampleTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    @Test func `the page's code runs`() async throws {
        let (log, output) = (Lines(), Lines())
        // begins
        var configuration = ScriptEngine.Configuration.untrusted
        configuration.runLimit = .seconds(5)
        let pool = ScriptEnginePool(configuration, count: 4) { engine in
            engine.register("square") { (number: Int) in number * number }
            engine.registerFunction("log") { (level: String, text: String) in log.add("\(level): \(text)") }
        }
        try await pool.withEngine { engine in try engine.validate() }
        let report = try await pool.run(code: "log('info', 'ready') print(await(work.square(7)))") { bytes in
            output.add(String(decoding: bytes, as: UTF8.self))
        }
        print(report.exitCode, report.usage.outputBytes)
        // ends
        // begins
        let threads = ScriptThreads(count: 4)
        var shared = ScriptEngine.Configuration.untrusted
        shared.scriptExecutor = .threads(threads)
        let crowd = (0..<100).map { _ in ScriptEngine(shared) }
        for engine in crowd { try await engine.evaluate("ready = true") }
        print(crowd.count, "engines on", threads.count ?? 0, "threads")
        // ends
        #expect(log.all == ["info: ready"] && output.all == ["49\n"])
        #expect(report.exitCode == 0 && report.usage.outputBytes == 3)
        // begins
        do {
            _ = try await pool.run(
                code: "pcall(await, work.square('x')) error({ status = 404 })",
                named: "@job.lua"
            )
        } catch let error as ScriptError {
            let raised = error.underlying as? ScriptErrorObject
            print(error.code, raised?.value ?? .nil, error.report?.failures.count ?? 0)
        }
        // ends
        // begins
        let check = try await pool.check(code: "pritn('hello')", named: "@job.lua")
        print(check.undefinedNames)
        // ends
        #expect(check.undefinedNames.map(\.suggestion) == ["print"])
        // begins
        let first = ScriptEngine()
        first.register("build") { (part: String) in "built \(part)" }
        try await first.evaluate(
            """
            local queue = OperationQueue { name = "builds" }
            local roof = work.build "roof"
            local flag = work.build "flag"
            flag:addDependency(roof)
            queue:addOperation(roof, { after = 3600 })
            queue:addOperation(flag)
            """
        )
        let pending = try await first.snapshot()
        first.shutdown()
        let file = try JSONEncoder().encode(pending)
        let second = ScriptEngine()
        second.register("build") { (part: String) in "built \(part)" }
        try await second.restore(try JSONDecoder().decode(EngineSnapshot.self, from: file))
        print(pending.operations.map(\.name), pending.omissions)
        second.shutdown()
        // ends
        #expect(pending.operations.map(\.arguments) == [["roof"], ["flag"]] && pending.omissions == [])
        pool.shutdown()
    }

    @Test func `the page shows this code`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/server.md"), encoding: .utf8)
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let shown = EmbeddingExampleTests.blocks(of: page, from: "```swift", to: "```")
        #expect(shown == EmbeddingExampleTests.blocks(of: source, from: "// begins", to: "// ends"))
        #expect(shown.count == 5)
    }

    @Test func `the page's safe libraries are those of a script`() async throws {
        let engine = ScriptEngine()
        let found = try await engine.evaluate(
            """
            local names = {}
            for _, library in ipairs { "os", "debug" } do
                for name in pairs(_G[library]) do names[#names + 1] = library .. "." .. name end
            end
            for _, name in ipairs { "io", "dofile", "loadfile", "package" } do
                if _G[name] ~= nil then names[#names + 1] = name end
            end
            table.sort(names)
            return table.concat(names, " ")
            """,
            as: String.self
        )
        #expect(found == "debug.traceback os.clock os.date os.difftime os.exit os.time package")
    }
}
