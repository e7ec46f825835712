import Foundation
import Synchronization
import Testing

@testable import OpScript

/// Work that has not begun in one engine, and begins in another.
struct EngineSnapshotTests {
    /// The calls of the work `note`, in order.
    final class Notes: Sendable {
        let all = Mutex<[String]>([])
        var texts: [String] { all.withLock { $0 } }
    }

    private func engine(_ notes: Notes) -> ScriptEngine {
        let engine = ScriptEngine()
        engine.register("note") { (text: String, other: ScriptValue?) in
            notes.all.withLock { $0.append("\(text) \(other ?? "-")") }
        }
        return engine
    }

    private func stored(_ snapshot: EngineSnapshot) throws -> EngineSnapshot {
        try JSONDecoder().decode(EngineSnapshot.self, from: JSONEncoder().encode(snapshot))
    }

    @Test func `operations begin in another engine as they would have begun`() async throws {
        let first = engine(Notes())
        try await first.evaluate(
            """
            local jobs = OperationQueue { name = "jobs", maxConcurrentOperationCount = 1, isSuspended = true }
            local a, b, c, d = work.note("a"), work.note("b\\0b", 1.0), work.note("c", { n = 2, { 0x7fffffffffffffff } }), work.note "d"
            a.queuePriority, a.retry, a.version = "veryLow", { attempts = 3, delay = 0.5 }, "2"
            b.name, b.timeout, b.allowsFailure, b.resources = "second", 9, true, { disk = 1 }
            OperationQueue.setResource("disk", 1)
            b:addDependency(a, "succeeded")
            c:addDependency(b, "finished")
            jobs:addOperations { a, b, c }
            jobs:addBarrierBlock(d)
            jobs:addOperation(work.note "later", { after = 50 })
            local serial = DispatchQueue { label = "serial" }
            serial:suspend()
            serial:async(work.note "x")
            """
        )
        let snapshot = try stored(try await first.snapshot())
        #expect(snapshot.omissions == [])
        #expect(snapshot.operations.map(\.name) == ["note", "second", "note", "note", "note", "note"])
        #expect(snapshot.operations.map(\.work) == Array(repeating: "note", count: 6))
        let second = snapshot.operations[1]
        #expect(second.arguments == ["b\0b", 1.0])
        #expect(
            second.dependencies.map(\.operation) == [0] && second.dependencies.map(\.when) == ["succeeded"]
        )
        #expect(second.queue.kind == .operation && second.queue.name == "jobs" && second.queue.width == 1)
        #expect(snapshot.operations[2].dependencies.map(\.when) == ["finished"])
        #expect(snapshot.operations[3].isBarrier && !second.isBarrier)
        #expect(snapshot.operations[0].description["version"] == "2")
        #expect(snapshot.operations[5].queue.kind == .serial)
        let delay = try #require(snapshot.operations[4].delay)
        #expect(delay > 1 && delay <= 50)

