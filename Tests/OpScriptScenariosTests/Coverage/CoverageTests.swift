import Foundation
import OpScriptScenarios
import Testing

/// The lines of the files under test that scenarios execute.
@Suite struct CoverageTests {
    @Test func `lines are counted in modules, coroutines and callbacks, but not in scenarios`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "cover-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let module = """
            local m = {}
            function m.a(x)
                if x then
                    return 1
                else
                    return 2
                end
            end
            function m.never()
                local function inner()
                    return 3
                end
                return inner
            end
            function m.late()
                return coroutine.wrap(function()
                    return 4
                end)
            end
            return m
            """
        try Data(module.utf8).write(to: folder.appendingPathComponent("module.lua"))
        let spec = """
            local m = require "module"
            it("a", function() assert.equals(1, m.a(true)) end)
            it("b", function()
                await(async(function() assert.equals(4, m.late()()) end))
                while not pcall(error) and clock.now() < 0 do end
            end)
            """
        let path = folder.appendingPathComponent("module_spec.lua").path
        var suite = Suites.make([path: spec])
        suite.runner.coverage = CoverageCollector()
        suite.order.jobs = 2
        let summary = await Suites.names(suite).summary
        #expect(summary.passed == 2)
        let report = try #require(suite.runner.coverage?.report(on: suite.files))
        let file = try #require(report.files.first)
        #expect(report.files.count == 1)
        #expect(file.path == folder.appendingPathComponent("module.lua").path)
        #expect(file.missed == "6, 11-13")
        // Once for each engine: the scenarios of a file share one.
        #expect(file.lines.first.map { $0.line == 1 && $0.count == 1 } == true)
        #expect(file.lines.first { $0.line == 4 }?.count == 1)
        #expect(report.text.contains("76.4 % (13 of 17 lines)  missed: 6, 11-13"), "\(report.text)")
        let lcov = report.lcov(from: "/elsewhere")
        #expect(lcov.hasPrefix("TN:\nSF:\(file.path)\nDA:1,1\n"))
        #expect(lcov.hasSuffix("DA:20,1\nLF:17\nLH:13\nend_of_record\n"), "\(lcov)")
    }

    @Test func `code in isolates and threads counts too`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "cover-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let module = """
            local m = {}
            function m.double(x)
                if x > 100 then
                    error("too much")
                end
                return 2 * x
            end
            return m
            """
        try Data(module.utf8).write(to: folder.appendingPathComponent("module.lua"))
        let spec = """
            local m = require "module"
            it("isolates", function()
                local double = isolate(m.double)
                assert.same({ 2, 4, 6 }, await.all { double(1), double(2), double(3) })
            end)
            it("a thread", function()
                local thread = Thread.detach(isolate(m.double), 5)
                thread:join()
            end)
            """
        let path = folder.appendingPathComponent("module_spec.lua").path
        var suite = Suites.make([path: spec])
        suite.runner.coverage = CoverageCollector()
        #expect(await Suites.names(suite).summary.passed == 2)
        let file = try #require(suite.runner.coverage?.report(on: suite.files).files.first)
        #expect(file.lines.first { $0.line == 6 }?.count == 4)
        #expect(file.missed == "4")
    }

    @Test func `a suite without modules covers nothing`() async {
        var suite = Suites.make(["a_spec.lua": "it('a', function() end)"])
        suite.runner.coverage = CoverageCollector()
        #expect(await Suites.names(suite).summary.passed == 1)
        #expect(
            suite.runner.coverage?.report(on: suite.files).text == "coverage: no file under test was loaded\n"
        )
    }
}
