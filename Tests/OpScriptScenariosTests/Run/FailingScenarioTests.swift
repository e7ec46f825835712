import OpScriptScenarios
import Testing

/// What is told of scenarios that fail.
@Suite struct FailingScenarioTests {
    @Test func `a failed assertion tells place, expected and actual`() async throws {
        let result = try #require(await Scenarios.body("assert.equals(1, 2)"))
        #expect(result.outcome == .failed)
        let problem = try #require(result.problems.first)
        #expect(result.problems.count == 1)
        #expect(problem.kind == .failure)
        #expect(problem.place == "job_spec.lua:2")
        #expect(problem.expected == "1")
        #expect(problem.actual == "2")
    }

    @Test func `an error has its traceback, without frames of the library`() async throws {
        let result = try #require(await Scenarios.body("local function f() error('boom') end\nf()"))
        let problem = try #require(result.problems.first)
        #expect(problem.kind == .error)
        #expect(problem.message == "job_spec.lua:2: boom")
        let traceback = try #require(problem.traceback)
        #expect(traceback.contains("job_spec.lua:3"))
        #expect(!traceback.contains("[opscript"))
        #expect(!traceback.contains("[C]"))
    }

    @Test func `a wait that can never end says why`() async throws {
        let result = try #require(await Scenarios.body("await(Gate 'never')"))
        #expect(result.problems.first?.code == "deadlock")
        #expect(
            result.problems.first?.message
                == "job_spec.lua:2: nothing is left that could end the gate 'never'"
        )
    }

    @Test func `what a callback raises is the failure, and not that the wait was cancelled`() async throws {
        let result = try #require(
            await Scenarios.body(
                "Timer.scheduledTimer { interval = 1, block = function() error('ouch') end }\nsleep(5)"
            )
        )
        #expect(result.problems.map(\.message) == ["job_spec.lua:2: ouch"])
        #expect(result.leaks == [])
    }

    @Test func `an assertion inside an operation that nobody awaits counts`() async throws {
        let result = try #require(
            await Scenarios.body(
                "local q = OperationQueue()\nq:addOperation(function() assert.is_true(false) end)\n"
                    + "q:waitUntilAllOperationsAreFinished()"
            )
        )
        #expect(result.problems.count == 1)
        #expect(result.problems.first?.message == "job_spec.lua:3: false is not true")
        #expect(result.problems.first?.context == "operation 'operation' (job_spec.lua:3)")
    }

    @Test func `another failure of an operation that nobody awaits is a note`() async throws {
        let result = try #require(
            await Scenarios.body(
                "local q = OperationQueue()\nq:addOperation(function() error('no') end)\n"
                    + "q:waitUntilAllOperationsAreFinished()"
            )
        )
        #expect(result.outcome == .passed)
        #expect(result.notes.count == 1)
        #expect(result.notes.first?.contains("job_spec.lua:3: no") == true)
    }

    @Test func `os.exit is no way out`() async throws {
        let result = try #require(await Scenarios.body("os.exit(0)"))
        #expect(result.problems.first?.message.contains("called os.exit(0)") == true)
    }

    @Test func `hooks that fail are named, and those that clean up are called`() async throws {
        let results = await Scenarios.run(
            """
            before_each(function() error("early") end)
            after_each(function() error("late") end)
            teardown(function() error("last") end)
            it("x", function() error("never") end)
            """
        )
        #expect(results.first?.problems.map(\.context) == ["before_each", "after_each", "teardown"])
    }

    @Test func `a cancellation on purpose is no failure, and what it leaves is looked at`() async throws {
        let text = """
            it("cleans up", function()
                -- The first step is the scenario's own, one more is each operation's.
                cancelAt(5)
                local ended = 0
                finally(function()
                    sleep(1)
                    assert.equals(3, ended)
                end)
                for place = 1, 3 do
                    async(function()
                        local guard <close> = setmetatable({}, { __close = function() ended = ended + 1 end })
                        sleep(600)
                    end)
                end
                sleep(700)
                error("it goes on")
            end)
            it("does not", function()
                cancelAt(3)
                finally(function() assert.equals("tidy", "untidy") end)
                sleep(700)
                sleep(700)
                sleep(700)
                sleep(700)
            end)
            it("leaves a queue", function()
                cancelAt(2)
                queue = OperationQueue { isSuspended = true }
                sleep(1)
                sleep(700)
            end)
            """
        let results = await Scenarios.run(text)
        #expect(results.map(\.outcome) == [.passed, .failed, .failed], "\(results.map(\.problems))")
        #expect(results[1].problems.map(\.context) == ["finally"])
        #expect(results[2].problems == [] && results[2].leaks.map(\.kind) == ["queue"])
    }

    @Test func `pending scenarios are not run, or leave`() async throws {
        let results = await Scenarios.run(
            "pending('a', function() error('never') end)\nit('b')\nit('c', function() pending('not yet') end)"
        )
        #expect(results.map(\.outcome) == [.pending(nil), .pending(nil), .pending("not yet")])
    }

    @Test func `what is printed belongs to the scenario`() async throws {
        let results = await Scenarios.run("print('file')\nit('x', function() print('body') end)")
        #expect(results.first.map { String(decoding: $0.output, as: UTF8.self) } == "body\n")
    }

    @Test func `so is what io writes, in its order`() async throws {
        let result = try #require(
            await Scenarios.body(
                """
                io.write("a", 1, "\\n")
                print("b")
                io.stdout:setvbuf("full")
                io.stdout:write("c")
                print("d")
                io.write("e")
                """
            )
        )
        #expect(result.outcome == .passed)
        #expect(String(decoding: result.output, as: UTF8.self) == "a1\nb\ncd\ne")
    }

    @Test func `virtual time has its seed and simulated works`() async throws {
        let result = try #require(
            await Scenarios.body(
                """
                simulate("http.*", { duration = 2.5, result = "page" })
                assert.equals("page", await(work.http.get("http://example.org")))
                assert.equals(2.5, clock.now())
                print(math.random(1 << 40))
                """
            )
        )
        #expect(result.problems == [])
        #expect(await Scenarios.body("print(math.random(1 << 40))")?.output == result.output)
    }
}
