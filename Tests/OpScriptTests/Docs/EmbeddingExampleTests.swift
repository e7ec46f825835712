import Foundation
import OpScript
import Synchronization
import Testing

/// The Swift code that docs/embedding.md shows is here, too, so that it is compiled and run.
struct EmbeddingExampleTests {
    @Test func `the page's code runs`() async throws {
        // begins
        let engine = ScriptEngine()
        engine.register("thumbnail", "Scales an image down.") { (path: String, width: Int) in
            "\(path)@\(width)"
        }
        let report = try await engine.run(
            "OperationQueue():addOperation(work.thumbnail('cat.ppm', 64))",
            named: "@job.lua"
        )
        print(report.succeeded, report.failed, report.duration, report.exitCode)
        // ends
        // begins
        try await engine.evaluate("settings = { width = 64 }; function area(w, h) return w * h end")
        try await engine.set("settings.height", 48)
        let width = try await engine.get("settings.width", as: Int.self)
        let area = try await engine.call("area", width, 48, as: Int.self)
        let text = try await engine.evaluate("'the area is ' .. area(2, 3)", as: String.self)
        print(width, area, text)
        // ends
        // begins
        let greet = try await engine.evaluate(
            "function(name) return 'hello, ' .. name end",
            as: ScriptFunction.self
        )
        print(try await greet("world", as: String.self))
        let operation = try await engine.evaluate("work.thumbnail('dog.ppm', 32)", as: ScriptOperation.self)
        print(try await operation.value(as: String.self), try await operation.finished)
        // ends
        // begins
        final class Counter: Sendable {
            private let count = Mutex(0)
            var value: Int { count.withLock { $0 } }
            func add(_ amount: Int) { count.withLock { $0 += amount } }
        }
        engine.expose(Counter.self) { type in
            type.initializer { Counter() }
            type.property("value") { $0.value }
            type.method("add") { (counter: Counter, amount: Int) in counter.add(amount) }
            type.implement(.description) { (counter: Counter) in "Counter(\(counter.value))" }
        }
        let shown = "local c = Counter(); c:add(2); return tostring(c)"
        print(try await engine.evaluate(shown, as: String.self))
        // ends
        // begins
        @MainActor final class Window {
            var title = ""
        }
        var ofMainActor = ScriptEngine.Configuration()
        ofMainActor.scriptExecutor = .mainActor
        let desk = ScriptEngine(ofMainActor)
        desk.exposeOnMainActor(Window.self) { type in
            type.initializer { Window() }
            type.property("title", get: { $0.title }, set: { $0.title = $1 })
        }
        let titled = "local w = Window(); w.title = 'mine'; return w.title"
        print(try await desk.evaluate(titled, as: String.self))
        // ends
        // begins
        var configuration = ScriptEngine.Configuration()
        configuration.memoryLimit = 64 << 20
        configuration.sliceLimit = .milliseconds(200)
        let guarded = ScriptEngine(configuration)
        do {
            _ = try await guarded.run("while true do end", named: "@endless.lua")
        } catch let error as ScriptError {
            print(error.code, error.message)
        }
        // ends
        // begins
        var settings = ScriptEngine.Configuration()
        settings.scriptExecutor = .manual
        let level = ScriptEngine(settings)
        let isOver = Atomic<Bool>(false)
        let job = Task {
            defer { isOver.store(true, ordering: .releasing) }
            return try await level.run("for frame = 1, 3 do sleep(0.001) end", named: "@level.lua")
        }
        while !isOver.load(ordering: .acquiring) {
            try level.poll(budget: .milliseconds(4))
            await Task.yield()  // A frame is drawn here.
        }
        print(try await job.value.exitCode)
        // ends
        // begins
        try level.evaluateNow("function position(step) return step * 2, 'north' end")
        let (distance, direction) = try level.callNow("position", 21, returning: Int.self, String.self)
        print(distance, direction)
        // ends
        // begins
        var paced = ScriptEngine.Configuration()
        paced.scriptExecutor = .manual
        paced.clock = .manual
        let world = ScriptEngine(paced)
        try world.evaluateNow("ticks = 0 Timer.scheduledTimer(1, true, function() ticks = ticks + 1 end)")
        for _ in 1...4 {
            try world.advance(by: .milliseconds(500))
            while try world.poll() == .busy {}
        }
        print(try world.evaluateNow("ticks", as: Int.self))
        // ends
        // begins
        let events = engine.events
        let reader = Task {
            for await event in events { print(event.kind, event.name, event.time) }
        }
        // ends
        #expect(report.succeeded == 1)
        #expect(area == 64 * 48)
        #expect(distance == 42 && direction == "north")
        #expect(try world.evaluateNow("ticks", as: Int.self) == 2)
        #expect(try await job.value.exitCode == 0)
        engine.shutdown()
        await reader.value
    }

    @Test func `the page shows this code`() throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/embedding.md"), encoding: .utf8)
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let shown = Self.blocks(of: page, from: "```swift", to: "```").filter {
            !$0.contains("import OpScriptCLI")
        }
        #expect(shown == Self.blocks(of: source, from: "// begins", to: "// ends"))
        #expect(shown.count == 10)
    }

    @Test(arguments: ["docs/embedding.md", "Sources/OpScript/OpScript.docc/Articles/CommandOfYourOwn.md"])
    func `the page's command is the one among the examples`(name: String) throws {
        let page = try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
        let main = Self.root.appending(path: "docs/Examples/OwnCommand/Sources/OwnCommand/main.swift")
        let source = try String(contentsOf: main, encoding: .utf8)
        let shown = Self.blocks(of: page, from: "```swift", to: "```").filter {
            $0.contains("import OpScriptCLI")
        }
        #expect(shown == [source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }])
    }

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The lines between two marks, for each pair of marks, without blanks around them and without empty lines.
    static func blocks(of text: String, from begin: String, to end: String) -> [[String]] {
        var blocks: [[String]] = []
        var isInside = false
        for line in text.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            switch line {
            case begin:
                isInside = true
                blocks.append([])
            case end: isInside = false
            case "": continue
            default: if isInside { blocks[blocks.count - 1].append(line) }
            }
        }
        return blocks
    }
}
