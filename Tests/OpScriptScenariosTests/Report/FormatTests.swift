import Foundation
import FoundationXML
import OpScript
import OpScriptScenarios
import Testing

/// The formats for tools, with everything that has to be escaped in them.
@Suite struct FormatTests {
    private static let text = #"""
        describe("a <b> & \"c\"", function()
            it("passes # 1 \\", function() print("said ]]> \27[1m") io.write("more\0") end)
            it("fails", function() assert.equals("x\ny", "<z>") end)
            it("raises\nlines", function() error("boom & <bang>") end)
            it("leaks", function() q = OperationQueue { name = "q", isSuspended = true } end)
            pending("later")
        end)
        error("outside")
        """#

    private func report(_ reporter: some ScenarioReporter, _ output: Output) async -> String {
        var reporter = reporter
        _ = await Suites.make(["job_spec.lua": Self.text]).run(&reporter)
        return output.text
    }

    @Test func `TAP has a line for each, and output only in comments`() async {
        let output = Output()
        let text = await report(TAPReporter { output.append($0) }, output)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.first == "TAP version 14")
        #expect(lines.last == "1..6")
        let points = [
            "not ok 1 - job_spec.lua: outside of scenarios", ##"ok 2 - a <b> & "c" passes \# 1 \\"##,
            #"not ok 3 - a <b> & "c" fails"#, #"not ok 4 - a <b> & "c" raises lines"#,
            #"not ok 5 - a <b> & "c" leaks"#, #"ok 6 - a <b> & "c" later # SKIP pending"#,
        ]
        #expect(lines.filter { $0.hasPrefix("ok") || $0.hasPrefix("not ok") } == points)
        #expect(lines.contains("# said ]]> \u{1B}[1m"))
        let expected = #"  expected: "\"x\\ny\"""#
        #expect(lines.contains(expected))
        #expect(lines.contains("    line: 3"))
        let known = ["#", "ok", "not ok", "  ", "TAP version", "1.."]
        #expect(lines.allSatisfy { line in known.contains { line.hasPrefix($0) } })
    }

    @Test func `JUnit is XML with a case for each`() async throws {
        let output = Output()
        let text = await report(JUnitReporter { output.append($0) }, output)
        let found = Elements()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = found
        #expect(parser.parse(), "\(String(describing: parser.parserError)): \(text)")
        let suites = try #require(found.elements.first { $0.name == "testsuites" })
        #expect(suites.attributes["tests"] == "6")
        #expect(suites.attributes["failures"] == "2")
        #expect(suites.attributes["errors"] == "2")
        #expect(suites.attributes["skipped"] == "1")
        let cases = found.elements.filter { $0.name == "testcase" }
        #expect(
            cases.map { $0.attributes["name"] } == [
                "outside of scenarios", "passes # 1 \\", "fails", "raises\nlines", "leaks", "later",
            ]
        )
        #expect(cases.map { $0.attributes["line"] } == ["8", "2", "3", "4", "5", "6"])
        #expect(cases.last?.attributes["classname"] == #"job_spec.lua a <b> & "c""#)
        let failures = found.elements.filter { $0.name == "failure" }
        #expect(failures.map { $0.attributes["type"] } == ["failure", "leak"])
        #expect(failures.first?.text.contains(#"actual:   "<z>""#) == true)
        #expect(
            found.elements.first { $0.name == "system-out" }?.text == "said ]]> \u{FFFD}[1m\nmore\u{FFFD}"
        )
    }

    @Test func `JSON is an object a line`() async throws {
        let output = Output()
        let text = await report(JSONReporter { output.append($0) }, output)
        let objects = try text.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(
            objects.map { $0["event"] as? String }
                == ["file", "problem", "scenario", "scenario", "scenario", "scenario", "scenario", "summary"]
        )
        let scenarios = objects.filter { $0["event"] as? String == "scenario" }
        #expect(
            scenarios.map { $0["status"] as? String } == ["passed", "failed", "failed", "failed", "pending"]
        )
        #expect(scenarios[0]["output"] as? String == "said ]]> \u{1B}[1m\nmore\0")
        #expect(scenarios[0]["seed"] as? String == "0")
        #expect(scenarios[2]["name"] as? String == "a <b> & \"c\" raises\nlines")
        let problem = try #require((scenarios[1]["problems"] as? [[String: Any]])?.first)
        #expect(problem["expected"] as? String == #""x\ny""#)
        #expect(problem["at_line"] as? Int == 3)
        #expect((scenarios[3]["leaks"] as? [[String: Any]])?.first?["kind"] as? String == "queue")
        #expect(objects.last?["failed"] as? Int == 3)
    }

    @Test func `a failing interleaving is reported in each format, with its command`() async throws {
        let text = """
            it("a race", function()
                local text
                async(function() sleep(1) text = "news" end)
                await(async(function() sleep(1) assert.truthy(text) end))
            end)
            it("no race", function() end)
            """
        var suite = Suites.make(["my job_spec.lua": text])
        suite.runner.seed = 7
        suite.runner.exploration = ExplorationPlan(.dfs, seed: 7)
        suite.runner.replayOptions = ["--max-steps", "500"]
        let replay = "--seed 7 --replay 1@1:1/2 --max-steps 500 'my job_spec.lua'"
        func told(_ make: (Output) -> any ScenarioReporter) async -> String {
            let output = Output()
            var reporter = make(output)
            _ = await suite.run(&reporter)
            return output.text
        }
        let tap = await told { output in TAPReporter { output.append($0) } }
        for line in [
            #"  seed: "7""#, #"  schedule: "1:1/2""#, #"  replay: "\#(replay)""#, "  interleaving: 4",
            "  interleavings: 1",
        ] { #expect(tap.split(separator: "\n").contains { $0 == line }, "\(line)") }
        let json = await told { output in JSONReporter { output.append($0) } }
        let objects = try json.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }.filter { $0["event"] as? String == "scenario" }
        #expect(objects[0]["seed"] as? String == "7" && objects[0]["schedule"] as? String == "1:1/2")
        #expect(objects[0]["replay"] as? String == replay && objects[0]["interleaving"] as? Int == 4)
        #expect(objects[1]["interleavings"] as? Int == 1 && objects[1]["schedule"] == nil)
        let junit = await told { output in JUnitReporter { output.append($0) } }
        let found = Elements()
        let parser = XMLParser(data: Data(junit.utf8))
        parser.delegate = found
        #expect(parser.parse(), "\(String(describing: parser.parserError)): \(junit)")
        let properties = found.elements.filter { $0.name == "property" }.map {
            "\($0.attributes["name"] ?? "")=\($0.attributes["value"] ?? "")"
        }
        let expected = ["seed=7", "interleavings=4", "schedule=1:1/2", "replay=\(replay)", "interleavings=1"]
        #expect(properties == expected)
        #expect(found.elements.first { $0.name == "failure" }?.text.contains(replay) == true)
        let readable = await told { output in ReadableReporter(isColoured: false) { output.append($0) } }
        #expect(readable.contains(": \(replay)\n"))
    }

    /// The elements of a document, flat.
    private final class Elements: NSObject, XMLParserDelegate {
        struct Element { var name: String, attributes: [String: String], text = "" }

        var elements: [Element] = []
        private var open: [Int] = []

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            open.append(elements.count)
            elements.append(Element(name: name, attributes: attributes))
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) {
            if let place = open.last { elements[place].text += text }
        }

        func parser(
            _ parser: XMLParser,
            didEndElement name: String,
            namespaceURI: String?,
            qualifiedName: String?
        ) {
            open.removeLast()
        }
    }
}