        let notes = Notes()
        let other = engine(notes)
        try await other.evaluate(
            """
            OperationQueue.setResource("disk", 1)
            jobs = OperationQueue { name = "jobs", isSuspended = true }
            """
        )
        try await other.restore(snapshot)
        try await other.evaluate(
            """
            local a, b, c, d, later = table.unpack(jobs.operations)
            settings = {
                b.name, b.timeout, b.allowsFailure, b.resources.disk, a.retry.attempts, a.queuePriority, #c.dependencies
            }
            jobs.isSuspended = false
            await(d)
            state = later.state
            """
        )
        let settings = try await other.get("settings", as: [ScriptValue].self)
        #expect(settings == ["second", 9.0, true, 1, 3, "veryLow", 1])
        #expect(try await other.get("state") == "pending")
        let texts = notes.texts.filter { !$0.hasPrefix("x") }
        #expect(texts == ["a -", "b\0b 1.0", "c { { 9223372036854775807 } }", "d -"])
        #expect(notes.texts.contains("x -"))
        let again = try await other.snapshot()
        #expect(again.operations.map { $0.arguments[0] } == ["later"])
        first.shutdown()
        other.shutdown()
    }

    @Test func `timers that name a work keep their pace, and a further attempt keeps what is left`()
        async throws
    {
        let first = engine(Notes())
        first.register("fail") { () throws in throw ScriptError(.failed, "not yet") }
        try await first.evaluate(
            """
            Timer.scheduledTimer { interval = 60, repeats = true, tolerance = 2, operation = { work = "note", args = { "t" } } }
            local op = work.fail()
            op.retry = { attempts = 5, delay = 40 }
            OperationQueue.default:addOperation(op)
            while op.attempt < 1 or op.state ~= "pending" do sleep(0.001) end
            """
        )
        let snapshot = try stored(try await first.snapshot())
        let timer = try #require(snapshot.timers.first)
        #expect(timer.interval == 60 && timer.repeats && timer.tolerance == 2 && timer.keepsAlive)
        #expect(timer.delay > 1 && timer.delay <= 60)
        let op = try #require(snapshot.operations.first)
        #expect(op.description["retry"]?["attempts"] == 4)
        #expect(try #require(op.delay) > 1)
        var soon = snapshot
        soon.operations = []
        soon.timers[0].delay = 0
        let notes = Notes()
        let other = engine(notes)
        other.register("seen") { notes.texts.count }
        try await other.restore(soon)
        try await other.evaluate("while await(work.seen()) == 0 do sleep(0.001) end")
        #expect(notes.texts.first == "t -")
        let again = try #require(try await other.snapshot().timers.first)
        #expect(again.delay > 1 && again.delay <= 60)
        first.shutdown()
        other.shutdown()
    }

    @Test func `a snapshot names each object that it does not hold`() async throws {
        let engine = engine(Notes())
        try await engine.evaluate(
            """
            local jobs = OperationQueue { name = "jobs", isSuspended = true }
            local function add(name, op, other, when)
                op.name = name
                if other then op:addDependency(other, when) end
                jobs:addOperation(op)
                return op
            end
            local failed = Operation(function() error "no" end)
            failed.name, failed.allowsFailure = "failed", true
            pawait(failed)
            local lua = add("lua", Operation(function() end))
            add("group", GroupOperation {})
            add("taker", work.note(lua))
            add("second", work.note "x", add("first", work.note "x", lua))
            add("hidden", work.note(secret "s3cret"))
            add("doomed", work.note "x", failed)
            add("rescue", work.note "x", failed, "failed")
            add("kept", work.note "x").completionBlock = function() end
            Timer.scheduledTimer(60, false, function() end)
            Timer.cron("0 0 1 1 *", function() end)
            """
        )
        let snapshot = try await engine.snapshot()
        #expect(snapshot.operations.map(\.name) == ["rescue", "kept"])
        #expect(snapshot.timers.isEmpty)
        #expect(
            snapshot.omissions == [
                "'lua' cannot be described: its body is a Lua function, not a work (evaluate:11)",
                "'group' is a group (evaluate:12)",
                "'taker' cannot be described: it takes results of other operations (evaluate:13)",
                "'hidden' has a secret among its arguments (evaluate:15)",
                "'doomed' will be skipped because of an operation that has ended (evaluate:16)",
                "the completion block of 'kept' is a Lua function (evaluate:18)",
                "'first' depends on 'lua', which is not held (evaluate:14)",
                "'second' depends on 'first', which is not held (evaluate:14)",
                "a timer calls a Lua function (evaluate:19)",
                "a timer calls a Lua function (evaluate:20)",
            ]
        )
        engine.shutdown()
    }

    @Test func `a snapshot is restored as a whole or not at all`() async throws {
        let first = engine(Notes())
        try await first.evaluate(
            """
            local jobs = OperationQueue { name = "jobs", isSuspended = true }
            local op = work.note "x"
            op.name, op.resources = "needy", { gpu = 1 }
            OperationQueue.setResource("gpu", 1)
            jobs:addOperations { work.note "y", op }
            Timer.scheduledTimer { interval = 60, operation = { work = "note", args = { "z" } } }
            """
        )
        let snapshot = try await first.snapshot()
        let notes = Notes()
        let other = engine(notes)
        let error = await #expect(throws: ScriptError.self) { try await other.restore(snapshot) }
        #expect(error?.message.contains("gpu") == true, "\(error?.message ?? "")")
        #expect(try await other.snapshot().operations.isEmpty)
        let bare = ScriptEngine()
        let missing = await #expect(throws: ScriptError.self) { try await bare.restore(snapshot) }
        #expect(
            missing?.message == "'note' of the snapshot: there is no work 'note'",
            "\(missing?.message ?? "")"
        )
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode(
                EngineSnapshot.self,
                from: Data(
                    String(decoding: try JSONEncoder().encode(snapshot), as: UTF8.self)
                        .replacingOccurrences(of: "\"description\":\"", with: "\"description\":\"zz").utf8
                )
            )
        }
        for engine in [first, other, bare] { engine.shutdown() }
    }
}
