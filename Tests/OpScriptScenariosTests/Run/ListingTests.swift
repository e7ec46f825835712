import Foundation
import Glibc
import OpScriptScenarios
import Testing

/// The contents of a file that are found before anything runs.
@Suite struct ListingTests {
    @Test func `scenarios have names, places and tags`() async throws {
        let listing = await Scenarios.list(
            """
            describe("queue #io", function()
                it("runs #slow #io", function() error("never") end)
                it.real("is real", function() end)
                pending("later")
            end)
            """
        )
        #expect(listing.problems == [])
        #expect(
            listing.scenarios.map(\.name) == [
                "queue #io runs #slow #io", "queue #io is real", "queue #io later",
            ]
        )
        #expect(listing.scenarios.map(\.place) == ["job_spec.lua:2", "job_spec.lua:3", "job_spec.lua:4"])
        #expect(listing.scenarios.map(\.tags) == [["io", "slow"], ["io"], ["io"]])
        #expect(listing.scenarios.map(\.isReal) == [false, true, false])
        #expect(listing.scenarios.map(\.isPending) == [false, false, true])
    }

    @Test func `a syntax error has its place`() async throws {
        let listing = await Scenarios.list("it('x', function( end)")
        #expect(listing.scenarios == [])
        #expect(listing.problems.count == 1)
        #expect(listing.problems.first?.message.hasPrefix("job_spec.lua:1: ") == true)
    }

    @Test func `an error outside of scenarios leaves those before it`() async throws {
        let text =
            "it('x', function() end)\ndescribe('d', function()\nit('y', function() end)\nerror('oh')\nend)\n"
            + "it('z', function() end)\nerror('end')"
        let listing = await Scenarios.list(text)
        #expect(listing.scenarios.map(\.name) == ["x", "d y", "z"])
        #expect(listing.problems.map(\.message) == ["job_spec.lua:7: end", "job_spec.lua:4: oh"])
        #expect(listing.problems.map(\.context) == ["", "describe 'd'"])
        #expect(await Scenarios.run(text).map(\.outcome) == [.passed, .passed, .passed])
    }

    @Test(
        arguments: [
            ("it({}, print)", "name expected, got table"),
            ("it('x', 1)", "function or options expected, got number"),
            ("it('x', { timout = 1 }, print)", "it has no option 'timout' (did you mean 'timeout'?)"),
            ("it('x', { timeout = -1 }, print)", "'timeout' is a number of seconds above 0"),
            ("describe()", "name expected, got nil"),
            ("before_each()", "function expected, got nil"),
            ("finally(print)", "finally is for the inside of 'it'"),
            ("it.unreal('x', print)", "it has no 'unreal'"),
        ]
    ) func `wrong calls are named`(_ text: String, _ message: String) async throws {
        let listing = await Scenarios.list(text)
        let problem = try #require(listing.problems.first)
        #expect(problem.message.hasPrefix("job_spec.lua:1: "))
        #expect(problem.message.contains(message), "\(problem.message)")
    }

    @Test func `a file that changes at each load is detected`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { unlink(path) }
        // It counts how often it was loaded.
        let text = """
            local file = io.open("\(path)", "a+")
            file:write("x")
            file:seek("set")
            it("scenario " .. #file:read("a"), function() end)
            file:close()
            """
        let file = Scenarios.file(text)
        let runner = Scenarios.runner()
        let scenario = try #require(await runner.list(file).scenarios.first)
        let result = await runner.run(scenario, in: file)
        #expect(result.problems.first?.message.contains("must not depend on chance or time") == true)
    }
}
