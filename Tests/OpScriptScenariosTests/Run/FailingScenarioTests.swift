import OpScriptScenarios
import Testing

/// The reports of failing scenarios.
@Suite struct FailingScenarioTests {
    @Test func `a failed assertion reports place, expected and actual value`() async throws {
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

    @Test func `a wait that can never end is reported with the reason`() async throws {
        let result = try #require(await Scenarios.body("await(Gate 'never')"))
        #expect(result.problems.first?.code == "deadlock")
        #expect(
            result.problems.first?.message
                == "job_spec.lua:2: nothing is left that could end the gate 'never'"
        )
    }

    @Test func `the error of a callback is the failure, and not the cancellation of the wait`() async throws {
        let result = try #require(
            await Scenarios.body(
                "Timer.scheduledTimer { interval = 1, block = function() error('ouch') end }\nsleep(5)"
            )
        )
        #expect(result.problems.map(\.message) == ["job_spec.lua:2: ouch"])
        #expect(result.leaks == [])
    }

    @Test func `an assertion inside an operation that is never awaited counts`() async throws {
        let result = try #require(
            await Scenarios.body(
                "local q = OperationQueue()\nq:addOperation(function() assert.equals(1, 2) end)\n"
                    + "q:waitUntilAllOperationsAreFinished()"
            )
        )
        #expect(result.problems.count == 1)
        #expect(result.problems.first?.place == "job_spec.lua:3")
        #expect(result.problems.first?.expected == "1" && result.problems.first?.actual == "2")
        #expect(result.problems.first?.context == "operation 'operation' (job_spec.lua:3)")
    }

    @Test func `another failure of an operation that is never awaited is a note`() async throws {
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

    @Test func `os.exit is a failure`() async throws {
        let result = try #require(await Scenarios.body("os.exit(0)"))
        #expect(result.problems.first?.message.contains("called os.exit(0)") == true)
    }

    @Test func `failing hooks are named, and cleanup hooks are called`() async throws {
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

    @Test func `a planned cancellation is not a failure, and its leftovers are checked`() async throws {
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
                error("it continues")
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

    @Test func `output belongs to the scenario`() async throws {
        let results = await Scenarios.run("print('file')\nit('x', function() print('body') end)")
        #expect(results.first.map { String(decoding: $0.output, as: UTF8.self) } == "body\n")
    }

    @Test func `the output of io belongs to the scenario, too, in its order`() async throws {
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

    @Test(
        arguments: [
            """
            local op = Operation(function() end)
            op.completionBlock = function() assert.equals(1, 2) end
            await(op)
            sleep(5)
            """,
            "Timer.scheduledTimer(1, false, function()\nassert.equals(1, 2) end)\nsleep(5)",
        ]
    ) func `an assertion in a callback fails as one in the body does`(_ body: String) async throws {
        let text = "it('x', function()\n\(body)\nend)"
        var reporter = ProblemKeeper()
        _ = await Suites.make(["job_spec.lua": text]).run(&reporter)
        for result in await reporter.results + Scenarios.run(text) {
            #expect(result.problems.count == 1)
            let problem = try #require(result.problems.first)
            #expect(problem.kind == .failure && problem.message == "the values are not equal")
            #expect(problem.expected == "1" && problem.actual == "2" && problem.code == nil)
            #expect(problem.place == "job_spec.lua:3")
        }
        #expect(reporter.results.count == 1)
    }
}

/// Keeps the results.
private struct ProblemKeeper: ScenarioReporter {
    var results: [ScenarioResult] = []

    mutating func fileBegan(_ path: String, _ listing: ScenarioListing) {}
    mutating func problem(_ path: String, _ problem: ScenarioProblem, output: [UInt8]) {}
    mutating func noted(_ path: String, _ note: String) {}
    mutating func ended(_ result: ScenarioResult) { results.append(result) }
    mutating func finished(_ summary: ScenarioSummary) {}
}
