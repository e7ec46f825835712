import Dispatch
import Synchronization
import Testing

@testable import OpScript

/// A condition that tasks await without polling.
private final class Condition<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var waiters: [(wanted: @Sendable (Value) -> Bool, continuation: CheckedContinuation<Void, Never>)] =
            []
    }

    private let state: Mutex<State>

    init(_ value: Value) { state = Mutex(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    func change(_ body: @Sendable (inout Value) -> Void) {
        let reached = state.withLock { state in
            body(&state.value)
            let value = state.value
            defer { state.waiters.removeAll { $0.wanted(value) } }
            return state.waiters.filter { $0.wanted(value) }
        }
        for waiter in reached { waiter.continuation.resume() }
    }

    func wait(until wanted: @escaping @Sendable (Value) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if wanted(state.value) { return true }
                state.waiters.append((wanted, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }
}

/// Threads that are counted, and may be refused.
private final class CountedThreads: Sendable {
    private let count = Condition(0)
    private let isRefusing = Condition(false)
    private let refusals = Condition(0)

    func make(limit: Int? = nil) -> ScriptThreads {
        ScriptThreads(limit: limit) { [self] body in
            if isRefusing.value {
                refusals.change { $0 += 1 }
                return false
            }
            count.change { $0 += 1 }
            return ScriptThread.startSystemThread {
                body()
                self.count.change { $0 -= 1 }
            }
        }
    }

    func refuse(_ refuses: Bool) { isRefusing.change { $0 = refuses } }

    /// Waits until this many threads were refused.
    func refused(_ count: Int) async { await refusals.wait { $0 >= count } }

    /// Waits until no script has a thread.
    func free() async { await count.wait { $0 == 0 } }
}

/// A work that begins, and returns 7 when it is released.
private final class HeldWork: Sendable {
    private let hasBegun = Condition(false)
    private let gate = DispatchSemaphore(value: 0)

    init(_ engine: ScriptEngine) {
        engine.register("pass") { [self] () in
            hasBegun.change { $0 = true }
            gate.wait()
            return 7
        }
    }

    func begins() async { await hasBegun.wait { $0 } }

    func release() { gate.signal() }
}

/// Engines that share threads for their scripts.
@Suite(.timeLimit(.minutes(5)))
struct ScriptThreadsTests {
    private func makeEngine(_ threads: ScriptThreads) -> ScriptEngine {
        var configuration = ScriptEngine.Configuration()
        configuration.scriptExecutor = .threads(threads)
        let engine = ScriptEngine(configuration)
        engine.register("square") { (number: Int) in number * number }
        return engine
    }

    /// Closes engines that their own closures keep.
    private func close(_ engines: ScriptEngine...) async {
        for engine in engines { engine.shutdown() }
        for engine in engines { await engine.waitUntilClosed() }
    }

    @Test func `an engine has no thread while it waits, and continues when its wait ends`() async throws {
        let threads = CountedThreads()
        let engine = makeEngine(threads.make())
        let work = HeldWork(engine)
        async let value = engine.evaluate("await(work.pass())", as: Int.self)
        await work.begins()
        await threads.free()
        work.release()
        #expect(try await value == 7)
        await threads.free()
        #expect(try await engine.evaluate("1", as: Int.self) == 1)
        await close(engine)
        await threads.free()
    }

    @Test func `a timer brings an engine without a thread back`() async throws {
        let threads = CountedThreads()
        let engine = makeEngine(threads.make())
        // Longer than a thread stays with an engine that waits.
        let report = try await engine.run(code: "for i = 1, 5 do sleep(0.005) end")
        #expect(report.exitCode == 0)
        await close(engine)
        await threads.free()
    }

    @Test func `no more scripts run at once than there are threads, and all end`() async throws {
        let threads = ScriptThreads(count: 2)
        let counts = Mutex((now: 0, most: 0))
        let engines = (0..<20).map { _ in makeEngine(threads) }
        for engine in engines {
            engine.registerFunction("enter") { () in
                counts.withLock { counts in
                    counts.now += 1
                    counts.most = max(counts.most, counts.now)
                }
            }
            engine.registerFunction("leave") { () in counts.withLock { $0.now -= 1 } }
        }
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for engine in engines {
                group.addTask {
                    try await engine.evaluate(
                        """
                        local sum = 0
                        for i = 1, 20 do
                            enter()
                            for j = 1, 1000 do sum = sum + 1 - 1 end
                            leave()
                            sum = sum + await(work.square(i))
                            if i % 5 == 0 then sleep(0.002) end
                        end
                        return sum
                        """,
                        as: Int.self
                    )
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 20 * 2870)
        #expect((1...2).contains(counts.withLock { $0.most }))
        for engine in engines { await close(engine) }
    }

    @Test func `a script that never waits long gives others a turn`() async throws {
        let threads = ScriptThreads(count: 1)
        let busy = makeEngine(threads)
        let other = makeEngine(threads)
        let hasBegun = Condition(false)
        busy.registerFunction("begin") { () in hasBegun.change { $0 = true } }
        let endless = Task { try await busy.run(code: "begin() while true do sleep(0) end") }
        await hasBegun.wait { $0 }
        #expect(try await other.evaluate("1 + 1", as: Int.self) == 2)
        busy.cancel()
        await #expect(throws: ScriptError.self) { try await endless.value }
        await close(busy, other)
    }

    @Test func `an engine that is released while it waits is closed`() async throws {
        let threads = CountedThreads()
        let isClosed = Condition(false)
        do {
            let engine = makeEngine(threads.make())
            engine.link.whenClosed { isClosed.change { $0 = true } }
            try await engine.evaluate("timer = Timer.scheduledTimer(3600, true, print)")
            await threads.free()
        }
        await isClosed.wait { $0 }
        await threads.free()
    }

    @Test func `without a thread a first request is refused, and begun work continues later`() async throws {
        let threads = CountedThreads()
        threads.refuse(true)
        let engine = makeEngine(threads.make())
        await #expect { try await engine.evaluate("1", as: Int.self) } throws: { error in
            (error as? ScriptError)?.message.hasPrefix("the system provides no thread for scripts") == true
        }
        threads.refuse(false)
        let work = HeldWork(engine)
        async let value = engine.evaluate("await(work.pass())", as: Int.self)
        await work.begins()
        await threads.free()
        threads.refuse(true)
        work.release()
        // The engine requests a thread, and again later. One was refused before.
        await threads.refused(3)
        threads.refuse(false)
        #expect(try await value == 7)
        await close(engine)
    }

    @Test func `a bounded set of threads keeps waiting scripts when the system has none`() async throws {
        let refusals = Mutex(3)
        let threads = ScriptThreads(limit: 1) { body in
            let isRefused = refusals.withLock { refusals in
                refusals -= 1
                return refusals >= 0
            }
            return !isRefused && ScriptThread.startSystemThread(body)
        }
        let engine = makeEngine(threads)
        for _ in 1...3 {
            await #expect(throws: ScriptError.self) { try await engine.evaluate("1", as: Int.self) }
        }
        #expect(try await engine.evaluate("1", as: Int.self) == 1)
        await close(engine)
    }
}
