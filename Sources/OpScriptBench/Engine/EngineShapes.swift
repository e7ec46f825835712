internal import OpScript
internal import OpScriptRecord

extension Shape {
    /// A script that calls Swift closures of two arguments.
    static let engine: [Shape] = [
        calls("engine.typed") { engine, tally in
            engine.register("add") { (a: Int, b: Int) -> Int in
                tally.add()
                return a &+ b
            }
        },
        calls("engine.untyped") { engine, tally in
            engine.register("add") { (a: ScriptValue, b: ScriptValue) -> ScriptValue in
                tally.add()
                return a
            }
        },
        .timedTask("engine.recorded") { n, tally in
            var configuration = ScriptEngine.Configuration()
            configuration.recordsRuns = true
            let engine = ScriptEngine(configuration)
            engine.register("add") { (a: Int, b: Int) -> Int in
                tally.add()
                return a &+ b
            }
            let report = try await engine.run(code: script, arguments: ["\(n)"])
            guard report.record?.operations.count == n else { throw BenchError("the record is not whole") }
        },
        .timedTask("engine.subscribed") { n, tally in
            let engine = ScriptEngine()
            engine.register("add") { (a: Int, b: Int) -> Int in
                tally.add()
                return a &+ b
            }
            let events = engine.events
            let reader = Task {
                var count = 0
                for await event in events { count += event.name.isEmpty ? 0 : 1 }
                return count
            }
            _ = try await engine.run(code: script, arguments: ["\(n)"])
            engine.shutdown()
            guard await reader.value > 0 else { throw BenchError("the subscriber received no event") }
        },
        .timedTask("engine.limited") { n, tally in
            var configuration = ScriptEngine.Configuration.untrusted
            configuration.operationLimit = 10_000_000
            configuration.memoryLimit = 4 << 30
            configuration.sliceLimit = .seconds(60)
            configuration.runLimit = .seconds(600)
            let engine = ScriptEngine(configuration)
            engine.register("add") { (a: Int, b: Int) -> Int in
                tally.add()
                return a &+ b
            }
            _ = try await engine.run(code: script, arguments: ["\(n)"])
        },
        // Each engine is made, runs a script, and is closed before the next one.
        .timedTask("engine.new") { n, tally in
            for _ in 0..<n {
                let engine = ScriptEngine()
                engine.register("add") { (a: Int, b: Int) -> Int in a &+ b }
                _ = try await engine.run(code: "local sum = 1 + 1")
                engine.shutdown()
                await engine.waitUntilClosed()
                tally.add()
            }
        },
        // Runs one after the other; the pool prepares engines meanwhile.
        .timedTask("pool.run") { n, tally in
            let pool = ScriptEnginePool(count: 4) { engine in
                engine.register("add") { (a: Int, b: Int) -> Int in a &+ b }
            }
            for _ in 0..<n {
                _ = try await pool.run(code: "local sum = 1 + 1")
                tally.add()
            }
            pool.shutdown()
        },
    ]

    private static let script = """
        local queue, add = OperationQueue(), work.add
        for i = 1, arg[1] do queue:addOperation(add(i, 2)) end
        """

    private static func calls(
        _ name: String,
        _ register: @escaping @Sendable (ScriptEngine, Tally) -> Void
    ) -> Shape {
        .timedTask(name) { n, tally in
            let engine = ScriptEngine()
            register(engine, tally)
            _ = try await engine.run(code: script, arguments: ["\(n)"])
        }
    }
}
