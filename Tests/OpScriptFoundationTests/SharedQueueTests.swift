import Foundation
import OpScript
import OpScriptFoundation
import Testing

/// A native queue that the host shares with engines: their changes are undone, and changes of others stay.
@Suite struct SharedQueueTests {
    private let native = OperationQueue()

    private func engine(_ access: QueueAccess = .full) throws -> ScriptEngine {
        let engine = ScriptEngine()
        try engine.adopt(native, as: "host.one", access: access)
        return engine
    }

    private func set(_ changes: String, by engine: ScriptEngine) async throws {
        try await engine.evaluate("local queue = OperationQueue.named 'host.one'\n" + changes)
    }

    private func close(_ engine: ScriptEngine) async {
        engine.shutdown()
        await engine.waitUntilClosed()
    }

    // MARK: Undone settings

    @Test func shutdownUndoesWhatAScriptChanged() async throws {
        native.maxConcurrentOperationCount = 4
        let engine = try engine()
        try await set("queue.maxConcurrentOperationCount, queue.isSuspended = 9, true", by: engine)
        try await set("queue.maxConcurrentOperationCount = 7", by: engine)
        #expect(native.maxConcurrentOperationCount == 7 && native.isSuspended)
        engine.shutdown()
        // At once, without waiting for the end.
        #expect(native.maxConcurrentOperationCount == 4)
        #expect(!native.isSuspended)
    }

    @Test func aDroppedEngineUndoesWhatAScriptChanged() async throws {
        native.maxConcurrentOperationCount = 4
        native.isSuspended = true
        do {
            let engine = try engine()
            try await set("queue.maxConcurrentOperationCount, queue.isSuspended = 9, false", by: engine)
            #expect(native.maxConcurrentOperationCount == 9 && !native.isSuspended)
        }
        #expect(native.maxConcurrentOperationCount == 4)
        #expect(native.isSuspended)
    }

    @Test func aRunThatGoesOnChangesNothingAfterTheEnd() async throws {
        native.maxConcurrentOperationCount = 4
        let engine = try engine()
        let begun = AsyncStream<Void>.makeStream()
        engine.register("begun") { begun.continuation.finish() }
        let run = Task {
            try await engine.run(
                code: """
                    local queue = OperationQueue.named "host.one"
                    await(work.begun())
                    while true do
                        for width = 5, 50 do queue.maxConcurrentOperationCount = width end
                        queue.isSuspended = not queue.isSuspended
                    end
                    """
            )
        }
        for await _ in begun.stream {}
        await close(engine)
        #expect(native.maxConcurrentOperationCount == 4)
        #expect(!native.isSuspended)
        await #expect(throws: ScriptError.self) { try await run.value }
    }

    @Test func whatTheHostHasSetSinceStays() async throws {
        native.maxConcurrentOperationCount = 4
        let engine = try engine()
        try await set("queue.maxConcurrentOperationCount, queue.isSuspended = 9, true", by: engine)
        native.maxConcurrentOperationCount = 5
        await close(engine)
        #expect(native.maxConcurrentOperationCount == 5)
        #expect(!native.isSuspended)
    }

    @Test(arguments: [true, false])
    func ofTwoEnginesTheLastOneGivesBackTheHostsValues(_ firstEndsFirst: Bool) async throws {
        native.maxConcurrentOperationCount = 4
        let first = try engine()
        let second = try engine()
        try await set("queue.maxConcurrentOperationCount, queue.isSuspended = 9, true", by: first)
        try await set("queue.maxConcurrentOperationCount, queue.isSuspended = 2, true", by: second)
        await close(firstEndsFirst ? first : second)
        // The value of the other engine counts.
        #expect(native.maxConcurrentOperationCount == (firstEndsFirst ? 2 : 9))
        #expect(native.isSuspended)
        await close(firstEndsFirst ? second : first)
        #expect(native.maxConcurrentOperationCount == 4)
        #expect(!native.isSuspended)
    }

    @Test func anEngineThatChangedNothingUndoesNothing() async throws {
        let first = try engine()
        let second = try engine(.submitOnly)
        try await set("queue.maxConcurrentOperationCount = 2", by: first)
        try await set("queue:addOperations({ function() end }, true)", by: second)
        await close(second)
        #expect(native.maxConcurrentOperationCount == 2)
    }

    @Test func aSuspendedDispatchQueueGoesOnAfterTheEnd() async throws {
        let disk = DispatchQueue(label: "disk")
        let engine = ScriptEngine()
        let order = Log()
        engine.register("note") { order.append("script") }
        try engine.adopt(disk, as: "host.one", access: .full)
        try await set("queue.isSuspended = true queue:addOperation(work.note())", by: engine)
        disk.async { order.append("host") }
        await close(engine)
        disk.sync {}
        #expect(order.texts == ["host"])
    }

    // MARK: Settings of others

