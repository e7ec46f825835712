import OpScript
import Testing

/// Dispatch queues and their company on virtual time: hours take none, and the order is the same each time.
@Suite struct DispatchVirtualTimeTests {
    private func run(_ script: String) async throws -> ScriptReport {
        var configuration = ScriptEngine.Configuration()
        configuration.clock = .virtual
        return try await ScriptEngine(configuration).run(code: script)
    }

    @Test func `delays pass in their order, and cost no time`() async throws {
        let report = try await run(
            """
            local queue, log = DispatchQueue "q", {}
            for _, hours in ipairs { 3, 1, 2 } do
                queue:asyncAfter(3600 * hours, function()
                    log[#log + 1] = ("%d at %g"):format(hours, clock.now() // 3600)
                    sleep(60)
                end)
            end
            queue:async(function() log[#log + 1] = "at once" end)
            clock.run()
            assert(table.concat(log, ", ") == "at once, 1 at 1, 2 at 2, 3 at 3", table.concat(log, ", "))
            """
        )
        #expect(report.duration >= 3 * 3600)
        #expect(report.failures.isEmpty)
    }

    @Test func `time limits of waits end exactly when they are due`() async throws {
        let report = try await run(
            """
            local semaphore, group, item = DispatchSemaphore(0), DispatchGroup(), DispatchWorkItem(function() end)
            group:enter()
            local start = clock.now()
            assert(semaphore:wait(100) == false and clock.now() - start == 100)
            assert(group:wait(100) == false and clock.now() - start == 200)
            assert(item:wait(100) == false and clock.now() - start == 300)
            DispatchQueue "q":asyncAfter(50, function() semaphore:signal() group:leave() end)
            assert(semaphore:wait(100) and group:wait(100) and clock.now() - start == 350)
            """
        )
        #expect(report.duration >= 350)
        #expect(report.failures.isEmpty)
    }

    @Test func `a wait that nothing can end is a deadlock here too`() async throws {
        let report = try await run(
            """
            local queue = DispatchQueue "q"
            queue:suspend()
            queue:asyncAfter(10, function() end)
            local ok, problem = pcall(queue.sync, queue, function() end)
            assert(not ok and problem.code == "deadlock", problem)
            assert(clock.now() >= 10)
            """
        )
        #expect(report.stuck.count == 2)
    }
}
