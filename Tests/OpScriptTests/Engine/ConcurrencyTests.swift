import OpScript
import Synchronization
import Testing

/// Engines together with Swift's tasks.
struct ConcurrencyTests {
    @TaskLocal static var user = "default"

    @Test func `an async closure has the task-local values of the caller of the run`() async throws {
        let engine = ScriptEngine()
        engine.register("user") { () async -> String in Self.user }
        let script = "result = await(work.user())"
        try await Self.$user.withValue("ann") { _ = try await engine.run(code: script) }
        #expect(try await engine.get("result") == "ann")
        try await Self.$user.withValue("bob") { _ = try await engine.run(code: script) }
        #expect(try await engine.get("result") == "bob")
    }

    @Test func `… and of the caller of a separate request`() async throws {
        let engine = ScriptEngine()
        engine.register("user") { () async -> String in Self.user }
        try await engine.evaluate("function user() return await(work.user()) end")
        let function = try await engine.get("user", as: ScriptFunction.self)
        try await Self.$user.withValue("cat") {
            let found1 = try await engine.evaluate("await(work.user())", as: String.self)
            #expect(found1 == "cat")
            let found2 = try await engine.call("user", as: String.self)
            #expect(found2 == "cat")
            let found3 = try await function(as: String.self)
            #expect(found3 == "cat")
            // Also through an operation that it leaves behind.
            let found4 = try await engine.evaluate("await(async(user))", as: String.self)
            #expect(found4 == "cat")
        }
        engine.register("ask") { (function: ScriptFunction) async throws -> String in
            try await Self.$user.withValue("dan") { try await function(as: String.self) }
        }
        try await Self.$user.withValue("eve") {
            _ = try await engine.run(code: "asked, own = await(work.ask(user)), await(work.user())")
        }
        #expect(try await engine.get("asked") == "dan")
        #expect(try await engine.get("own") == "eve")
    }

    @Test func `an async closure has the priority of the caller of the run`() async throws {
        let engine = ScriptEngine()
        engine.register("priority") { () async -> Int in
            // It stays: a waiter for the closure would raise it within that time.
            for _ in 0..<1_000 { await Task.yield() }
            return Int(Task.currentPriority.rawValue)
        }
        let run = Task(priority: .background) {
            try await engine.run(code: "result = await(work.priority())")
        }
        // Not awaited by this task before its end, which would raise it.
        while try await engine.get("result", as: Int?.self) == nil { await Task.yield() }
        #expect(try await engine.get("result", as: Int.self) <= Int(TaskPriority.utility.rawValue))
        _ = try await run.value
    }

    @Test func `cancelling an operation runs its cancellation handler and cancels its task`() async throws {
        let engine = ScriptEngine()
        let wasHandled = Atomic<Bool>(false)
        engine.register("hang") { () async throws in
            try await withTaskCancellationHandler {
                try await Task.sleep(for: .seconds(3600))
            } onCancel: {
                wasHandled.store(true, ordering: .releasing)
            }
        }
        let outcome = try await engine.evaluate(
            """
            local op = work.hang()
            OperationQueue():addOperation(op)
            while op.state ~= "executing" do sleep(0.001) end
            op:cancel()
            op:waitUntilFinished()
            return op.outcome
            """,
            as: String.self
        )
        #expect(outcome == "cancelled")
        let handled = wasHandled.load(ordering: .acquiring)
        #expect(handled)
    }

    @Test func `async closures that wait hold no thread`() async throws {
        let engine = ScriptEngine()
        let arrived = Atomic<Int>(0)
        let (gate, opens) = AsyncStream.makeStream(of: Void.self)
        let opened = Task { for await _ in gate {} }
        engine.register("meet") { () async in
            if arrived.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == 500 { opens.finish() }
            await opened.value
        }
        // All have to be present at once.
        let report = try await engine.run(
            code: "for i = 1, 500 do OperationQueue.default:addOperation(work.meet()) end"
        )
        #expect(report.succeeded == 500)
    }

    @Test func `eight tasks use one engine at once`() async throws {
        let engine = ScriptEngine()
        engine.register("add") { (a: Int, b: Int) in a + b }
        engine.register("later") { (function: ScriptFunction, value: Int) async throws -> Int in
            try await function(value, as: Int.self)
        }
        try await engine.evaluate("sum = 0; function add(n) sum = sum + n; return sum end")
        let events = engine.events
        let reader = Task {
            var count = 0
            for await _ in events { count += 1 }
            return count
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 1...8 {
                group.addTask {
                    for round in 1...10 {
                        try await engine.call("add", 1)
                        try await engine.set("slot\(index)", round)
                        #expect(try await engine.get("slot\(index)") == round)
                        let function = try await engine.evaluate(
                            "function(n) return n + 1 end",
                            as: ScriptFunction.self
                        )
                        #expect(try await function(round, as: Int.self) == round + 1)
                        let found = try await engine.evaluate(
                            "await(work.later(function(n) return n * 2 end, 4))",
                            as: Int.self
                        )
                        #expect(found == 8)
                        let operation = try await engine.evaluate("work.add(1, 2)", as: ScriptOperation.self)
                        #expect(try await operation.value(as: Int.self) == 3)
                        engine.register("own\(index).round\(round)") { round }
                        _ = try await engine.run(code: "await(work.own\(index).round\(round)())")
                        _ = engine.status
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await engine.get("sum") == 80)
        engine.shutdown()
        #expect(await reader.value > 0)
    }
}
