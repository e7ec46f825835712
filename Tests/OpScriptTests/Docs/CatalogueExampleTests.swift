import Foundation
import OpScript
import OpScriptRecord
import Synchronization
import Testing

/// The Swift code of the catalogue's pages is here, too, so that it is compiled and run.
struct CatalogueExampleTests {
    @Test func `OpScript`() async throws {
        // begins
        let engine = ScriptEngine()
        engine.register("square") { (number: Int) in number * number }
        let report = try await engine.run(code: "print(await(work.square(7)))")
        // ends
        #expect(report.steps == 1 && report.exitCode == 0)
    }

    @Test func `RunningScripts`() async throws {
        // begins
        let engine = ScriptEngine()
        engine.register("area", "Multiplies.", parameters: ["width", "height"]) { (width: Int, height: Int) in
            width * height
        }
        let report = try await engine.run("result = await(work.area(6, 7))", named: "@job.lua")
        let result = try await engine.get("result", as: Int.self)
        // ends
        #expect(report.steps == 1 && report.exitCode == 0)
        #expect(result == 42)
    }

    @Test func `SeeingARun`() async throws {
        // begins
        var configuration = ScriptEngine.Configuration()
        configuration.recordsRuns = true
        configuration.clock = .virtual
        let engine = ScriptEngine(configuration)
        let report = try await engine.run(
            code: """
                local queue = OperationQueue { name = "narrow", maxConcurrentOperationCount = 1 }
                queue:addOperations({ work.sleep(1), work.sleep(2) }, true)
                """
        )
        let record = report.record
        let path = record?.criticalPath()
        let last = record?.operations.last
        let advice = record.map { RunProfile($0) }?.advice
        // ends
        #expect(path?.total == 3_000_000_000 && path?.operations == [0, 1])
        #expect(last?.start == RecordedRelease(cause: .slot, operation: 0))
        #expect(advice == "'sleep' waited 1 s for a slot of queue 'narrow' (width 1), while a core was idle")
    }

    @Test func `HostObjects`() async throws {
        // begins
        final class Thermostat: Sendable {
            private let degrees = Mutex(20.0)
            var target: Double {
                get { degrees.withLock { $0 } }
                set { degrees.withLock { $0 = newValue } }
            }
        }
        let engine = ScriptEngine()
        engine.expose(Thermostat.self) { type in
            type.property("target", get: { $0.target }, set: { $0.target = $1 })
            type.method("raise") { (thermostat: Thermostat, by: Double) in thermostat.target += by }
            type.implement(.description) { (thermostat: Thermostat) in "Thermostat(\(thermostat.target))" }
        }
        try await engine.set("thermostat", Thermostat())
        let text = try await engine.evaluate(
            "thermostat:raise(1.5) return tostring(thermostat)",
            as: String.self
        )
        // ends
        #expect(text == "Thermostat(21.5)")
    }

    @Test func `SwiftConcurrency, part 1`() async throws {
        // begins
        let engine = ScriptEngine()
        engine.register("fetch") { (context: WorkContext, page: Int) async throws -> String in
            context.progress.report(completed: 1, of: 2)
            try await Task.sleep(for: .milliseconds(1))
            return "page \(page)"
        }
        let operation = try await engine.evaluate("work.fetch(3)", as: ScriptOperation.self)
        let page = try await operation.value(as: String.self)
        // ends
        #expect(page == "page 3")
    }

    @Test func `SwiftConcurrency, part 2`() async throws {
        // begins
        var configuration = ScriptEngine.Configuration()
        configuration.scriptExecutor = .manual
        let level = ScriptEngine(configuration)
        let isOver = Atomic<Bool>(false)
        let job = Task {
            defer { isOver.store(true, ordering: .releasing) }
            return try await level.run(code: "sleep(0.001)")
        }
        while !isOver.load(ordering: .acquiring) {
            try level.poll(budget: .milliseconds(4))
            await Task.yield()
        }
        let report = try await job.value
        // ends
        #expect(report.exitCode == 0)
    }

    @Test func `Observability`() async throws {
        // begins
        let engine = ScriptEngine()
        engine.register("square") { (number: Int) in number * number }
        let events = engine.events
        let reader = Task {
            var finished: [String] = []
            for await event in events {
                if case .finished(let outcome) = event.kind { finished.append("\(event.name): \(outcome)") }
            }
            return finished
        }
        _ = try await engine.run(code: "OperationQueue():addOperation(work.square(4))")
        engine.shutdown()
        let finished = await reader.value
        // ends
        #expect(finished == ["square: succeeded"])
    }

    @Test func `the pages show this code`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let catalogue = root.appending(path: "Sources/OpScript/OpScript.docc")
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        var shown: [[String]] = []
        for page in [
            "OpScript", "Articles/RunningScripts", "Articles/SeeingARun", "Articles/HostObjects",
            "Articles/SwiftConcurrency",
            "Articles/Observability",
        ] {
            let text = try String(contentsOf: catalogue.appending(path: "\(page).md"), encoding: .utf8)
            shown += EmbeddingExampleTests.blocks(of: text, from: "```swift", to: "```")
        }
        #expect(shown == EmbeddingExampleTests.blocks(of: source, from: "// begins", to: "// ends"))
        #expect(shown.count == 7)
    }
}
