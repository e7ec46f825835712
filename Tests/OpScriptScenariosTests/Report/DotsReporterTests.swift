import OpScriptScenarios
import Testing

/// The output with one character for each scenario.
@Suite struct DotsReporterTests {
    private static let text = """
        it("passes", function() end)
        it("says", function() print("said") end)
        it("fails", function() assert.equals(1, 2) end)
        it("raises", function() error("boom") end)
        it("leaks", function() q = OperationQueue { name = "q", isSuspended = true } end)
        pending("later")
        it("waits", function() pending("for rain") end)
        """

    private func report(
        _ text: String = text,
        isPlain: Bool = true,
        isColoured: Bool = false,
        _ change: (inout ScenarioSuite) -> Void = { _ in }
    ) async -> String {
        var suite = Suites.make(["job_spec.lua": text])
        change(&suite)
        let output = Output()
        var reporter = DotsReporter(isPlain: isPlain, isColoured: isColoured) { output.append($0) }
        _ = await suite.run(&reporter)
        return output.text.replacing(/: [0-9.e-]+ seconds/, with: ": T seconds")
    }

    @Test func `each result has its character, its count and its text`() async {
        let text = await report()
        #expect(
            text.hasPrefix("+said\n+-*-..\n2 successes / 2 failures / 1 error / 2 pending : T seconds\n"),
            "\(text)"
        )
        #expect(
            text.contains(
                """

                Failure → job_spec.lua:3: fails
                  job_spec.lua:3: the values are not equal
                    expected: 1
                    actual:   2

                """
            ),
            "\(text)"
        )
        #expect(text.contains("\nError → job_spec.lua:4: raises\n  job_spec.lua:4: boom\n"), "\(text)")
        #expect(
            text.contains(
                """

                Failure → job_spec.lua:5: leaks
                  it left something behind:
                    queue 'q' is suspended (job_spec.lua:5)

                """
            ),
            "\(text)"
        )
        #expect(text.contains("\nPending → job_spec.lua:6: later\n"), "\(text)")
        #expect(text.contains("\nPending → job_spec.lua:7: waits\n  for rain\n"), "\(text)")
    }

    @Test func `the characters are of two kinds, and may have colours`() async {
        #expect(await report(isPlain: false).hasPrefix("●said\n●◼✱◼◌◌\n"))
        let coloured = await report("it('passes', function() end)", isColoured: true)
        #expect(coloured.hasPrefix("\u{1B}[32m+\u{1B}[0m\n1 success / 0 failures / 0 errors / 0 pending"))
    }

    @Test func `a problem outside of scenarios is an error`() async {
        let text = await report("it('passes', function() end)\ndescribe('d', function() error('boom') end)")
        #expect(text.hasPrefix("+*\n1 success / 0 failures / 1 error / 0 pending"), "\(text)")
        #expect(text.contains("\nError → job_spec.lua: in describe 'd'\n  job_spec.lua:2: boom\n"), "\(text)")
        let early = await report("it('passes'")
        #expect(early.hasPrefix("*\n0 successes / 0 failures / 1 error"), "\(early)")
        #expect(early.contains("Error → job_spec.lua: outside of scenarios\n"), "\(early)")
    }

    @Test func `the end has notes, the seed of the order and the slowest scenarios`() async {
        let text = await report("it('passes', function() assert.is(1) end)") { suite in
            suite.order.shuffleSeed = 7
            suite.tellsSlowest = true
        }
        #expect(text.contains("seconds, shuffled by --seed 7\n"), "\(text)")
        #expect(
            text.contains("\nNote: job_spec.lua:1: passes: job_spec.lua:1: assert.is(…) checks nothing: "),
            "\(text)"
        )
        #expect(text.contains("\nSlowest:\n") && text.hasSuffix("  job_spec.lua:1: passes\n"), "\(text)")
    }
}
