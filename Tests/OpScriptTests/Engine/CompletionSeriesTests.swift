import OpScript
import Testing

/// Completion blocks that follow each other, under limits that count from wait to wait.
@Suite(.timeLimit(.minutes(20))) struct CompletionSeriesTests {
    private func engine(_ change: (inout ScriptEngine.Configuration) -> Void) -> ScriptEngine {
        var configuration = ScriptEngine.Configuration()
        configuration.standardError = { _ in }
        change(&configuration)
        let engine = ScriptEngine(configuration)
        engine.register("nothing") { () in }
        return engine
    }

    /// A thousand of them, each of which executes some ten thousand instructions.
    private static let busy = """
        called = 0
        local queue = OperationQueue { isSuspended = true }
        for i = 1, 1000 do
            local op = work.nothing()
            op.completionBlock = function()
                for _ = 1, 10000 do end
                called = called + 1
                if called == LAST then while true do end end
            end
            queue:addOperation(op)
        end
        queue.isSuspended = false
        """

    @Test func `each has the limit of instructions for itself`() async throws {
        let engine = engine { $0.instructionLimit = 100_000 }
        _ = try await engine.run("LAST = 0 \(Self.busy)", named: "@job.lua")
        #expect(try await engine.evaluate("called", as: Int.self) == 1000)
    }

    @Test func `one in the middle that does not end is stopped`() async throws {
        let engine = engine { $0.instructionLimit = 100_000 }
        await #expect {
            try await engine.run("LAST = 500 \(Self.busy)", named: "@job.lua")
        } throws: { error in
            (error as? ScriptError)?.code == .limit
        }
        #expect(try await engine.evaluate("1 + 1", as: Int.self) == 2)
    }
}
