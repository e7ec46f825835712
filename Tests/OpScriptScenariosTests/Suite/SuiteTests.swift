import OpScript
import OpScriptScenarios
import Testing

/// The selection and the order of scenarios.
@Suite struct SuiteTests {
    private let suite = Suites.make([
        "a_spec.lua": """
        describe("reads #io", function()
            it("fast", function() end)
            it("slow #slow", function() end)
        end)
        """,
        "b_spec.lua": "it('fails', function() error('x') end)\nit('adds (1 + 1)', function() end)",
    ])

    @Test(
        arguments: [
            ("fast", [], [], ["a_spec.lua", "reads #io fast"]),
            ("^%a+s #?[^s]", [], ["slow"], ["a_spec.lua", "reads #io fast", "b_spec.lua", "adds (1 + 1)"]),
            (nil, ["slow", "other"], [], ["a_spec.lua", "reads #io slow #slow"]),
            (nil, ["io"], ["slow"], ["a_spec.lua", "reads #io fast"]),
            ("nothing", [], [], []),
        ] as [(String?, Set<String>, Set<String>, [String])]
    ) func `scenarios are chosen by name and by tag`(
        _ pattern: String?,
        _ tags: Set<String>,
        _ excluded: Set<String>,
        _ names: [String]
    ) async throws {
        var suite = suite
        if let pattern { try suite.selection.choose(pattern: pattern) }
        suite.selection.tags = tags
        suite.selection.excludedTags = excluded
        let told = await Suites.names(suite)
        #expect(told.names == names)
        #expect(told.summary.leftOut == 4 - names.count { !$0.hasSuffix(".lua") })
        #expect(
            await suite.list().flatMap(\.listing.scenarios).map(\.name)
                == names.filter { !$0.hasSuffix(".lua") }
        )
    }

    @Test func `an invalid pattern is refused`() {
        var selection = ScenarioSelection()
        #expect(throws: ScenarioSelection.Unusable.self) { try selection.choose(pattern: "(") }
    }

    @Test func `the first failure is the end`() async {
        var suite = suite
        suite.files.reverse()
        suite.order.failsFast = true
        suite.order.jobs = 3
        let told = await Suites.names(suite)
        #expect(told.names == ["b_spec.lua", "fails"])
        #expect(told.summary.endedEarly)
        #expect(!told.summary.isGood)
    }

    @Test func `simultaneous scenarios are reported in order`() async {
        var text = ""
        for number in 0..<40 {
            // The first ones take longest.
            text += "it('s\(number)', function() for i = 1, \((40 - number) * 2000) do end end)\n"
        }
        var suite = Suites.make(["a_spec.lua": text, "b_spec.lua": "it('last', function() end)"])
        suite.order.jobs = 8
        let told = await Suites.names(suite)
        #expect(told.names == ["a_spec.lua"] + (0..<40).map { "s\($0)" } + ["b_spec.lua", "last"])
        #expect(told.summary.passed == 41)
    }

    /// Files of which each sees what the one before has left.
    private static let sharing: KeyValuePairs = [
        "a_spec.lua": "it('sets', function() package.loaded.shared, _G.shared = 1, 2 end)",
        "b_spec.lua": """
        it('sees', function() assert.same({ 1, 2 }, { package.loaded.shared, _G.shared }) end)
        it.real('is alone', function() assert.is_nil(package.loaded.shared) end)
        it('says', function() print('said') end)
        """,
        "c_spec.lua": "it('is not Lua'",
        "d_spec.lua":
            "#!/usr/bin/env lua\nit('sees', function() assert.equals(1, package.loaded.shared) end)",
    ]

    @Test func `files that share globals run in one engine`() async {
        var suite = Suites.make(Self.sharing)
        suite.runner.project.sharesGlobals = true
        suite.order.jobs = 4
        let told = await Suites.names(suite)
        #expect(
            told.names == [
                "a_spec.lua", "sets", "b_spec.lua", "sees", "is alone", "says", "c_spec.lua", "d_spec.lua",
                "sees",
            ]
        )
        #expect(told.summary.passed == 5 && told.summary.problems == 1, "\(told.summary)")
        suite.runner.project.sharesGlobals = false
        #expect(await Suites.names(suite).summary.failed == 2)
    }

    @Test func `another engine continues in the file where the shared one ended`() async {
        var suite = Suites.make([
            "a_spec.lua": "it('sets', function() package.loaded.shared = 1 end)",
            "b_spec.lua": "it('ends', function() os.exit(3) end)\nit('continues', function() end)",
            "c_spec.lua": "os.exit(0)\nit('is not reached', function() end)",
            "d_spec.lua": "it('sees nothing', function() assert.is_nil(package.loaded.shared) end)",
        ])
        suite.runner.project.sharesGlobals = true
        let told = await Suites.names(suite)
        #expect(
            told.names == [
                "a_spec.lua", "sets", "b_spec.lua", "ends", "continues", "c_spec.lua", "d_spec.lua",
                "sees nothing",
            ]
        )
        #expect(told.summary.passed == 3 && told.summary.failed == 1 && told.summary.problems == 1)
        suite.order.failsFast = true
        let early = await Suites.names(suite)
        #expect(early.names == ["a_spec.lua", "sets", "b_spec.lua", "ends"])
    }

    @Test func `a failure ends a suite that shares an engine`() async {
        var suite = Suites.make([
            "a_spec.lua": "it('fails', function() error('x') end)",
            "b_spec.lua": "it('runs', function() end)",
        ])
        suite.runner.project.sharesGlobals = true
        suite.order.failsFast = true
        #expect(await Suites.names(suite).names == ["a_spec.lua", "fails"])
    }

    /// Two that wait for each other can only pass if both run at the same time.
    @Test func `several scenarios run at once`() async {
        let meeting = Meeting()
        var suite = Suites.make([
            "a_spec.lua":
                "it.real('a', function() await(work.meet()) end)\nit.real('b', function() await(work.meet()) end)"
        ])
        suite.runner.register = { engine in engine.register("meet") { () async in await meeting.wait() } }
        suite.order.jobs = 2
        let told = await Suites.names(suite)
        #expect(told.summary.passed == 2)
    }

    @Test func `a seed fixes an order, and another seed another one`() async {
        let text = (0..<12).map { "it('\($0)', function() end)\n" }.joined()
        func names(_ seed: UInt64) async -> [String] {
            var suite = Suites.make(["a_spec.lua": text])
            suite.order.shuffleSeed = seed
            suite.order.jobs = 4
            return await Suites.names(suite).names
        }
        let first = await names(1)
        #expect(await names(1) == first)
        #expect(await names(2) != first)
        #expect(Set(first) == Set((0..<12).map(String.init) + ["a_spec.lua"]))
    }

    @Test func `each round has the next seed`() async throws {
        var suite = Suites.make(["a_spec.lua": "it('x', function() print(math.random(1 << 40)) end)"])
        suite.order.rounds = 2
        suite.runner.seed = 5
        let output = Output()
        var reporter = ReadableReporter(isColoured: false) { output.append($0) }
        _ = await suite.run(&reporter)
        let both = output.text.split(separator: "\n").filter { Int($0) != nil }
        #expect(output.text.contains("pass x (run 2)"))
        suite.order.rounds = 1
        suite.runner.seed = 6
        let second = Output()
        var next = ReadableReporter(isColoured: false) { second.append($0) }
        _ = await suite.run(&next)
        try #require(both.count == 2)
        #expect(both[0] != both[1])
        #expect(second.text.contains("\(both[1])\n"))
    }
}

/// Lets two tasks meet.
private actor Meeting {
    private var first: CheckedContinuation<Void, Never>?

    func wait() async {
        if let first {
            first.resume()
        } else {
            await withCheckedContinuation { first = $0 }
        }
    }
}
