import OpScript
import OpScriptTesting
import Testing

/// Scenarios of a folder as cases of a test, as a host has them.
@Suite struct ScenarioTests {
    static let cart = Scenario.all(in: "Scenarios") { engine in
        engine.register("price") { (name: String) in name == "tea" ? 30 : 0 }
    }

    @Test(arguments: cart) func `each scenario is a case`(_ scenario: Scenario) async {
        let outcome = await scenario.run()
        #expect(outcome != .failed)
    }

    @Test func `they are found with names, lines and tags`() {
        #expect(
            Self.cart.map(\.name) == [
                "a cart asks the host for prices",
                "a cart takes an hour of the clock and none of ours #slow", "a cart gives discounts",
            ]
        )
        #expect(Self.cart.map(\.line) == [2, 6, 11])
        #expect(Self.cart.map(\.tags) == [[], ["slow"], []])
        #expect(Self.cart.allSatisfy { $0.file.hasSuffix("/OpScriptTestingTests/Scenarios/cart_spec.lua") })
        #expect(Self.cart.first?.testDescription == "cart_spec.lua: a cart asks the host for prices")
    }

    @Test func `a pending one is reported as pending`() async {
        #expect(await Self.cart.last?.run() == .pending(nil))
    }

    @Test func `a failure points into the Lua file, with its whole path`() async throws {
        let issues = await issues(of: Scenario.all(in: "Broken/failing"))
        #expect(issues.map(\.line) == [3, 6, 9])
        #expect(
            issues.allSatisfy {
                $0.path.hasPrefix("/") && $0.path.hasSuffix("/Broken/failing/failing_spec.lua")
            }
        )
        #expect(issues[0].text.contains("expected: 1"))
        #expect(issues[0].text.contains("it printed:\nbefore"))
        #expect(issues[1].text.contains("boom"))
        #expect(issues[2].text.contains("it left something behind: queue 'q' is suspended"))
    }

    @Test(
        arguments: [
            ("Broken/syntax", "<name> or '...' expected near 'end'"),
            ("Broken/nowhere", "no such file or directory"),
            ("../OpScriptTestingTests/Scenarios/../Broken/failing/../none", "cannot read"),
        ]
    ) func `a path that cannot be run is a failing case`(_ folder: String, _ reason: String) async {
        let all = Scenario.all(in: folder)
        #expect(all.map(\.name) == ["outside of scenarios"])
        let issues = await issues(of: all)
        #expect(issues.count == 1)
        #expect(issues.first?.text.contains(reason) == true)
    }

    @Test func `an exploration finds a race, and its schedule repeats it`() async throws {
        let race = try #require(Scenario.all(in: "Broken/race").first)
        #expect(await race.run() == .passed)
        var found: [Found] = []
        for exploration in [Scenario.Exploration.pct(runs: 200), .random(runs: 200), .dfs(runs: 200)] {
            found = await issues(of: [race]) { await $0.run(exploring: exploration) }
            #expect(found.first?.text.contains("interleaving ") == true, "\(exploration)")
        }
        let text = try #require(found.first?.text)
        let schedule = try #require(text.firstMatch(of: /run\(replaying: "([^"]+)"\)/)).output.1.description
        let again = await issues(of: [race]) { await $0.run(replaying: schedule) }
        #expect(again.map(\.line) == found.map(\.line))
        let wrong = await issues(of: [race]) { await $0.run(replaying: "nonsense") }
        #expect(wrong.first?.text.hasPrefix("'nonsense' is no schedule") == true)
        let other = await issues(of: [race]) { await $0.run(replaying: "2@1:1/2") }
        #expect(
            other.first?.text.contains("belongs to scenario 2 of the file, and this is scenario 1") == true
        )
    }

    @Test(arguments: cart) func `a scenario without a race passes an exploration`(_ scenario: Scenario) async
    {
        #expect(await scenario.run(exploring: .pct(runs: 20)) != .failed)
    }

    @Test func `a host's own limits apply`() async {
        var setup = Scenario.Setup()
        setup.configuration.libraries = .safe
        setup.configuration.capabilities = []
        setup.register = { $0.register("price") { (_: String) in 30 } }
        for scenario in Scenario.all(in: "Scenarios", setup: setup) {
            #expect(await scenario.run() != .failed)
        }
    }

    private struct Found { var text: String, path: String, line: Int }

    /// The issues that running them records, without failing this test.
    private func issues(
        of scenarios: [Scenario],
        _ run: @Sendable (Scenario) async -> Scenario.Outcome = { await $0.run() }
    ) async -> [Found] {
        var found: [Found] = []
        let recorder = Recorder()
        for scenario in scenarios {
            await withKnownIssue {
                #expect(await run(scenario) == .failed)
            } matching: { issue in
                recorder.add(issue)
                return true
            }
        }
        for issue in recorder.issues {
            let location = issue.sourceLocation
            found.append(
                Found(
                    text: issue.comments.map(\.rawValue).joined(separator: "\n"),
                    path: location?.filePath ?? "",
                    line: location?.line ?? 0
                )
            )
        }
        return found
    }
}
