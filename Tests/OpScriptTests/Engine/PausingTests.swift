import Synchronization
import TestSupport
import Testing

@testable import OpScript

/// The host's time is used up in the middle of a piece of the script.
struct PausingTests {
    /// Polls with a budget until the run has ended; returns how often the script was paused, and the error of the run.
    private func poll(
        _ engine: ScriptEngine,
        _ code: String,
        budget: Duration = .microseconds(200),
        between: () throws -> Void = {}
    ) async throws -> (pauses: Int, error: ScriptError?) {
        let isOver = Atomic<Bool>(false)
        let run = Task {
            defer { isOver.store(true, ordering: .releasing) }
            return try await engine.run(code: code)
        }
        var pauses = 0
        while !isOver.load(ordering: .acquiring) {
            try engine.poll(budget: budget)
            if engine.isPaused {
                pauses += 1
                try between()
            }
            await Task.yield()
        }
        do {
            _ = try await run.value
            return (pauses, nil)
        } catch let error as ScriptError {
            return (pauses, error)
        }
    }

    /// Files with long pieces of code, each of which leaves a value in `result`.
    private static let pieces = ["loop", "coroutines", "functions_of_c", "metamethods", "callbacks"]

    @Test(arguments: pieces) func `code that is paused anywhere gives what it gives without a pause`(
        _ name: String
    ) async throws {
        let folder = #filePath.dropLast("PausingTests.swift".count)
        let piece = String(decoding: try SourceFile.read("\(folder)Pausing/\(name).lua"), as: UTF8.self)
        let usual = ScriptEngine.polled()
        let whole = try await poll(usual, piece, budget: .seconds(60))
        #expect(whole.error == nil)
        #expect(whole.pauses == 0)
        let paused = ScriptEngine.polled()
        let parts = try await poll(paused, piece, budget: .microseconds(100))
        #expect(parts.error == nil)
        #expect(parts.pauses > 0)
        let expected: Int = try blockingGet(usual)
        #expect(try blockingGet(paused) == expected)
    }

    private func blockingGet(_ engine: ScriptEngine) throws -> Int {
        try engine.evaluateNow("result", as: Int.self)
    }

    @Test func `no other code runs while a piece is paused`() async throws {
        let engine = ScriptEngine.polled()
        let code = """
            local isInside, ran = false, 0
            Timer.scheduledTimer(0.0001, true, function(timer)
                assert(not isInside, "a timer ran in the middle of a piece")
                ran = ran + 1
                if ran == 20 then timer:invalidate() end
            end)
            for i = 1, 20 do
                isInside = true
                for n = 1, 1000000 do end
                isInside = false
                sleep(0.0001)
            end
            """
        let (pauses, error) = try await poll(engine, code) {
            #expect(throws: ScriptError.self) { try engine.evaluateNow("1", as: Int.self) }
        }
        #expect(error == nil)
        #expect(pauses > 0)
    }

    @Test func `an endless loop is stopped by the limit of a slice, over all polls together`() async throws {
        let engine = ScriptEngine.polled { $0.sliceLimit = .milliseconds(400) }
        let (pauses, error) = try await poll(engine, "while true do end", budget: .milliseconds(1))
        #expect(error?.code == .limit)
        #expect(error?.line == 1)
        #expect(pauses > 2)
    }

    @Test func `instructions are counted over all polls together`() async throws {
        let engine = ScriptEngine.polled { $0.instructionLimit = 3_000_000 }
        let (pauses, error) = try await poll(engine, "while true do end")
        #expect(error?.code == .limit)
        #expect(pauses > 0)
    }

    @Test func `an engine ends while a piece is paused`() async throws {
        let engine = ScriptEngine.polled()
        let run = Task { try await engine.run(code: "while true do end") }
        while !engine.isPaused {
            try engine.poll(budget: .microseconds(100))
            await Task.yield()
        }
        engine.shutdown()
        await engine.waitUntilClosed()
        await #expect(throws: ScriptError.self) { try await run.value }
    }

    @Test func `a run is cancelled at the wait behind a pause`() async throws {
        let engine = ScriptEngine.polled()
        let isOver = Atomic<Bool>(false)
        let run = Task {
            defer { isOver.store(true, ordering: .releasing) }
            return try await engine.run(code: "for i = 1, 3000000 do end sleep(3600)")
        }
        while !engine.isPaused {
            try engine.poll(budget: .microseconds(100))
            await Task.yield()
        }
        engine.cancel(signal: 15)
        while !isOver.load(ordering: .acquiring) {
            try engine.poll(budget: .milliseconds(5))
            await Task.yield()
        }
        let error = await #expect(throws: ScriptError.self) { try await run.value }
        #expect(error?.code == .cancelled)
        #expect(error?.report?.exitCode == 143)
    }

    @Test func `on the main actor a long piece leaves the actor now and then`() async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.scriptExecutor = .mainActor
        let engine = ScriptEngine(configuration)
        let run = Task { try await engine.run(code: "while not isOver do end") }
        // The actor is free in the middle of the loop, which nothing else could end.
        while !engine.isPaused { await MainActor.run {} }
        engine.shutdown()
        await engine.waitUntilClosed()
        await #expect(throws: ScriptError.self) { try await run.value }
    }
}
