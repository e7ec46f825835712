import OpScript
import Testing

struct EventTests {
    /// Events up to the end of the engine.
    private func events(of engine: ScriptEngine, _ code: String) async throws -> [ScriptEvent] {
        let events = engine.events
        _ = try? await engine.run(code: code)
        engine.shutdown()
        var all: [ScriptEvent] = []
        for await event in events { all.append(event) }
        return all
    }

    private func engine() -> ScriptEngine {
        var configuration = ScriptEngine.Configuration()
        configuration.clock = .virtual
        configuration.standardError = { _ in }
        let engine = ScriptEngine(configuration)
        engine.register("one") { 1 }
        engine.register("refuse") { () throws -> Int in throw Refusal() }
        return engine
    }

    private struct Refusal: Error {}

    @Test func `each operation is reported from its addition to its end`() async throws {
        let all = try await events(
            of: engine(),
            """
            local queue = OperationQueue()
            local a, b = work.one(), work.refuse()
            b:addDependency(a)
            b.name = "second"
            queue:addOperations { a, b }
            queue:waitUntilAllOperationsAreFinished()
            """
        )
        func kinds(_ name: String) -> [ScriptEvent.Kind] { all.filter { $0.name == name }.map(\.kind) }
        #expect(kinds("one") == [.added, .ready, .started, .finished(.succeeded)])
        #expect(kinds("second") == [.added, .ready, .started, .finished(.failed)])
        #expect(Set(all.map(\.identity)).count == 2)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.time <= $1.time })
    }

    @Test func `cancelled, skipped and Lua operations, and timers`() async throws {
        let all = try await events(
            of: engine(),
            """
            local queue = OperationQueue { isSuspended = true }
            local a, b = Operation { name = "a", main = function() end }, Operation { name = "b", main = function() end }
            b:addDependency(a, "failed")
            queue:addOperations { a, b }
            local c = Operation { name = "c", main = function() end }
            queue:addOperation(c)
            c:cancel()
            queue.isSuspended = false
            queue:waitUntilAllOperationsAreFinished()
            Timer.scheduledTimer(60, true, function(timer) if timer.fireCount == 2 then timer:invalidate() end end)
            """
        )
        func kinds(_ name: String) -> [ScriptEvent.Kind] { all.filter { $0.name == name }.map(\.kind) }
        #expect(kinds("a") == [.added, .ready, .started, .finished(.succeeded)])
        #expect(kinds("b").filter { $0 != .ready } == [.added, .finished(.skipped)])
        #expect(kinds("c") == [.added, .ready, .cancelled, .finished(.cancelled)])
        let fires = all.filter { $0.kind == .fired }
        #expect(fires.count == 2)
        #expect(Set(fires.map(\.identity)).count == 1)
        #expect(fires[1].time - fires[0].time == 60)
    }

    @Test func `several subscribers have all events, each from its subscription on`() async throws {
        let engine = engine()
        let first = engine.events
        _ = try await engine.run(code: "await(work.one())")
        let second = engine.events
        _ = try await engine.run(code: "await(work.one())")
        engine.shutdown()
        var counts = [0, 0]
        for await _ in first { counts[0] += 1 }
        for await _ in second { counts[1] += 1 }
        #expect(counts == [8, 4])
        // After the end, no more events follow.
        for await _ in engine.events { Issue.record("an event after the end") }
    }

    @Test func `a subscriber that takes nothing loses the oldest, and learns how many`() async throws {
        let engine = engine()
        let events = engine.events
        _ = try await engine.run(
            code: """
                local queue = OperationQueue()
                for i = 1, 30000 do queue:addOperation(work.one()) end
                queue:waitUntilAllOperationsAreFinished()
                """
        )
        engine.shutdown()
        var lost = 0
        var seen = 0
        for await event in events {
            if case .lost(let count) = event.kind { lost += count } else { seen += 1 }
        }
        #expect(lost > 0)
        #expect(lost + seen == 120_000)
        #expect(seen <= 100_000)
    }

    @Test func `a cancelled subscriber gets no more events`() async throws {
        let engine = engine()
        let events = engine.events
        let reader = Task {
            var count = 0
            for await _ in events { count += 1 }
            return count
        }
        reader.cancel()
        #expect(await reader.value == 0)
        _ = try await engine.run(code: "await(work.one())")
    }
}
