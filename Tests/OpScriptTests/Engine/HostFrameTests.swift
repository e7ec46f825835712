import Synchronization
import TestSupport
import Testing

@testable import OpScript

/// Frames of a host that polls, and calls that answer at once.
struct HostFrameTests {
    @Test func `a wait for a frame ends at the very next poll`() throws {
        let engine = ScriptEngine.polled()
        try engine.evaluateNow(
            "seen = {} async(function() while true do await(frame()) seen[#seen + 1] = count end end)"
        )
        // The body begins in the first poll, and its first wait ends in the second.
        try engine.poll(budget: .seconds(60))
        for count in 1...20 {
            try engine.evaluateNow("count = \(count)")
            try engine.poll(budget: .seconds(60))
            #expect(try engine.evaluateNow("#seen", as: Int.self) == count)
            #expect(try engine.evaluateNow("seen[#seen]", as: Int.self) == count)
        }
    }

    @Test func `a frame is an operation like others`() throws {
        let engine = ScriptEngine.polled()
        try engine.evaluateNow(
            """
            local one, two = frame(), frame()
            assert(one ~= two and tostring(one):find "frame" and not one.isFinished)
            two:cancel()
            local after = Operation(function() ran = true end)
            after:addDependency(one)
            OperationQueue():addOperation(after)
            async(function() first = await.any { frame(), Gate() }.name == "frame" end)
            """
        )
        #expect(try engine.evaluateNow("ran", as: Bool?.self) == nil)
        for _ in 1...3 { try engine.poll(budget: .seconds(60)) }
        #expect(try engine.evaluateNow("ran, first", returning: Bool.self, Bool.self) == (true, true))
    }

    @Test func `a wait for a frame is no deadlock, and a poll says that it is expected`() throws {
        let engine = ScriptEngine.polled()
        try engine.evaluateNow("async(function() await(frame()) isOver = true end)")
        guard case .waiting(let rest?) = try engine.poll(budget: .seconds(60)) else {
            Issue.record("a frame is expected")
            return
        }
        #expect(rest == .zero)
        try engine.poll(budget: .seconds(60))
        #expect(try engine.evaluateNow("isOver", as: Bool.self))
        #expect(try engine.poll(budget: .seconds(60)) == .idle)
    }

    @Test func `frames need a host that polls`() async throws {
        let engine = ScriptEngine()
        let error = await #expect(throws: ScriptError.self) { try await engine.evaluate("frame()") }
        #expect(error?.code == .misuse)
        #expect(error?.message.contains("'frame' needs a host that polls its engine") == true)
        await #expect(throws: ScriptError.self) { try await engine.nextFrame() }
    }

    @Test func `a Swift task waits for a frame, and for none after the end`() async throws {
        let engine = ScriptEngine.polled()
        let frames = Atomic<Int>(0)
        let task = Task {
            for _ in 1...3 {
                try await engine.nextFrame()
                frames.wrappingAdd(1, ordering: .relaxed)
            }
        }
        while frames.load(ordering: .relaxed) < 3 {
            try engine.poll(budget: .seconds(60))
            await Task.yield()
        }
        try await task.value
        let cancelled = Task { try await engine.nextFrame() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let late = Task { try await engine.nextFrame() }
        engine.shutdown()
        await #expect(throws: ScriptError.self) { try await late.value }
    }

    @Test func `a call now returns its results on this thread`() throws {
        let engine = ScriptEngine.polled()
        try engine.evaluateNow(
            "hero = { x = 3 } function hero.position(dx) return hero.x + dx, -1, 'far' end"
        )
        #expect(try engine.callNow("hero.position", 4, as: Int.self) == 7)
        let (x, y, text) = try engine.callNow("hero.position", 1, returning: Int.self, Int.self, String.self)
        #expect(x == 4 && y == -1 && text == "far")
        let some: (Int, String?) = try engine.evaluateNow("1", returning: Int.self, String?.self)
        #expect(some == (1, nil))
        let function = try engine.evaluateNow("hero.position", as: ScriptFunction.self)
        #expect(try function.callNow(0, as: Int.self) == 3)
        #expect(try function.callNow(0, returning: Int.self, Int.self) == (3, -1))
        let error = #expect(throws: ScriptError.self) {
            try engine.evaluateNow("1, 'x'", returning: Int.self, Int.self)
        }
        #expect(error?.message == "bad value of result 2 (integer expected, got string)")
    }

    @Test func `several results also come from requests that wait`() async throws {
        let engine = ScriptEngine()
        let both = try await engine.evaluate("1, 'two'", returning: Int.self, String.self)
        #expect(both == (1, "two"))
        try await engine.evaluate("function pair(a) sleep(0.001) return a, a end")
        #expect(try await engine.call("pair", 5, returning: Int.self, Int.self) == (5, 5))
        let pair = try await engine.get("pair", as: ScriptFunction.self)
        #expect(try await pair(6, returning: Int.self, Int.self) == (6, 6))
    }

    @Test func `a wait inside of a call now is an error there, and nothing stays behind`() throws {
        let engine = ScriptEngine.polled()
        for code in ["sleep(0.01)", "sleep(0)", "await(Gate())", "pcall(sleep, 1) sleep(1)"] {
            let error = #expect(throws: ScriptError.self) { try engine.evaluateNow(code) }
            #expect(error?.message.contains("cannot wait here") == true, "\(code): \(error?.message ?? "")")
        }
        #expect(try engine.poll(budget: .seconds(60)) == .idle)
    }

