import Foundation
import OpScript
import OpScriptScenarios
import Testing

/// Output handlers that projects have written for busted.
@Suite struct HandlerReporterTests {
    private static let handler = """
        return function(options)
            local busted = require "busted"
            local handler = require "busted.outputHandlers.base"()
            busted.subscribe({ "suite", "start" }, function() print("suite") return nil, true end)
            busted.subscribe({ "file", "start" }, function(file) print("file " .. file.name) return nil, true end)
            busted.subscribe({ "test", "end" }, function(element, parent, status)
                print(status .. " " .. handler.getFullName(element))
                if element.name == options.arguments[1] then error("no such column") end
                if element.name == options.arguments[2] then while true do end end
                return nil, true
            end)
            busted.subscribe({ "suite", "end" }, function()
                print(handler.successesCount .. " passed, " .. handler.failuresCount .. " failed")
                return nil, true
            end)
            return handler
        end
        """

    private static let scenarios = """
        it("first", function() print("said") end)
        describe("group", function() it("second", function() assert.equals(1, 2) end) end)
        """

    /// Runs the scenarios with the handler in a file.
    ///
    /// - Returns: The output, what each result had brought when it had been reported, and the complaints.
    private func run(_ arguments: [String] = [], timeLimit: Double = 60) async throws
        -> (text: String, steps: [String], complaints: [String])
    {
        let file = FileManager.default.temporaryDirectory.appending(path: "handler-\(UUID()).lua")
        try Self.handler.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let (output, complaints) = (Output(), Output())
        var runner = Scenarios.runner()
        runner.configuration.libraries = .all
        runner.timeLimit = timeLimit
        let reporter = HandlerReporter(
            file.path,
            arguments,
            runner,
            write: { output.append($0) },
            complain: { complaints.append(Array("\($0)\n".utf8)) }
        )
        var steps = Steps(reporter: reporter, output: output)
        _ = await Suites.make(["job_spec.lua": Self.scenarios]).run(&steps)
        return (output.text, steps.steps, complaints.text.split(separator: "\n").map(String.init))
    }

    /// Notes the output after each result.
    private struct Steps: ScenarioReporter {
        var reporter: HandlerReporter
        let output: Output
        var steps: [String] = []

        mutating func fileBegan(_ path: String, _ listing: ScenarioListing) {
            reporter.fileBegan(path, listing)
            steps.append(output.text)
        }
        mutating func ended(_ result: ScenarioResult) {
            reporter.ended(result)
            steps.append(output.text)
        }
        mutating func finished(_ summary: ScenarioSummary) { reporter.finished(summary) }
    }

    @Test func `a handler receives each result when it comes`() async throws {
        let (text, steps, complaints) = try await run()
        let whole = """
            suite
            file job_spec.lua
            said
            success first
            failure group second
            1 passed, 1 failed

            """
        #expect(text == whole)
        #expect(complaints.isEmpty, "\(complaints)")
        #expect(steps.map { $0.split(separator: "\n").count } == [2, 4, 5])
        #expect(steps.allSatisfy { whole.hasPrefix($0) })
    }

    @Test func `a handler that fails is named once, and receives nothing more`() async throws {
        let (text, _, complaints) = try await run(["first"])
        #expect(text == "suite\nfile job_spec.lua\nsaid\nsuccess first\n")
        #expect(complaints.count == 1)
        #expect(complaints.first?.contains("' failed: ") == true)
        #expect(complaints.first?.hasSuffix("no such column") == true)
    }

    @Test func `a handler that does not return is named`() async throws {
        let (_, _, complaints) = try await run(["", "first"], timeLimit: 2)
        #expect(complaints.first?.contains("' failed: ") == true)
    }

    @Test func `a handler that does not exist is an error in words`() async {
        let (output, complaints) = (Output(), Output())
        var reporter = HandlerReporter(
            "no.such.handler",
            [],
            Scenarios.runner(),
            write: { output.append($0) },
            complain: { complaints.append(Array("\($0)\n".utf8)) }
        )
        _ = await Suites.make(["job_spec.lua": Self.scenarios]).run(&reporter)
        #expect(complaints.text.split(separator: "the output handler 'no.such.handler' failed: ").count == 1)
        #expect(complaints.text.contains("module 'no.such.handler' not found"))
    }
}
