import CoreMetrics
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import OpScript
import Testing
import Tracing

@Suite struct TelemetryTests {
    private static let job = """
        local queue = OperationQueue { name = "jobs" }
        local good = work.twice(4)
        local bad = Operation { name = "bad", main = function() error "no luck" end, allowsFailure = true }
        local skipped = Operation { name = "skipped", main = print }
        skipped:addDependency(bad)
        skipped.allowsFailure = true
        local cancelled = work.twice(1)
        cancelled:addDependency(Gate "never")
        queue:addOperations { good, bad, skipped, cancelled }
        cancelled:cancel()
        queue:waitUntilAllOperationsAreFinished()
        """

    private func makeEngine(_ configuration: ScriptEngine.Configuration = .init()) -> ScriptEngine {
        let engine = ScriptEngine(configuration)
        engine.register("twice") { (number: Int) in number * 2 }
        return engine
    }

    @Test func metricsCountWhatEnded() async throws {
        let metrics = TestMetrics()
        try await withMetricsFactory(metrics) {
            _ = try await makeEngine().run(code: Self.job)
        }
        for outcome in ["succeeded", "failed", "skipped", "cancelled"] {
            let counter = try metrics.expectCounter("opscript.operations.finished", [("outcome", outcome)])
            #expect(counter.totalValue == 1, "\(outcome)")
        }
        #expect(try metrics.expectTimer("opscript.operation.duration").values.count == 2)
        #expect(try metrics.expectTimer("opscript.operation.waiting").values.count == 2)
        let pending = try metrics.expectGauge("opscript.operations.pending").values
        let executing = try metrics.expectGauge("opscript.operations.executing").values
        #expect(pending.max() == 4 && pending.last == 0)
        #expect(executing.max() ?? 0 >= 1 && executing.last == 0)
    }

    @Test func `runs are counted by outcome, and their spans say how they ended`() async throws {
        let metrics = TestMetrics()
        let tracer = InMemoryTracer()
        try await withTracer(tracer) {
            try await withMetricsFactory(metrics) {
                let engine = makeEngine()
                _ = try await engine.run(code: "await(work.twice(4))", named: "@good.lua")
                _ = try? await engine.run(code: "error 'no luck'", named: "@bad.lua")
                let late = "OperationQueue.default:addOperation(error)"
                _ = try await engine.run(code: late, named: "@late.lua")
                let task = Task { try await engine.run(code: "sleep(1000)", named: "=endless") }
                task.cancel()
                _ = await task.result
            }
        }
        for (outcome, count) in [("succeeded", 1), ("failed", 2), ("cancelled", 1)] {
            let counter = try metrics.expectCounter("opscript.runs.finished", [("outcome", outcome)])
            #expect(counter.totalValue == count, "\(outcome)")
        }
        #expect(try metrics.expectTimer("opscript.run.duration").values.count == 4)
        func outcome(_ name: String) throws -> String {
            let span = try #require(tracer.finishedSpans.first { $0.operationName == name }, "\(name)")
            let error = span.errors.isEmpty ? "" : ", with its error"
            return "\(span.attributes["opscript.outcome"]?.toSpanAttribute() ?? .string("none"))\(error)"
        }
        #expect(try outcome("run good.lua") == "\(SpanAttribute.string("succeeded"))")
        #expect(try outcome("run bad.lua") == "\(SpanAttribute.string("failed")), with its error")
        #expect(try outcome("run late.lua") == "\(SpanAttribute.string("failed"))")
        #expect(try outcome("run endless").hasPrefix("\(SpanAttribute.string("cancelled"))"))
    }

