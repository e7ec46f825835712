import OpScriptScenarios
import Testing

@Suite struct ReadableReporterTests {
    @Test func `it reports what passed, what failed and why`() async throws {
        let text = try await report(
            """
            it("passes", function() print("said") end)
            it("fails", function()
                assert.same({ list = { "a", "b" }, long = ("x"):rep(60) }, { list = { "a", "c" }, long = ("x"):rep(60) })
            end)
            it("leaks", function() q = OperationQueue { name = "q", isSuspended = true } end)
            pending("later")
            """
        )
        let x = String(repeating: "x", count: 60)
        #expect(
            text == """
                job_spec.lua
                said
                  pass passes
                  FAIL fails
                  FAIL leaks
                  wait later

                FAIL job_spec.lua:2: fails
                  job_spec.lua:3: the values differ at list[2]: expected "b", got "c"
                    - expected  + actual
                      {
                    -   list = { "a", "b" },
                    +   list = { "a", "c" },
                        long = "\(x)",
                      }

                FAIL job_spec.lua:5: leaks
                  it left something behind:
                    queue 'q' is suspended (job_spec.lua:5)

                1 passed, 2 failed, 1 pending (T)

                """
        )
    }

    @Test func `of long texts that differ a little, only the differences are shown`() async throws {
        let text = try await report(
            """
            it("fails", function()
                local a, b = {}, {}
                for place = 1, 3000 do a[place], b[place] = place, place end
                b[1500], b[1504] = "x", "y"
                assert.same(a, b)
            end)
            """
        )
        #expect(
            text.contains(
                """
                    - expected  + actual
                      {
                      … 1496 more equal lines
                        1497,
                        1498,
                        1499,
                    -   1500,
                    +   "x",
                        1501,
                        1502,
                        1503,
                    -   1504,
                    +   "y",
                        1505,
                        1506,
                        1507,
                      … 1493 more equal lines
                      }

                """
            ),
            "\(text)"
        )
    }

    @Test func `a problem outside scenarios is reported, too`() async throws {
        let text = try await report("it('x', function() end)\nerror('oh')")
        #expect(text.contains("ERROR outside of scenarios\n  pass x\n"))
        #expect(text.contains("job_spec.lua:2: oh\n"))
        #expect(text.contains("1 passed, 1 error outside of scenarios (T)"))
    }

    /// The report without the time that it took.
    private func report(_ text: String) async throws -> String {
        let output = Output()
        var reporter = ReadableReporter(isColoured: false) { output.append($0) }
        let suite = ScenarioSuite(files: [Scenarios.file(text)], runner: Scenarios.runner())
        _ = await suite.run(&reporter)
        return output.text.replacing(#/\(\d+(\.\d+)? s\)/#, with: "(T)")
    }

    @Test func `names cannot change the terminal`() async throws {
        let text = try await report("it('a\\27[31m\\nb', function() error('no', 0) end)")
        #expect(text.hasPrefix("job_spec.lua\n  FAIL a?[31m?b\n\nFAIL job_spec.lua:1: a?[31m?b\n"), "\(text)")
    }
}
