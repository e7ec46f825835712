import Foundation
import SystemPackage
import Testing

/// The examples on the pages for users behave as shown.
@Suite struct DocumentationTests {
    @Test(arguments: try examples()) func `an example behaves as its page shows`(_ example: DocumentedExample)
        async throws
    {
        let complaints = try await example.complaints()
        #expect(complaints.isEmpty, "\(example.place): \(complaints.joined(separator: "\n"))")
    }

    /// One step after the other, in one folder, which is empty at first.
    @Test func `the tutorial of the manual works when it is followed`() async throws {
        let page = try MarkdownPage(reading: Self.tutorial)
        let scratch = try Scratch()
        let steps = try DocumentedExample.all(in: page.text, of: page.path)
        for step in steps {
            let complaints = try await step.complaints(in: scratch)
            #expect(complaints.isEmpty, "\(step.place): \(complaints.joined(separator: "\n"))")
        }
        #expect(steps.count > 5)
    }

    @Test func `the cookbook has at least twenty recipes, and each of them is run`() throws {
        let pages = try ["cookbook.md", "cookbook-events.md"].map {
            try MarkdownPage(reading: "docs/manual/\($0)")
        }
        let recipes = pages.flatMap(\.lines).count { $0.hasPrefix("## ") }
        let examples = try pages.flatMap { try DocumentedExample.all(in: $0.text, of: $0.path) }
        #expect(recipes >= 20)
        #expect(examples.count == recipes)
        for example in examples {
            #expect(example.commands.allSatisfy { $0.output != nil }, "\(example.place) shows no output")
        }
    }

    @Test func `the manual has examples`() throws {
        #expect(try Self.examples().count { $0.place.hasPrefix("docs/manual/") } > 80)
    }

    // MARK: The tests test

    @Test func `scripts, files and transcripts are distinguished`() throws {
        let page = """
            <!-- test: file lib/a.lua -->
            ```lua
            return 1
            ```
            Words.
            <!-- test: status 3 -->
            ```lua
            -- x.lua
            print(1)
            ```
            ```text
            1
            ```
            Words.
            ```text
            not what it prints
            ```
            ```
            $ opscript -e 'print(2)'
            2
            ```
            <!-- test: skip, because it never ends -->
            ```lua
            while true do end
            ```
            """
        let examples = try DocumentedExample.all(in: page, of: "p")
        #expect(examples.map(\.place) == ["p:7", "p:18"])
        #expect(examples[0].files.map(\.name) == ["lib/a.lua", "x.lua"])
        #expect(examples[0].status == 3)
        #expect(examples[0].commands == [.init(line: "opscript x.lua", output: ["1"])])
        #expect(examples[1].commands == [.init(line: "opscript -e 'print(2)'", output: ["2"])])
        #expect(throws: DocumentedExample.Malformed.self) {
            try DocumentedExample.all(in: "<!-- test: skip -->\n```lua\n```", of: "p")
        }
    }

    @Test func `an example that behaves differently is detected`() async throws {
        func complaints(_ code: String, _ output: String, note: String = "status 0") async throws -> Int {
            let page = "<!-- test: \(note) -->\n```lua\n\(code)\n```\n```text\n\(output)\n```"
            return try await DocumentedExample.all(in: page, of: "p")[0].complaints().count
        }
        #expect(try await complaints("print(1)", "1") == 0)
        #expect(try await complaints("print(1)", "2") == 1)
        #expect(try await complaints("print(1) print(2)", "1") == 1)
        #expect(try await complaints("print(1)", "1", note: "status 1") == 1)
        #expect(try await complaints("io.stderr:write('x')", "…", note: "status 0") == 0)
        #expect(try await complaints("os.exit(3)", "x") == 2)
    }

    @Test func `three dots match anything`() {
        #expect(LinePattern.match(["after 0.1 s: x"], ["after … s: x"]))
        #expect(!LinePattern.match(["after 0.1 s: y"], ["after … s: x"]))
        #expect(LinePattern.match(["a", "b", "c"], ["a", "…"]))
        #expect(LinePattern.match(["a"], ["a", "…"]))
        #expect(!LinePattern.match(["b"], ["a", "…"]))
    }

    // MARK: The pages

    private static let tutorial = "docs/manual/tutorial.md"

    /// The examples that run in a folder of their own: all but those of the tutorial, and those that need a cluster,
    /// which ``SlurmTests`` runs.
    private static func examples() throws -> [DocumentedExample] {
        try MarkdownPage.forUsers().filter { $0.path != tutorial && $0.path != SlurmCluster.page }
            .flatMap { try DocumentedExample.all(in: $0.text, of: $0.path) }
            .filter(isPossible)
    }

    /// Whether this build has the package traits that an example needs.
    private static func isPossible(_ example: DocumentedExample) -> Bool {
        #if !HTTP
        if example.files.contains(where: {
            $0.text.contains("work.http.") && !$0.text.contains("simulate")
        }) {
            return false
        }
        #endif
        #if !Dashboard
        if example.commands.contains(where: { $0.line.contains("--dashboard") }) { return false }
        #endif
        return true
    }
}
