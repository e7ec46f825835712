import Synchronization
import TestSupport
import Testing

@testable import OpScript

/// Engines and pools that end what they have begun.
struct DrainTests {
    @Test func `an engine ends what was requested, and takes nothing new`() async throws {
        let engine = ScriptEngine()
        let gate = Mutex<CheckedContinuation<Void, Never>?>(nil)
        let hasBegun = Atomic<Bool>(false)
        engine.register("hold") { () async in
            await withCheckedContinuation { continuation in
                gate.withLock { $0 = continuation }
                hasBegun.store(true, ordering: .releasing)
            }
        }
        let first = Task { try await engine.run(code: "await(work.hold())") }
        while !hasBegun.load(ordering: .acquiring) { await Task.yield() }
        let end = Task { await engine.drain() }
        var refusal: ScriptError?
        while refusal == nil {
            do {
                try await engine.evaluate("1")
            } catch let error as ScriptError {
                refusal = error
            }
        }
        #expect(refusal?.code == .host)
        #expect(refusal?.message.contains("draining") == true)
        gate.withLock { $0.take() }?.resume()
        #expect(try await first.value.exitCode == 0)
        #expect(await end.value)
        #expect(await engine.drain())
    }

    @Test func `after its time the rest is abandoned`() async throws {
        let engine = ScriptEngine()
        let isRunning = Atomic<Bool>(false)
        engine.registerFunction("begun") { isRunning.store(true, ordering: .releasing) }
        let run = Task { try await engine.run(code: "begun() while true do end") }
        while !isRunning.load(ordering: .acquiring) { await Task.yield() }
        #expect(await !engine.drain(timeout: .milliseconds(1)))
        await #expect(throws: ScriptError.self) { try await run.value }
    }

    @Test func `a pool ends the runs that wait, too`() async throws {
        let pool = ScriptEnginePool(count: 1)
        let counts = try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 1...5 { group.addTask { try await pool.run(code: "sleep(0.001)").exitCode } }
            while pool.runningCount + pool.waitingCount < 5 { await Task.yield() }
            #expect(await pool.drain())
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == [0, 0, 0, 0, 0])
        let refusal = await #expect(throws: ScriptError.self) { try await pool.run(code: "") }
        #expect(refusal?.code == .host)
        let stuck = ScriptEnginePool(count: 1)
        let run = Task { try await stuck.run(code: "sleep(3600)") }
        while stuck.runningCount == 0 { await Task.yield() }
        #expect(await !stuck.drain(timeout: .milliseconds(1)))
        await #expect(throws: ScriptError.self) { try await run.value }
    }
}

/// The exit status that a cancelled run has.
struct ExitCodeTests {
    @Test(arguments: [(nil, 130), (15, 143)] as [(Int32?, Int32)])
    func `a cancelled run has the status of its signal`(_ signal: Int32?, _ status: Int32) async throws {
        let engine = ScriptEngine()
        let isRunning = Atomic<Bool>(false)
        engine.registerFunction("begun") { isRunning.store(true, ordering: .releasing) }
        let run = Task { try await engine.run(code: "begun() sleep(3600)") }
        while !isRunning.load(ordering: .acquiring) { await Task.yield() }
        if let signal { engine.cancel(signal: signal) } else { engine.cancel() }
        let error = await #expect(throws: ScriptError.self) { try await run.value }
        #expect(error?.report?.exitCode == status)
        #expect(error?.report?.signal == status - 128)
    }

    @Test func `a run that ends well has no signal`() async throws {
        let report = try await ScriptEngine().run(code: "")
        #expect(report.signal == nil && report.exitCode == 0)
    }
}
