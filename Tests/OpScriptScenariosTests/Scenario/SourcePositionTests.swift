import OpScriptScenarios
import Testing

@Suite struct SourcePositionTests {
    @Test func `a name that Lua shortened identifies the file if its end matches`() {
        let path = "/a/very/long/way/to/job_spec.lua"
        #expect(SourcePosition("...way/to/job_spec.lua:12", in: path) == SourcePosition(file: path, line: 12))
        #expect(SourcePosition("...way/to/other.lua:3", in: path)?.file == "...way/to/other.lua")
        #expect(SourcePosition("other.lua:3", in: path) == SourcePosition(file: "other.lua", line: 3))
        #expect(SourcePosition("a:b.lua:3", in: path) == SourcePosition(file: "a:b.lua", line: 3))
    }

    @Test(arguments: ["", ":", "x", "x:", "x:y", ":3", "x:0", "x:-1"]) func `a text without a place has none`(
        _ text: String
    ) {
        #expect(SourcePosition(text, in: "job_spec.lua") == nil)
    }

    @Test func `a message may begin with its place`() {
        #expect(
            SourcePosition(startOf: "a.lua:7: no: why", in: "b") == SourcePosition(file: "a.lua", line: 7)
        )
        #expect(SourcePosition(startOf: "no place: 7", in: "b") == nil)
    }

    @Test func `a long path is complete again`() async throws {
        let path = "/" + String(repeating: "folder/", count: 20) + "job_spec.lua"
        let file = ScenarioFile(path: path, source: Array("it('x', function()\nerror('no')\nend)".utf8))
        let runner = Scenarios.runner()
        let scenario = try #require(await runner.list(file).scenarios.first)
        #expect(scenario.line == 1)
        let problem = try #require(await runner.run(scenario, in: file).problems.first)
        #expect(problem.position(in: path) == SourcePosition(file: path, line: 2))
    }
}
