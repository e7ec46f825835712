import OpScript
import Testing

/// Completion blocks and blocks of timers that follow each other, under limits that count from wait to wait.
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

    /// All blocks together take longer than the limit; each one stays so far below it that it does not reach the
    /// limit on a busy machine.
    @Test(arguments: [
        """
        local queue = OperationQueue { isSuspended = true }
        for i = 1, 100 do
            local op = work.nothing()
            op.completionBlock = spin
            queue:addOperation(op)
        end
        queue.isSuspended = false
        """,
        "for i = 1, 100 do Timer.scheduledTimer(0, false, spin) end",
    ]) func `each has the limit of time for itself`(script: String) async throws {
        let engine = engine { $0.sliceLimit = .seconds(5) }
        _ = try await engine.run(
            """
            called = 0
            function spin()
                local start = clock.now()
                while clock.now() < start + 0.07 do end
                called = called + 1
            end
            \(script)
            """,
            named: "@job.lua"
        )
        #expect(try await engine.evaluate("called", as: Int.self) == 100)
    }

    @Test func `a wait in one ends the series and not the later ones`() async throws {
        let engine = engine { _ in }
        _ = try await engine.run(
            """
            order = {}
            for i = 1, 6 do
                Timer.scheduledTimer(0, false, function()
                    order[#order + 1] = i
                    if i % 2 == 0 then sleep(0) order[#order + 1] = -i end
                end)
            end
            """,
            named: "@job.lua"
        )
        let order = try await engine.evaluate("table.concat(order, ' ')", as: String.self)
        // The waiting block continues after all that were due.
        #expect(order == "1 2 3 4 5 6 -2 -4 -6")
    }

    @Test func `an error in the middle ends the run, after the blocks before it`() async throws {
        let engine = engine { _ in }
        await #expect {
            try await engine.run(
                """
                order = {}
                for i = 1, 6 do
                    Timer.scheduledTimer(0, false, function()
                        if i == 4 then error("four") end
                        order[#order + 1] = i
                    end)
                end
                """,
                named: "@job.lua"
            )
        } throws: { error in
            "\(error)".contains("job.lua:4: four")
        }
        #expect(try await engine.evaluate("table.concat(order, ' ')", as: String.self) == "1 2 3")
    }

    @Test func `a timer that another one's block invalidates does not fire`() async throws {
        let engine = engine { _ in }
        _ = try await engine.run(
            """
            order = {}
            local timers = {}
            for i = 1, 6 do
                timers[i] = Timer.scheduledTimer(0, false, function(timer)
                    assert(timer == timers[i])
                    order[#order + 1] = i
                    if i == 2 then timers[3]:invalidate() timers[5]:invalidate() end
                    if i == 4 then timers[4]:invalidate() Timer.scheduledTimer(0, false, function() order[#order + 1] = 7 end) end
                end)
            end
            """,
            named: "@job.lua"
        )
        #expect(try await engine.evaluate("table.concat(order, ' ')", as: String.self) == "1 2 4 6 7")
    }
}
