import OpScript
import OpScriptScenarios
import Testing

/// The scenarios of a file run one after the other in one engine.
@Suite struct SharedEngineTests {
    /// The output and the messages of a file: lines of its output, and `pass` or `FAIL` with the names.
    private func told(
        _ text: String,
        timeLimit: Double = 60,
        _ change: (inout ScenarioSuite) throws -> Void = { _ in }
    ) async throws -> (lines: [String], text: String, summary: ScenarioSummary) {
        let output = Output()
        var suite = Suites.make(["job_spec.lua": text])
        suite.runner.timeLimit = timeLimit
        try change(&suite)
        var reporter = ReadableReporter(isColoured: false) { output.append($0) }
        let summary = await suite.run(&reporter)
        let lines = output.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return (Array(lines.dropFirst().prefix { !$0.isEmpty }), output.text, summary)
    }

    @Test func `groups and hooks have busted's order`() async throws {
        let told = try await told(
            """
            setup(function() print("setup") end)
            lazy_setup(function() print("lazy") end)
            before_each(function() print("before") end)
            it("a", function() finally(function() print("finally") end) end)
            describe("d", function()
                print("describe")
                setup(function() print("inner setup") end)
                after_each(function() print("inner after") end)
                teardown(function() print("inner teardown") end)
                it("b", function() end)
            end)
            describe("e", function() lazy_setup(function() print("never") end) end)
            after_each(function() print("after") end)
            teardown(function() print("teardown") end)
            it("c", function() end)
            """
        )
        #expect(
            told.lines == [
                "setup", "lazy", "before", "finally", "after", "  pass a",
                "describe", "inner setup", "before", "inner after", "after", "  pass d b",
                "inner teardown", "before", "after", "  pass c",
            ]
        )
    }

    @Test func `the file and its modules are loaded once`() async throws {
        let told = try await told(
            """
            print("loaded")
            local count = 0
            for place = 1, 3 do
                it("t" .. place, function() count = count + 1 assert.equals(place, count) end)
            end
            """
        )
        #expect(told.lines == ["loaded", "  pass t1", "  pass t2", "  pass t3"])
    }

    @Test func `leftovers of a scenario are reported and removed`() async throws {
        let told = try await told(
            """
            local beats = 0
            it("timer", function()
                Timer.scheduledTimer { interval = 1, repeats = true, block = function() beats = beats + 1 end }
            end)
            it("operation", function() OperationQueue { name = "q" }:addOperation(work.sleep(9)) end)
            it("queue", function() queue = OperationQueue { name = "s", isSuspended = true } end)
            it("waits", function()
                Timer.scheduledTimer { interval = 1, block = function() sleep(50) beats = beats + 1 end }
                sleep(2)
            end)
            it("clean", function() sleep(100) assert.equals(0, beats) assert.equals(100, clock.now()) end)
            it("allowed", { leaks = true }, function()
                Timer.scheduledTimer { interval = 1, repeats = true, block = function() beats = beats + 1 end }
            end)
            it("still clean", function() sleep(9) assert.equals(0, beats) end)
            """
        )
        #expect(
            told.lines == [
                "  FAIL timer", "  FAIL operation", "  FAIL queue", "  FAIL waits", "  pass clean",
                "  pass allowed", "  pass still clean",
            ]
        )
    }

    @Test func `objects of a group are not leaks of its scenarios, but of the file`() async throws {
        let text = """
            local timer
            setup(function() timer = Timer.scheduledTimer { interval = 1, repeats = true, block = function() end } end)
            it("a", function() sleep(5) end)
            it("b", function() sleep(5) end)
            """
        let dirty = try await told(text)
        #expect(dirty.lines == ["  pass a", "  pass b", "  ERROR outside of scenarios"])
        let tidy = try await told(text + "\nteardown(function() timer:invalidate() end)")
        #expect(tidy.lines == ["  pass a", "  pass b"])
    }

    @Test func `another engine continues after a scenario that has ended its own`() async throws {
        let told = try await told(
            """
            describe("d", function()
                it("before", function() end)
                it("exits", function() os.exit(0) end)
                it("between", function() end)
                it("raises elsewhere", function()
                    Timer.scheduledTimer { interval = 1, block = function() error("ouch") end }
                    sleep(5)
                end)
                it("is late", { timeout = 5 }, function() sleep(10) end)
                it("is cancelled", function() cancelAt(2) sleep(1) sleep(10) end)
                describe("deeper", function() it("continues", function() end) end)
            end)
            it("last", function() end)
            """
        )
        #expect(
            told.lines == [
                "  pass d before", "  FAIL d exits", "  pass d between", "  FAIL d raises elsewhere",
                "  FAIL d is late", "  pass d is cancelled", "  pass d deeper continues", "  pass last",
            ]
        )
    }

    @Test func `a scenario that never ends is ended, and the others run`() async throws {
        let told = try await told(
            "it.real('real', function() sleep(1e6) end)\nit('b', function() end)",
            timeLimit: 30
        ) { $0.runner.isReal = true }
        #expect(told.lines == ["  FAIL real", "  pass b"], "\(told.text)")
    }

    @Test func `a setup that ends the run is not repeated for ever`() async throws {
        let told = try await told(
            "setup(function() os.exit(1) end)\nit('a', function() end)"
        )
        #expect(told.lines == ["  ERROR outside of scenarios"])
        #expect(!told.summary.isGood)
    }

    @Test func `isolated and real scenarios have engines of their own, in their places`() async throws {
        let told = try await told(
            """
            local count = 0
            local function next() count = count + 1 print(count) end
            it("a", next)
            describe("alone", { isolate = true }, function()
                it("b", next)
                describe("too", function() it("c", next) end)
                describe("not", { isolate = false }, function() it("d", next) end)
            end)
            it.real("e", function() next() assert.is_false(clock.isVirtual) end)
            it("f", next)
            """
        )
        #expect(
            told.lines == [
                "1", "  pass a", "1", "  pass alone b", "1", "  pass alone too c", "2", "  pass alone not d",
                "1", "  pass e", "3", "  pass f",
            ]
        )
    }

    @Test func `--isolate gives each an engine`() async throws {
        let text = "local n = 0\nfor i = 1, 3 do it('t' .. i, function() n = n + 1 print(n) end) end"
        let apart = try await told(text) { $0.runner.isolates = true }
        #expect(apart.lines == ["1", "  pass t1", "1", "  pass t2", "1", "  pass t3"])
    }

    @Test func `a failure in setup keeps the group from running`() async throws {
        let told = try await told(
            """
            describe("d", function()
                setup(function() error("no") end)
                it("a", function() end)
            end)
            it("b", function() end)
            """
        )
        #expect(told.lines == ["  ERROR in setup", "  pass b"])
        #expect(told.summary.problems == 1)
    }

    @Test func `the first failure is the end with --fail-fast`() async throws {
        let told = try await told(
            "it('a', function() end)\nit('b', function() error('x') end)\nit('c', function() print('never') end)"
        ) { $0.order.failsFast = true }
        #expect(told.lines == ["  pass a", "  FAIL b"])
    }

    @Test func `names leave out scenarios and groups`() async throws {
        let text = """
            describe("reads", function() it("fast", function() end) it("slow #slow", function() end) end)
            describe("writes", function() it("fast", function() end) end)
            """
        let told = try await told(text) {
            try $0.selection.exclude(pattern: "^writes")
            $0.selection.excludedTags = ["slow"]
        }
        #expect(told.lines.filter { !$0.isEmpty } == ["  pass reads fast"])
    }

    @Test func `scenarios may be sorted, and pending ones hidden`() async throws {
        let text = "it('b', function() end)\npending('c')\nit('a', function() end)"
        let told = try await told(text) {
            $0.order.isSorted = true
            $0.order.hidesPending = true
        }
        #expect(told.lines == ["  pass a", "  pass b"])
        #expect(told.summary.pending == 1)
    }

    @Test func `hooks are lazy if the project says so`() async throws {
        let text =
            "setup(function() print('setup') end)\ndescribe('d', function() print('d') it('a', function() end) end)"
        let usual = try await told(text)
        let lazy = try await told(text) { $0.runner.project.isLazy = true }
        #expect(usual.lines == ["setup", "d", "  pass d a"])
        #expect(lazy.lines == ["d", "setup", "  pass d a"])
    }

    @Test func `the scenarios that took longest are listed`() async throws {
        var text = ""
        for place in 0..<12 { text += "it('t\(place)', function() end)\n" }
        text += "it('long', function() for place = 1, 2e6 do end end)"
        let told = try await told(text) { $0.tellsSlowest = true }
        #expect(told.summary.slowest.count == 10)
        // On a busy machine, any scenario may take longer than it needs.
        #expect(told.summary.slowest.contains { $0.name == "job_spec.lua:13: long" })
        let seconds = told.summary.slowest.map(\.seconds)
        #expect(seconds == seconds.sorted(by: >))
        #expect(told.summary.failures == [])
    }

    @Test func `an error outside of scenarios is reported once, however often the file is loaded`()
        async throws
    {
        let told = try await told(
            """
            describe("g", function()
                for _, name in ipairs { "a", "b" } do
                    it(name, function()
                        local op = Operation(function() end)
                        op.completionBlock = function() error("in the block") end
                        await(op)
                        sleep(1)
                    end)
                end
                teardown(function() error("at the end of the group") end)
                error("in the group")
            end)
            it("c", function() end)
            error("at the end of the file")
            """
        )
        #expect(
            told.lines.sorted() == [
                "  ERROR in describe 'g'", "  ERROR in teardown", "  ERROR outside of scenarios",
                "  FAIL g a",
                "  FAIL g b", "  pass c",
            ]
        )
        #expect(told.summary.problems == 3)
    }
}
