import OpScript
import OpScriptRecord
import Synchronization
import Testing

/// The record of a run, on virtual time: its contents, and its receivers.
@Suite struct RecordTests {
    private func engine(seed: UInt64? = nil, sinks: [any RunSink] = [], records: Bool = true) -> ScriptEngine
    {
        var configuration = ScriptEngine.Configuration()
        configuration.clock = .virtual
        configuration.seed = seed
        configuration.recordsRuns = records
        configuration.sinks = sinks
        configuration.standardOutput = { _ in }
        configuration.standardError = { _ in }
        return ScriptEngine(configuration)
    }

    private func record(_ code: String, seed: UInt64? = nil) async throws -> RunRecord {
        let report = try await engine(seed: seed).run(code: code, named: "=job")
        return try #require(report.record)
    }

    @Test func `without the setting there is no record`() async throws {
        let report = try await engine(records: false).run(code: "await(work.sleep(1))")
        #expect(report.record == nil)
    }

    @Test func `moments, causes and places of a queue with a width`() async throws {
        let record = try await record(
            """
            local queue = OperationQueue { name = "narrow", maxConcurrentOperationCount = 1 }
            local first, second = work.sleep(1), work.sleep(2)
            second.name = "second"
            queue:addOperations({ first, second }, true)
            """
        )
        #expect(record.isVirtual && record.duration == 3_000_000_000 && record.end == .finished)
        let (first, second) = (record.operations[0], record.operations[1])
        #expect(first.name == "sleep" && first.work == "sleep" && first.place == "job:2")
        #expect([first.added, first.ready, first.started, first.ended] == [0, 0, 0, 1_000_000_000])
        #expect(first.runner == .elsewhere && first.outcome == .succeeded && first.attempts == 1)
        #expect(second.name == "second" && second.queue.map { record.queues[$0].name } == "narrow")
        #expect([second.ready, second.started, second.ended] == [0, 1_000_000_000, 3_000_000_000])
        #expect(second.start == RecordedRelease(cause: .slot, operation: 0))
    }

    @Test func `dependencies have their conditions and release their dependents`() async throws {
        let record = try await record(
            """
            local a, b = work.sleep(1), work.sleep(1)
            b:addDependency(a, "finished")
            local queue = OperationQueue()
            queue:addOperations({ a, b }, true)
            """
        )
        #expect(record.operations[1].dependencies == [RecordedDependency(operation: 0, condition: .finished)])
        #expect(record.operations[1].readiness == RecordedRelease(cause: .dependency, operation: 0))
        #expect(record.operations[1].ready == 1_000_000_000)
        #expect(record.boundPath() == BoundPath(operations: [0, 1], length: 2_000_000_000))
    }

    @Test func `attempts, delays and failures`() async throws {
        let record = try await record(
            """
            local tries = 0
            local op = Operation {
                name = "flaky", retry = { attempts = 3, delay = 2, jitter = 0 }, allowsFailure = true,
                main = function() sleep(1) tries = tries + 1 error("no " .. tries) end,
            }
            OperationQueue():addOperations({ op }, true)
            """
        )
        let operation = record.operations[0]
        #expect(operation.attempts == 3 && operation.outcome == .failed && operation.runner == .scriptThread)
        let failure = try #require(record.failures.first)
        #expect(failure.operation == 0 && failure.name == "flaky" && failure.message.contains("no 3"))
        let path = record.criticalPath()
        #expect(path.total == record.duration && path.running == 3_000_000_000)
        #expect(path.waiting[.delay] == record.duration - 3_000_000_000)
    }

    @Test func `a suspension begins where the wait for the slot ended`() async throws {
        let record = try await record(
            """
            local queue = OperationQueue { maxConcurrentOperationCount = 1 }
            queue:addOperations { work.sleep(5), work.sleep(1) }
            sleep(2)
            queue.isSuspended = true
            sleep(6)
            queue.isSuspended = false
            queue:waitUntilAllOperationsAreFinished()
            """
        )
        let path = record.criticalPath()
        #expect(path.operations == [0, 1] && path.total == 9_000_000_000)
        #expect(path.running == 6_000_000_000 && path.waiting == [.script: 3_000_000_000])
        let waiting = RunProfile(record).waiting
        #expect(waiting.map(\.cause) == [.slot, .script])
        #expect(waiting.map(\.total) == [5_000_000_000, 3_000_000_000])
    }

    @Test func `a delay and a barrier of a dispatch queue are causes`() async throws {
        let record = try await record(
            """
            local queue = DispatchQueue { label = "q", attributes = "concurrent" }
            queue:asyncAfter(2, function() sleep(1) end)
            sleep(5)
            queue:async { function() sleep(1) end, flags = "barrier" }
            queue:async(function() sleep(1) end)
            """
        )
        let path = record.criticalPath()
        #expect(path.total == record.duration && record.duration == 7_000_000_000)
        #expect(record.operations[0].readiness.cause == .delay && record.operations[0].ready == 2_000_000_000)
        #expect(record.operations[2].start == RecordedRelease(cause: .barrier, operation: 1))
    }

    @Test func `additions after a wait are released by the end of the wait`() async throws {
        let record = try await record(
            """
            local first = work.sleep(1)
            await(first)
            local second = Operation { name = "outer", main = function() await(work.sleep(2)) end }
            await(second)
            sleep(1)
            await(work.sleep(3))
            """
        )
        let path = record.criticalPath()
        #expect(record.duration == 7_000_000_000 && path.total == record.duration)
        #expect(path.waiting == [.timer: 1_000_000_000])
        #expect(record.operations[1].addition == RecordedRelease(cause: .script, operation: 0))
        #expect(record.operations[2].addition == RecordedRelease(cause: .script, operation: 1))
    }