    @Test func `a pool reports its runs and their waits`() async throws {
        let metrics = TestMetrics()
        try await withMetricsFactory(metrics) {
            let pool = ScriptEnginePool(count: 1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { _ = try await pool.run(code: "sleep(0.01)") } }
                try await group.waitForAll()
            }
            pool.shutdown()
        }
        #expect(try metrics.expectTimer("opscript.pool.run.waiting").values.count == 3)
        #expect(try metrics.expectGauge("opscript.pool.runs.executing").values.max() == 1)
        #expect(try metrics.expectGauge("opscript.pool.runs.executing").values.last == 0)
        #expect(try metrics.expectGauge("opscript.pool.runs.pending").values.last == 0)
        let finished = try metrics.expectCounter("opscript.runs.finished", [("outcome", "succeeded")])
        #expect(finished.totalValue == 3)
    }

    @Test func anAttemptThatIsTriedAgainLeavesTheGauges() async throws {
        let metrics = TestMetrics()
        try await withMetricsFactory(metrics) {
            let engine = makeEngine()
            engine.register("second") { (context: WorkContext) throws in
                if context.attempt == 1 { throw ScriptError(.failed, "not yet") }
            }
            _ = try await engine.run(code: "await(Operation { work = 'second', retry = { attempts = 2 } })")
        }
        #expect(try metrics.expectGauge("opscript.operations.executing").values.last == 0)
        #expect(try metrics.expectGauge("opscript.operations.pending").values.last == 0)
        #expect(try metrics.expectTimer("opscript.operation.waiting").values.count == 1)
    }

    @Test func whatIsRefusedIsNotPending() async throws {
        let metrics = TestMetrics()
        try await withMetricsFactory(metrics) {
            _ = try await makeEngine().run(
                code: """
                    local op = Operation { main = print, resources = { gpu = 1 } }
                    assert(not pcall(function() OperationQueue():addOperation(op) end))
                    """
            )
        }
        #expect(try metrics.expectGauge("opscript.operations.pending").values.last == 0)
    }

    @Test func logsNameTheOperation() async throws {
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "test") { _ in handler }
        logger.logLevel = .debug
        var configuration = ScriptEngine.Configuration()
        configuration.logger = logger
        _ = try await makeEngine(configuration).run(code: Self.job, named: "@job.lua")
        let entries = handler.entries
        let bad = entries.filter { $0.metadata["operation"] == "bad" }
        #expect(bad.map { "\($0.message)" } == ["operation started", "operation finished"])
        #expect(bad.last?.level == .warning)
        #expect(bad.last?.metadata["queue"] == "jobs")
        #expect(bad.last?.metadata["created-at"] == "job.lua:3")
        #expect(bad.last?.metadata["outcome"] == "failed")
        #expect(bad.last?.metadata["error"] == "job.lua:3: no luck")
        #expect(bad.last?.metadata["operation-id"] != nil)
        #expect(entries.filter { $0.metadata["outcome"] == "succeeded" }.map(\.level) == [.debug])
    }

    @Test func spansHangUnderWhoSubmittedThem() async throws {
        let tracer = InMemoryTracer()
        try await withTracer(tracer) {
            try await withSpan("host") { _ in
                let engine = makeEngine()
                engine.register("inner") { tracer.withSpan("in the closure") { _ in } }
                engine.register("later") { () async in tracer.withSpan("in the task") { _ in } }
                _ = try await engine.run(
                    code: """
                        local outer = Operation { name = "outer", main = function()
                            await(work.inner())
                            await(work.later())
                            error "no luck"
                        end, allowsFailure = true }
                        OperationQueue { name = "jobs" }:addOperation(outer)
                        outer:waitUntilFinished()
                        """,
                    named: "@job.lua"
                )
            }
        }
        let spans = tracer.finishedSpans
        func span(_ name: String) throws -> FinishedInMemorySpan {
            try #require(spans.first { $0.operationName == name }, "\(name)")
        }
        let outer = try span("outer")
        let run = try span("run job.lua")
        #expect(run.parentSpanID == (try span("host").spanID) && outer.parentSpanID == run.spanID)
        for (child, grandchild) in [("inner", "in the closure"), ("later", "in the task")] {
            let operation = try span(child)
            #expect(operation.parentSpanID == outer.spanID)
            #expect(try span(grandchild).parentSpanID == operation.spanID)
            #expect(operation.traceID == outer.traceID)
        }
        #expect(outer.status?.code == .error)
        #expect(outer.errors.count == 1)
        #expect(outer.attributes["opscript.queue"]?.toSpanAttribute() == .string("jobs"))
        #expect(outer.attributes["opscript.created_at"]?.toSpanAttribute() == .string("job.lua:1"))
        #expect(outer.events.map(\.name) == ["started"])
    }

    @Test func spansOfAbandonedOperationsEnd() async throws {
        let tracer = InMemoryTracer()
        try await withTracer(tracer) {
            _ = try await makeEngine().run(
                code: "local q = OperationQueue { isSuspended = true } q:addOperation(work.twice(1))"
            )
        }
        #expect(tracer.activeSpans.isEmpty)
        #expect(tracer.finishedSpans.map(\.operationName) == ["twice", "run code"])
    }

    @Test func requestsTellTheBackendsOfWhoAsks() async throws {
        let metrics = TestMetrics()
        let tracer = InMemoryTracer()
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "test") { _ in handler }
        logger.logLevel = .debug
        var configuration = ScriptEngine.Configuration()
        configuration.logger = logger
        let engine = makeEngine(configuration)
        try await engine.evaluate("function twice(n) return await(work.twice(n)) end")
        try await withMetricsFactory(metrics) {
            try await withTracer(tracer) {
                try await withSpan("evaluates") { _ in
                    let found1 = try await engine.evaluate("await(work.twice(4))", as: Int.self)
                    #expect(found1 == 8)
                }
                try await withSpan("calls") { _ in
                    let found2 = try await engine.call("twice", 5, as: Int.self)
                    #expect(found2 == 10)
                }
                try await withSpan("keeps") { _ in
                    let function = try await engine.get("twice", as: ScriptFunction.self)
                    let found3 = try await function(6, as: Int.self)
                    #expect(found3 == 12)
                    let operation = try await engine.evaluate("work.twice(7)", as: ScriptOperation.self)
                    let found4 = try await operation.value(as: Int.self)
                    #expect(found4 == 14)
                }
            }
        }
        // Only the logger receives this one.
        #expect(try await engine.evaluate("await(work.twice(1))", as: Int.self) == 2)
        let finished = try metrics.expectCounter(
            "opscript.operations.finished",
            [("outcome", "succeeded")]
        )
        #expect(finished.totalValue == 4)
        #expect(try metrics.expectGauge("opscript.operations.pending").values.last == 0)
        let spans = tracer.finishedSpans
        let parents = spans.filter { $0.operationName == "twice" }.map { span in
            spans.first { $0.spanID == span.parentSpanID }?.operationName
        }
        #expect(parents == ["evaluates", "calls", "keeps", "keeps"])
        #expect(handler.entries.filter { $0.message == "operation finished" }.count == 5)
    }

    @Test func aRequestDuringARunHasItsOwnBackends() async throws {
        let tracer = InMemoryTracer()
        let engine = makeEngine()
        engine.register("ask") { () async throws -> Int in
            // A task of its own: a closure may not make a request to its engine.
            try await Task.detached {
                try await withTracer(tracer) {
                    try await withSpan("asks") { _ in
                        try await engine.evaluate("await(work.twice(21))", as: Int.self)
                    }
                }
            }.value
        }
        _ = try await engine.run(code: "assert(await(work.ask()) == 42); await(work.twice(1))")
        let spans = tracer.finishedSpans
        let asks = try #require(spans.first { $0.operationName == "asks" })
        #expect(spans.filter { $0.operationName == "twice" }.map(\.parentSpanID) == [asks.spanID])
    }

    @Test func theEndOfTheEngineEndsSpans() async throws {
        let tracer = InMemoryTracer()
        let engine = makeEngine()
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        engine.register("hang") { () async throws in
            hasBegun.yield()
            try await Task.sleep(for: .seconds(3600))
        }
        await withTracer(tracer) {
            let run = Task { try await engine.run(code: "await(work.hang())") }
            for await _ in begun { break }
            engine.shutdown()
            _ = await run.result
            await engine.waitUntilClosed()
        }
        #expect(tracer.activeSpans.isEmpty)
        #expect(Set(tracer.finishedSpans.map(\.operationName)) == ["hang", "run code"])
    }

    @Test func aClosureLogsAsItsOperation() async throws {
        let handler = InMemoryLogHandler()
        var configuration = ScriptEngine.Configuration()
        configuration.logger = Logger(label: "test") { _ in handler }
        let engine = ScriptEngine(configuration)
        engine.register("say") { (context: WorkContext, text: String) in context.logger.notice("\(text)") }
        engine.register("sayLater") { (context: WorkContext, text: String) async in
            context.logger.notice("\(text)")
        }
        _ = try await engine.run(
            """
            local queue = OperationQueue { name = "jobs" }
            queue:addOperations({ Operation { name = "first", work = "say", args = { "now" } } }, true)
            queue:addOperations({ work.sayLater("later") }, true)
            """,
            named: "@job.lua"
        )
        let entries = handler.entries.filter { $0.level == .notice }
        #expect(entries.map { "\($0.message)" } == ["now", "later"])
        #expect(entries.map { $0.metadata["operation"] } == ["first", "sayLater"])
        #expect(entries.map { $0.metadata["queue"] } == ["jobs", "jobs"])
        #expect(entries.map { $0.metadata["created-at"] } == ["job.lua:2", "job.lua:3"])
        #expect(entries.allSatisfy { $0.metadata["operation-id"] != nil })
        // Without a logger, there is one that drops everything.
        let silent = ScriptEngine()
        silent.register("say") { (context: WorkContext) in context.logger.critical("it is dropped") }
        #expect(try await silent.run(code: "await(work.say())").steps == 1)
    }
}
