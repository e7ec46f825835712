import OpScript
import Synchronization
import Testing

struct HandleTests {
    @Test func `a closure keeps a function and calls it later`() async throws {
        let engine = ScriptEngine()
        let kept = Mutex<ScriptFunction?>(nil)
        engine.register("keep") { (function: ScriptFunction) in kept.withLock { $0 = function } }
        _ = try await engine.run(
            code: """
                count = 0
                await(work.keep(function(by, name) count = count + by; return name .. count end))
                """
        )
        let function = try #require(kept.withLock { $0 })
        #expect(try await function(2, "n", as: String.self) == "n2")
        #expect(try await function(3, "m", as: String.self) == "m5")
        #expect(try await engine.get("count") == 5)
    }

    @Test func `functions cross in arrays and tables, may be left out, and come back the same`() async throws
    {
        let engine = ScriptEngine()
        engine.register("first") {
            (functions: [ScriptFunction], more: [String: ScriptFunction]?) -> ScriptFunction? in
            more?["last"] ?? functions.first
        }
        let found = try await engine.evaluate(
            """
            local f, g = function() end, function() end
            return tostring(await(work.first { f, g }) == f) .. tostring(await(work.first({ f }, { last = g })) == g)
                .. tostring((await(work.first {})))
            """,
            as: String.self
        )
        #expect(found == "truetruenil")
    }

    @Test func `values of another engine are named as such`() async throws {
        let one = ScriptEngine()
        let other = ScriptEngine()
        try await other.set("f", try await one.evaluate("print", as: ScriptFunction.self))
        let operation = try await one.evaluate("Operation(print)", as: ScriptOperation.self)
        try await other.set("o", operation)
        let message = try await other.evaluate(
            """
            local _, a = pcall(function() f() end)
            local _, b = pcall(function() await(o) end)
            return a .. "\\n" .. tostring(b)
            """,
            as: String.self
        )
        #expect(
            message == """
                evaluate:1: attempt to call a function of another engine value
                evaluate:2: bad argument #1 to 'await' (operation expected, got operation of another engine)
                """
        )
    }

    @Test func `other parameters take no function`() async throws {
        let engine = ScriptEngine()
        engine.register("text") { (text: String) in text }
        engine.register("call") { (function: ScriptFunction) in _ = function }
        await #expect { try await engine.evaluate("work.text(print)") } throws: {
            "\($0)".hasSuffix("bad argument #1 to 'text' (a function cannot leave the script thread)")
        }
        await #expect { try await engine.evaluate("work.call('x')") } throws: {
            "\($0)".hasSuffix("bad argument #1 to 'call' (function expected, got string)")
        }
    }

    @Test func `a closure calls a function while its script waits for it`() async throws {
        let engine = ScriptEngine()
        engine.register("map") { (values: [Int], function: ScriptFunction) async throws -> [Int] in
            var result: [Int] = []
            for value in values { result.append(try await function(value, as: Int.self)) }
            return result
        }
        let found = try await engine.evaluate(
            "await(work.map({ 1, 2, 3 }, function(n) sleep(0) return n * n end))",
            as: [Int].self
        )
        #expect(found == [1, 4, 9])
    }

    @Test func `a kept function prevents a deadlock, and releasing it causes one`() async throws {
        let engine = ScriptEngine()
        let kept = Mutex<ScriptFunction?>(nil)
        engine.register("keep") { (function: ScriptFunction) in kept.withLock { $0 = function } }
        let script = """
            local gate = Gate "door"
            await(work.keep(function(open) if open then gate:finish("open") end end))
            state = "waits"
            return await(gate)
            """
        let first = Task { try await engine.evaluate(script, as: String.self) }
        while try await engine.get("state", as: String?.self) != "waits" { await Task.yield() }
        try await kept.withLock { $0 }?(true)
        #expect(try await first.value == "open")
        let second = Task { try await engine.evaluate(script, as: String.self) }
        try await engine.set("state", "")
        while try await engine.get("state", as: String?.self) != "waits" { await Task.yield() }
        kept.withLock { $0 = nil }
        await #expect { try await second.value } throws: { ($0 as? ScriptError)?.code == .deadlock }
    }

    @Test func `an operation is awaited from Swift`() async throws {
        let engine = ScriptEngine()
        engine.register("answer") { 42 }
        engine.register("refuse") { () throws -> Int in throw Refusal() }
        let answer = try await engine.evaluate("work.answer()", as: ScriptOperation.self)
        #expect(answer.name == "answer")
        #expect(try await answer.outcome == nil)
        #expect(try await answer.value == .integer(42))
        #expect(try await answer.value(as: Int.self) == 42)
        #expect(try await answer.outcome == .succeeded)
        let refusal = try await engine.evaluate("work.refuse()", as: ScriptOperation.self)
        #expect(try await refusal.finished == .failed)
        await #expect { try await refusal.value } throws: {
            ($0 as? ScriptError)?.underlying is Refusal
        }
    }

    @Test func `an operation is cancelled from Swift`() async throws {
        let engine = ScriptEngine()
        let operation = try await engine.evaluate("async(sleep, 3600)", as: ScriptOperation.self)
        let ending = Task { try await operation.finished }
        operation.cancel()
        #expect(try await ending.value == .cancelled)
        await #expect { try await operation.value } throws: { ($0 as? ScriptError)?.code == .cancelled }
    }

    @Test func `an operation that nothing can end is a deadlock for Swift too`() async throws {
        let engine = ScriptEngine()
        var gate: ScriptOperation? = try await engine.evaluate("Gate 'door'", as: ScriptOperation.self)
        let waiting = Task { [gate] in try await gate?.value }
        gate = nil
        // The waiting task itself holds the gate; its cancellation is what ends the wait.
        waiting.cancel()
        await #expect { try await waiting.value } throws: { ($0 as? ScriptError)?.code == .cancelled }
    }

    @Test func `a closure takes an operation without waiting for it`() async throws {
        let engine = ScriptEngine()
        engine.register("supervise") { (operation: ScriptOperation) async throws -> String in
            operation.cancel()
            return "\(operation.name): \(try await operation.finished)"
        }
        let found = try await engine.evaluate(
            """
            local op = Operation { name = "long", main = function() sleep(3600) end }
            OperationQueue():addOperation(op)
            return await(work.supervise(op))
            """,
            as: String.self
        )
        #expect(found == "long: cancelled")
    }

    private struct Refusal: Error {}
}