    /// Fills the suspended queue with an operation of the host, one of another engine, and two of `engine`;
    /// returns the operations that ran in the end.
    private func whatRuns(_ act: (ScriptEngine) async throws -> Void) async throws -> Set<String> {
        let order = Log()
        native.isSuspended = true
        let engines = [try engine(.submitOnly), try engine(.submitOnly)]
        for (index, engine) in engines.enumerated() {
            engine.register("note") { (text: String) in order.append("\(index): \(text)") }
        }
        native.addOperation { order.append("host") }
        try await set("queue:addOperation(work.note('other'))", by: engines[1])
        try await act(engines[0])
        let left = native.operations.filter { !$0.isCancelled }
        #expect(left.count == 2)
        native.isSuspended = false
        drain(native)
        await close(engines[1])
        return Set(order.texts)
    }

    private static let additions = "queue:addOperations { work.note('a'), function() end, work.note('b') }\n"

    @Test func cancelAllOperationsIsForOnesOwn() async throws {
        let ran = try await whatRuns { engine in
            try await set(Self.additions + "queue:cancelAllOperations()", by: engine)
        }
        #expect(ran == ["host", "1: other"])
    }

    @Test func cancellingTheProgressIsForOnesOwn() async throws {
        let ran = try await whatRuns { engine in
            try await set(
                "local progress = queue.progress\n" + Self.additions + "progress:cancel()",
                by: engine
            )
        }
        #expect(ran == ["host", "1: other"])
    }

    @Test func aFailureThatCancelsTheRestIsForOnesOwn() async throws {
        let order = Log()
        native.maxConcurrentOperationCount = 1
        let engine = try engine()
        native.isSuspended = true
        engine.register("note") { (text: String) in order.append(text) }
        engine.register("resume") { [native] in native.isSuspended = false }
        engine.register("submit") { [native] in native.addOperation { order.append("host") } }
        _ = try await engine.run(
            code: """
                local queue = OperationQueue.named "host.one"
                queue.failFast = true
                local bad = Operation { name = "bad", main = function() error("bad", 0) end }
                queue:addOperations { bad, work.note("never") }
                await(work.submit())
                await(work.resume())
                """
        )
        drain(native)
        #expect(order.texts == ["host"])
    }

    @Test func theCancellationOfARunIsForOnesOwn() async throws {
        let begun = AsyncStream<Void>.makeStream()
        let ran = try await whatRuns { engine in
            engine.register("begun") { begun.continuation.finish() }
            let code =
                "local queue = OperationQueue.named 'host.one'\n" + Self.additions
                + "await(work.begun()) queue:waitUntilAllOperationsAreFinished()"
            let run = Task { try await engine.run(code: code) }
            for await _ in begun.stream {}
            engine.cancel()
            await #expect(throws: ScriptError.self) { try await run.value }
        }
        #expect(ran == ["host", "1: other"])
    }

    @Test func exitingIsForOnesOwn() async throws {
        let ran = try await whatRuns { engine in
            _ = try await engine.run(
                code: "local queue = OperationQueue.named 'host.one'\n" + Self.additions + "os.exit(0)"
            )
        }
        #expect(ran == ["host", "1: other"])
    }

    @Test func theEndOfAnEngineIsForOnesOwn() async throws {
        let ran = try await whatRuns { engine in
            try await set(Self.additions, by: engine)
            await close(engine)
        }
        #expect(ran == ["host", "1: other"])
    }

    @Test func whatWaitedInAQueueThatTheEndResumesNeverRuns() async throws {
        let order = Log()
        let engine = try engine()
        engine.register("note") { (text: String) in order.append(text) }
        try await set("queue.isSuspended = true\n" + Self.additions, by: engine)
        native.addOperation { order.append("host") }
        engine.shutdown()
        drain(native)
        #expect(order.texts == ["host"])
    }

    // MARK: The place of a body that the end interrupts

    @Test func aLuaBodyGivesItsPlaceBackAtTheEnd() async throws {
        native.maxConcurrentOperationCount = 1
        let order = Log()
        let engine = try engine(.submitOnly)
        let disk = DispatchQueue(label: "disk")
        try engine.adopt(disk, as: "host.disk")
        let begun = AsyncStream<Void>.makeStream()
        engine.register("begun") { begun.continuation.finish() }
        let run = Task {
            try await engine.run(
                code: """
                    local queue, disk = OperationQueue.named "host.one", OperationQueue.named "host.disk"
                    local gate = Gate "inDisk"
                    local inDisk = disk:addOperation(function() gate:finish() sleep(3600) end)
                    local inGroup = GroupOperation { Operation { main = function() sleep(3600) end } }
                    local inQueue = Operation { main = function() await(gate) await(work.begun()) sleep(3600) end }
                    queue:addOperations { inQueue, inGroup }
                    """
            )
        }
        for await _ in begun.stream {}
        native.addOperation { order.append("host") }
        disk.async { order.append("disk") }
        await close(engine)
        disk.sync {}
        drain(native)
        #expect(Set(order.texts) == ["host", "disk"])
        await #expect(throws: ScriptError.self) { try await run.value }
    }
}
