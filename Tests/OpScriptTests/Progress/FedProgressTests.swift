import OpScript
import Synchronization
import Testing

/// Progress that a Swift closure reports.
@Suite struct FedProgressTests {
    /// Lets a closure continue by one step each time the script has seen its report.
    private final class Steps: Sendable {
        private let stream: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation

        init() { (stream, continuation) = AsyncStream.makeStream(of: Void.self) }

        func seen() { continuation.yield() }

        func next() async {
            var iterator = stream.makeAsyncIterator()
            _ = await iterator.next()
        }
    }

    /// The closure reports nothing new before the last report was observed: one that is lost would end this as a
    /// deadlock, or never.
    @Test(.timeLimit(.minutes(20))) func `each last value reaches the observers, including those above`()
        async throws
    {
        let steps = Steps()
        let engine = ScriptEngine()
        engine.register("feed") { (context: WorkContext) async throws in
            for count in 1...5 {
                context.progress.report(completed: Int64(count), of: 8)
                await steps.next()
            }
        }
        engine.register("seen") { steps.seen() }
        let report = try await engine.run(
            code: """
                local op, whole, told, above = work.feed(), Progress(2), {}, {}
                whole:addChild(op.progress, 1)
                op.progress:observe("fractionCompleted", function(change)
                    assert(change.old < change.new)
                    told[#told + 1] = change.new
                end)
                whole:observe("fractionCompleted", function(change)
                    above[#above + 1] = change.new
                    if #above <= 5 then await(work.seen()) end
                end)
                await(op)
                assert(table.concat(told, " ") == "0.125 0.25 0.375 0.5 0.625 1.0", table.concat(told, " "))
                sleep(0.1)                          -- longer than the pause between two calls
                assert(above[#above] == 0.5 and whole.completedUnitCount == 1, table.concat(above, " "))
                """
        )
        #expect(report.failures.isEmpty)
    }

    @Test func `many reports lead to few notifications, and the last one is delivered`() async throws {
        let engine = ScriptEngine()
        engine.register("count") { (context: WorkContext, count: Int64) in
            for number in 1...count { context.progress.report(completed: number, of: count) }
        }
        let report = try await engine.run(
            code: """
                local queue, whole = OperationQueue(), Progress(20)
                local calls, last, start = 0, 0, clock.now()
                whole:observe("fractionCompleted", function(change)
                    assert(change.new > last)
                    calls, last = calls + 1, change.new
                end)
                for i = 1, 20 do
                    local op = work.count(20000)
                    whole:addChild(op.progress, 1)
                    queue:addOperation(op)
                end
                queue:waitUntilAllOperationsAreFinished()
                assert(last == 1, last)
                local most = (clock.now() - start) / 0.066 + 2
                assert(calls <= most, calls .. " calls, at most " .. most)
                """
        )
        #expect(report.failures.isEmpty)
    }

    @Test func `a second attempt does not decrease progress`() async throws {
        let engine = ScriptEngine()
        engine.register("flaky") { (context: WorkContext) throws in
            context.progress.report(completed: context.attempt == 1 ? 3 : 1, of: 4)
            if context.attempt == 1 { throw CancellationError() }
        }
        let report = try await engine.run(
            code: """
                local op = Operation { work = "flaky", retry = { attempts = 2 } }
                local seen = {}
                op.progress:observe("fractionCompleted", function(change) seen[#seen + 1] = change.new end)
                await(op)
                assert(seen[#seen] == 1 and op.progress.fractionCompleted == 1)
                for i = 2, #seen do assert(seen[i] > seen[i - 1]) end
                """
        )
        #expect(report.failures.isEmpty)
    }
}