    @Test func `runs that end early are marked and keep their facts`() async throws {
        let exited = try await record("await(work.sleep(1)) work.sleep(9) os.exit(3)")
        #expect(exited.end == .exited(3) && exited.operations[0].outcome == .succeeded)
        let engine = engine()
        await #expect(throws: ScriptError.self) {
            try await engine.run(code: "await(work.sleep(1)) error('no')")
        }
        do {
            _ = try await engine.run(code: "await(work.sleep(1)) error('no')", named: "=job")
            Issue.record("the error did not end the run")
        } catch let error as ScriptError {
            let record = try #require(error.report?.record)
            #expect(record.operations.count == 1)
            if case .failed(let text) = record.end {
                #expect(text.contains("no"))
            } else {
                Issue.record("\(record.end)")
            }
        }
    }

    @Test func `operations come as they end, as a sequence`() async throws {
        let engine = engine()
        let operations = engine.record
        _ = try await engine.run(
            code: """
                local a, b = work.sleep(2), work.sleep(1)
                a.name, b.name = "a", "b"
                b:addDependency(a)
                OperationQueue():addOperations({ a, b }, true)
                """
        )
        engine.shutdown()
        var seen: [RecordedOperation] = []
        for await operation in operations { seen.append(operation) }
        #expect(seen.map(\.name) == ["a", "b"])
        #expect(seen.map(\.duration) == [2_000_000_000, 1_000_000_000])
        #expect(seen[1].dependencies.map(\.operation) == [0])
    }

    @Test func `without records the sequence ends at once`() async {
        for await operation in engine(records: false).record { Issue.record("\(operation)") }
    }

    /// Keeps what it receives as lines.
    private final class Receiver: RunSink {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        private func add(_ line: String) { lines.withLock { $0.append(line) } }

        func runBegan(_ run: RunHeader) { add("began \(run.name)") }
        func received(_ facts: RunFacts) {
            for fact in facts.facts where fact.kind != .printed && fact.kind != .fired {
                add("\(fact.moment / 1_000_000_000) \(fact.kind) \(facts.name(of: fact.number))")
            }
        }
        func operationFailed(_ failure: RecordedFailure) { add("failure \(failure.name)") }
        func runEnded(_ record: RunRecord) { add("ended with \(record.operations.count)") }
    }

    @Test func `a sink of the host receives a run from its beginning to its end`() async throws {
        let receiver = Receiver()
        let engine = engine(sinks: [receiver], records: false)
        let report = try await engine.run(code: "await(work.sleep(1)) print 'x'", named: "=job")
        #expect(report.record == nil)
        #expect(
            receiver.all == [
                "began job", "0 added sleep", "0 ready sleep", "0 started sleep", "1 succeeded sleep",
                "ended with 1",
            ]
        )
    }

    @Test func `closures on workers are on workers, in their order`() async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.recordsRuns = true
        configuration.workers = 1
        let engine = ScriptEngine(configuration)
        engine.register("one") { 1 }
        let report = try await engine.run(
            code: """
                local queue = OperationQueue { maxConcurrentOperationCount = 1 }
                for i = 1, 2000 do queue:addOperation(work.one()) end
                queue:waitUntilAllOperationsAreFinished()
                """
        )
        let record = try #require(report.record)
        #expect(record.operations.count == 2000)
        var last: Int64 = 0
        for operation in record.operations {
            guard case .worker = operation.runner else {
                Issue.record("\(operation)")
                return
            }
            let moments = [
                operation.made, operation.added, operation.started, operation.ended, operation.delivered,
            ]
            let known = moments.compactMap { $0 }
            #expect(known.count == 5 && known == known.sorted())
            // One at a time: each starts when the one before has ended.
            #expect(operation.started ?? 0 >= last)
            last = operation.ended ?? 0
        }
        let path = record.criticalPath()
        #expect(path.total == record.duration)
        #expect(record.boundPath().length <= record.duration)
    }

    @Test func `a plan adds everything up to the first wait and starts nothing`() async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.recordsRuns = true
        configuration.plansOnly = true
        configuration.libraries = .all
        let engine = ScriptEngine(configuration)
        let ran = Mutex(0)
        engine.register("count") { ran.withLock { $0 += 1 } }
        engine.register("later") { () async in ran.withLock { $0 += 1 } }
        let report = try await engine.run(
            code: """
                local queue = OperationQueue { name = "q" }
                local a, b = work.count(), work.later()
                b:addDependency(a)
                queue:addOperations { a, b }
                queue:addOperation(function() error("a body ran") end)
                DispatchQueue("serial"):async(function() error("a block ran") end)
                await(b)
                error("it continued")
                """,
            named: "=job"
        )
        let record = try #require(report.record)
        #expect(report.planEnd == "waits for 'later' in job:7; the rest depends on its result")
        #expect(record.end == .planned && ran.withLock { $0 } == 0)
        #expect(record.operations.count { $0.added != nil } >= 3)
        #expect(record.operations.allSatisfy { $0.started == nil })
        #expect(record.operations[1].dependencies.map(\.operation) == [0])
    }
}
