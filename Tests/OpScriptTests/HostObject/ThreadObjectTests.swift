import OpScript
import Scheduling
import Synchronization
import Testing

/// Objects that are not Sendable, in an engine that is polled by their thread and in others.
@Suite(.timeLimit(.minutes(10))) struct ThreadObjectTests {
    final class World {
        var gravity = 9.81
        private(set) var steps: [Double] = []

        func step(_ seconds: Double) -> Int {
            steps.append(seconds)
            return steps.count
        }
    }

    private func makeEngine(_ executor: ScriptEngine.Configuration.ScriptExecutor) -> ScriptEngine {
        var configuration = ScriptEngine.Configuration()
        configuration.scriptExecutor = executor
        let engine = ScriptEngine(configuration)
        engine.exposeOnThread(World.self) { type in
            type.initializer { World() }
            type.function("limit") { 100 }
            type.property("gravity", get: { $0.gravity }, set: { $0.gravity = $1 })
            type.property("count") { $0.steps.count }
            type.method("step") { (world: World, seconds: Double) in world.step(seconds) }
        }
        return engine
    }

    /// Uses an engine on a thread of its own, and polls it there.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws
        -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            let isStarted = SystemThread.start(name: "host") {
                continuation.resume(with: Result(catching: body))
            }
            if !isStarted { continuation.resume(throwing: ScriptError(.host, "no thread")) }
        }
    }

    @Test func `members are used on the thread that polls`() async throws {
        let text = try await onThread { [self] in
            let engine = makeEngine(.manual)
            let world = World()
            let bound = ThreadBound(world)
            try engine.evaluateNow("function take(given) world = given end")
            try engine.callNow("take", bound)
            let text = try engine.evaluateNow(
                """
                local other = World()
                world.gravity = world.gravity + 1
                return table.concat({ world:step(0.5), world:step(1), world.count, World.limit(), other.count,
                    tostring(world), tostring(pcall(function() return world.mass end)) }, " ")
                """,
                as: String.self
            )
            #expect(world.gravity == 10.81 && world.steps == [0.5, 1])
            engine.shutdown()
            while !engine.isClosed { try engine.poll() }
            return text
        }
        #expect(text.hasPrefix("1 2 2 100 0 World"), "\(text)")
        #expect(text.hasSuffix("false"), "\(text)")
    }

    @Test func `on another thread, each use is an error, and the object stays as it was`() async throws {
        let engine = makeEngine(.dedicatedThread)
        try await engine.set("world", ThreadBound(World()))
        let text = try await engine.evaluate(
            """
            local texts = {}
            for _, use in ipairs { function() return world.gravity end, function() world.gravity = 1 end,
                function() return world:step(1) end } do
                local ok, problem = pcall(use)
                texts[#texts + 1] = tostring(ok) .. " " .. problem.code
            end
            -- One that the script has made belongs to its thread.
            texts[#texts + 1] = World():step(1)
            return table.concat(texts, ", ")
            """,
            as: String.self
        )
        #expect(text == "false misuse, false misuse, false misuse, 1")
        engine.shutdown()
        await engine.waitUntilClosed()
    }
}
