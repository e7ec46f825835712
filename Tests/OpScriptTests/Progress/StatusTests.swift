import OpScript
import Synchronization
import Testing

/// The status of a run, with executing bodies and the remaining work.
@Suite struct StatusTests {
    private func engine() -> ScriptEngine {
        var configuration = ScriptEngine.Configuration()
        configuration.tracksStatus = true
        return ScriptEngine(configuration)
    }

    @Test(.timeLimit(.minutes(5))) func `a body says what it does, and a script reads it`() async throws {
        let engine = engine()
        let isDone = AsyncStream.makeStream(of: Void.self)
        engine.register("talk") { (context: WorkContext) async in
            context.progress.localizedDescription = "half way"
            context.progress.report(completed: 1, of: 2)
            for await _ in isDone.stream { break }
        }
        engine.register("shows") { [unowned engine] (text: String) in
            engine.status.running.contains { $0.text == text }
        }
        engine.register("end") { () -> Void in isDone.continuation.yield() }
        let report = try await engine.run(
            code: """
                local talk = work.talk()
                local own = Operation { name = "own", main = function(op)
                    op.progress.localizedDescription = "linking"
                    while not talk.isFinished do sleep(0.01) end
                end }
                OperationQueue():addOperations { talk, own }
                while not await(work.shows("half way")) do sleep(0.01) end
                while not await(work.shows("linking")) do sleep(0.01) end
                assert(talk.progress.localizedDescription == "half way")
                talk.progress.localizedDescription = "mine"
                assert(talk.progress.localizedDescription == "mine")
                while not await(work.shows("mine")) do sleep(0.01) end
                talk.progress.localizedDescription = nil
                assert(talk.progress.localizedDescription == "half way")
                await(work["end"]())
                await(talk)
                assert(talk.progress.localizedDescription == "100% completed")
                """
        )
        #expect(report.failures.isEmpty)
    }

    @Test(.timeLimit(.minutes(5))) func `the rest is known when one of each kind has ended`() async throws {
        let engine = engine()
        let gates = AsyncStream.makeStream(of: Void.self)
        engine.register("pass") { () -> Void in gates.continuation.yield() }
        engine.register("gated") { (_: Int) async in
            for await _ in gates.stream { break }
        }
        // An executing body may end in the same moment as it began: then it says nothing about time.
        engine.register("rest") { [unowned engine] () -> Bool in engine.status.remainingWork != nil }
        engine.register("running") { [unowned engine] in
            engine.status.running.count { $0.name == "gated" }
        }
        let report = try await engine.run(
            code: """
                local queue = OperationQueue { maxConcurrentOperationCount = 1 }
                while not await(work.rest()) do sleep(0.01) end
                local first = work.gated(1)
                queue:addOperations { first, work.gated(2) }
                while await(work.running()) == 0 do sleep(0.01) end
                assert(await(work.rest()) == false)
                await(work.pass())
                await(first)
                while not await(work.rest()) do sleep(0.01) end
                await(work.pass())
                queue:waitUntilAllOperationsAreFinished()
                """
        )
        #expect(report.failures.isEmpty)
        #expect(engine.status.finishedWork >= 0)
    }
}
