import Foundation
import Glibc
import OpScriptScenarios
import Testing

/// Nothing that a scenario does keeps the others from running.
@Suite struct EndlessScenarioTests {
    @Test func `virtual time has an end, and the waits are reported`() async throws {
        let results = await Scenarios.run(
            "it('x', { timeout = 50 }, function()\nwhile true do sleep(1) end\nend)"
        )
        let problem = try #require(results.first?.problems.first)
        #expect(results.first?.problems.count == 1)
        #expect(problem.message.contains("did not end within 50 s of virtual time"))
        #expect(problem.place == "job_spec.lua:2")
    }

    @Test func `a scenario that catches each cancellation ends, and this is reported`() async throws {
        let results = await Scenarios.run(
            "it('x', { timeout = 50 }, function()\nwhile true do pcall(sleep, 1) end\nend)"
        )
        let problem = try #require(results.first?.problems.first)
        #expect(
            problem.message
                == "it did not end within 50 s of virtual time, and catches each error that should end it"
        )
        #expect(problem.place == "job_spec.lua:2")
    }

    @Test func `a real work that keeps virtual time from advancing is named as the reason`() async throws {
        let text = """
            local op = isolate(function() while true do end end)()
            op.timeout = 1
            pawait(op)
            """
        let problem = try #require(await Scenarios.body(text, timeLimit: 12)?.problems.first)
        #expect(
            problem.message.hasPrefix(
                "it did not end within 12 s (virtual time stands still while a real work executes)"
            )
        )
        #expect(problem.place == "job_spec.lua:4")
    }

    @Test func `virtual time has a default limit`() async throws {
        let text =
            "Timer.scheduledTimer { interval = 3600, repeats = true, block = function() end }\nsleep(1e8)"
        let problem = try #require(await Scenarios.body(text)?.problems.first)
        #expect(problem.message.contains("604800 s of virtual time"))
        #expect(problem.place == "job_spec.lua:3")
    }

    @Test func `cleanup may wait after the end of the time`() async throws {
        let results = await Scenarios.run(
            """
            after_each(function() sleep(1) print("cleaned") end)
            it("x", { timeout = 5 }, function() sleep(100) end)
            """
        )
        #expect(results.first.map { String(decoding: $0.output, as: UTF8.self) } == "cleaned\n")
        #expect(results.first?.problems.count == 1)
    }

    @Test func `a wait on the real clock is ended from outside`() async throws {
        let results = await Scenarios.run("it.real('x', function()\nsleep(1e6)\nend)", timeLimit: 60)
        let problem = try #require(results.first?.problems.first)
        #expect(problem.message.contains("did not end within 60 s"))
        #expect(problem.place == "job_spec.lua:2")
    }

    @Test func `Lua that never waits is stopped`() async throws {
        let problem = try #require(await Scenarios.body("while true do end", timeLimit: 10)?.problems.first)
        #expect(problem.code == "limit")
        #expect(problem.message.hasPrefix("job_spec.lua:2:"))
    }

    /// A finalizer cannot be interrupted; this one waits for a writer to a pipe, and ends when its test does.
    @Test func `a finalizer that never ends is abandoned, and this is reported`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("end-\(UUID().uuidString)")
            .path
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let text = """
            it("x", function()
                setmetatable({}, { __gc = function() io.open("\(path)"):close() end })
                collectgarbage()
            end)
            """
        var runner = Scenarios.runner(timeLimit: 3)
        runner.grace = 0.2
        let file = Scenarios.file(text)
        let scenario = try #require(await Scenarios.runner().list(file).scenarios.first)
        let result = await runner.run(scenario, in: file)
        // For both directions, so that it does not wait for a reader if there is none.
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(descriptor >= 0)
        #expect(
            result.problems.map(\.message) == [
                "the scenario did not end within 3 s, and cannot be interrupted: a finalizer or a native function that never ends"
            ]
        )
    }

    @Test func `a file that never ends has no scenarios`() async throws {
        let listing = await Scenarios.list("it('x', function() end)\nwhile true do end", timeLimit: 10)
        #expect(listing.scenarios == [])
        #expect(listing.problems.first?.message.hasPrefix("job_spec.lua:2:") == true)
        #expect(listing.problems.count == 1)
    }
}