    @Test func `operations that a call now adds run in later polls`() async throws {
        let engine = ScriptEngine.polled()
        engine.register("double") { (number: Int) in number * 2 }
        engine.register("slow") { (number: Int) async in number * 3 }
        try engine.evaluateNow(
            """
            sum = 0
            for _, op in ipairs { work.double(2), work.slow(2) } do
                OperationQueue():addOperation(op).completionBlock = function(op) sum = sum + op.result end
            end
            """
        )
        while try engine.evaluateNow("sum", as: Int.self) < 10 {
            try engine.poll(budget: .seconds(60))
            await Task.yield()
        }
    }

    @Test func `calls now are refused where the engine does not live`() async throws {
        let elsewhere = ScriptEngine()
        let error = #expect(throws: ScriptError.self) { try elsewhere.evaluateNow("1", as: Int.self) }
        #expect(error?.code == .misuse)
        let manual = ScriptEngine.polled()
        manual.registerFunction("again") { () throws -> Int in try manual.evaluateNow("1", as: Int.self) }
        let inside = #expect(throws: ScriptError.self) { try manual.evaluateNow("again()", as: Int.self) }
        #expect(inside?.message.contains("called inside a closure that the same engine has called") == true)
        manual.shutdown()
        let gone = #expect(throws: ScriptError.self) { try manual.evaluateNow("1", as: Int.self) }
        #expect(gone?.code == .host)
    }

    @Test @MainActor func `an engine on the main actor answers at once on the main thread`() async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.scriptExecutor = .mainActor
        let engine = ScriptEngine(configuration)
        guard MainThread.isCurrent else {
            // The test runner may serve the main actor with another thread.
            #expect(throws: ScriptError.self) { try engine.evaluateNow("1", as: Int.self) }
            return
        }
        #expect(try engine.evaluateNow("6 * 7", as: Int.self) == 42)
        try await engine.evaluate("sleep(0.001)")
    }

    @Test func `os.exit in a call now ends what is there, and the engine can be used again`() throws {
        let engine = ScriptEngine.polled()
        _ = try? engine.evaluateNow("os.exit(3)")
        try engine.poll(budget: .seconds(60))
        #expect(try engine.evaluateNow("1", as: Int.self) == 1)
    }
}

/// A clock that the host advances.
struct ManualClockTests {
    private func makeEngine(
        _ executor: ScriptEngine.Configuration.ScriptExecutor
    ) -> ScriptEngine {
        var configuration = ScriptEngine.Configuration()
        configuration.scriptExecutor = executor
        configuration.clock = .manual
        return ScriptEngine(configuration)
    }

    @Test func `time stands still until the host lets it pass`() throws {
        let engine = makeEngine(.manual)
        try engine.evaluateNow(
            """
            log, began = {}, clock.date()
            async(function() sleep(0.5) log[#log + 1] = "slept " .. clock.now() end)
            Timer.scheduledTimer(1, true, function() log[#log + 1] = "tick " .. clock.now() end)
            local late = Operation(function() log[#log + 1] = "late" end)
            OperationQueue():addOperation(late, { after = 1.5 })
            local limited = Operation(function() sleep(10) end)
            limited.timeout = 2.5
            OperationQueue():addOperation(limited).completionBlock = function(op) log[#log + 1] = op.error.code end
            """
        )
        var log: [String] { get throws { try engine.evaluateNow("log", as: [String].self) } }
        for _ in 1...5 { try engine.poll(budget: .seconds(60)) }
        #expect(try log == [])
        try engine.advance(by: .milliseconds(500))
        for _ in 1...2 { try engine.poll(budget: .seconds(60)) }
        #expect(try log == ["slept 0.5"])
        try engine.advance(by: .milliseconds(500))
        try engine.poll(budget: .seconds(60))
        #expect(try log == ["slept 0.5", "tick 1.0"])
        try engine.advance(by: .milliseconds(500))
        for _ in 1...2 { try engine.poll(budget: .seconds(60)) }
        #expect(try log.last == "late")
        try engine.advance(by: .seconds(1))
        for _ in 1...3 { try engine.poll(budget: .seconds(60)) }
        #expect(try log.contains("timeout"))
        #expect(
            try engine.evaluateNow("clock.now(), clock.isVirtual", returning: Double.self, Bool.self) == (
                2.5, false
            )
        )
        #expect(try engine.evaluateNow("clock.date() - began", as: Double.self) == 2.5)
        #expect(throws: ScriptError.self) { try engine.evaluateNow("clock.advance(1)") }
    }

    @Test func `threads run bodies while the clock stands still, and a timer fires when it is advanced`()
        async throws
    {
        let engine = makeEngine(.threads(.shared))
        engine.register("double") { (number: Int) in number * 2 }
        let run = Task {
            try await engine.run(code: "assert(await(work.double(2)) == 4) sleep(3600) done = true")
        }
        let isOver = Atomic<Bool>(false)
        let end = Task {
            _ = await run.result
            isOver.store(true, ordering: .releasing)
        }
        while !isOver.load(ordering: .acquiring) {
            try engine.advance(by: .seconds(600))
            await Task.yield()
        }
        await end.value
        #expect(try await run.value.duration >= 3600)
        #expect(try await engine.get("done", as: Bool.self))
    }

    @Test func `only a manual clock is advanced, and only forward`() throws {
        let usual = #expect(throws: ScriptError.self) { try ScriptEngine().advance(by: .seconds(1)) }
        #expect(usual?.code == .misuse)
        let engine = makeEngine(.manual)
        let back = #expect(throws: ScriptError.self) { try engine.advance(by: .seconds(-1)) }
        #expect(back?.code == .argument)
        try engine.advance(by: .zero)
        engine.shutdown()
        let gone = #expect(throws: ScriptError.self) { try engine.advance(by: .seconds(1)) }
        #expect(gone?.code == .host)
    }
}
