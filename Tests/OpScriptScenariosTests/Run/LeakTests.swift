import OpScriptScenarios
import Testing

/// A leftover makes a scenario fail, with the line where the object was created.
@Suite struct LeakTests {
    @Test(
        arguments: [
            (
                "OperationQueue{ name = 'io' }:addOperation(work.sleep(9))", "operation",
                "operation 'sleep' still executes in queue 'io'"
            ),
            (
                "Timer.scheduledTimer { interval = 1, repeats = true, block = print }", "timer",
                "repeating timer is armed"
            ),
            ("q = OperationQueue{ name = 'io', isSuspended = true }", "queue", "queue 'io' is suspended"),
            ("q = DispatchQueue{ label = 'io' } q:suspend()", "queue", "queue 'io' is suspended"),
            (
                "s = DispatchSource.timer { deadline = 5 } s:setEventHandler(print) s:activate()", "source",
                "timer source is not cancelled"
            ),
            (
                "o = Operation { name = 'o', start = function() end } o:start()", "operation",
                "operation 'o' still executes"
            ),
        ]
    ) func `it is named`(_ text: String, _ kind: String, _ sentence: String) async throws {
        let result = try #require(await Scenarios.body(text))
        #expect(result.outcome == .failed)
        #expect(result.problems == [])
        let leak = try #require(result.leaks.first)
        #expect(leak.kind == kind)
        #expect(leak.text == sentence)
        #expect(leak.place == "job_spec.lua:2")
    }

    @Test func `a callback that waits is named by the line of its wait`() async throws {
        let text = "Timer.scheduledTimer { interval = 1, block = function()\nsleep(9)\nend }\nsleep(2)"
        let result = try #require(await Scenarios.body(text))
        #expect(result.leaks.map(\.text).contains("a timer's block waits"))
        #expect(result.leaks.first { $0.kind == "callback" }?.place == "job_spec.lua:3")
    }

    @Test func `the next scenario begins clean`() async throws {
        let results = await Scenarios.run(
            "it('a', function() OperationQueue.main:addOperation(work.sleep(9)) end)\nit('b', function() end)"
        )
        #expect(results.map(\.outcome) == [.failed, .passed])
    }
}
