import Foundation
import SystemPackage
import Testing

/// What the pages for users show is what happens.
@Suite struct DocumentationTests {
    @Test(arguments: try examples()) func `an example does what its page says`(_ example: DocumentedExample)
        async throws
    {
        let complaints = try await example.complaints()
        #expect(complaints.isEmpty, "\(example.place): \(complaints.joined(separator: "\n"))")
    }

    @Test func `the manual has examples`() throws {
        #expect(try Self.examples().count { $0.place.hasPrefix("docs/scripting.md") } > 35)
    }

    @Test func `links between pages lead somewhere`() throws {
        for page in try Self.pages() {
            let text = try Self.text(of: page)
            let folder = FilePath(page).removingLastComponent()
            for match in text.matches(of: #/\]\(([^)#:\s]+)(#[^)]*)?\)/#) {
                let target = SourceTree.root.appending(folder.components).pushing(FilePath(String(match.1)))
                #expect(
                    FileManager.default.fileExists(atPath: target.string),
                    "\(page) leads to \(match.1), which is not there"
                )
            }
        }
    }

    // MARK: The tests test

    @Test func `scripts, files and transcripts are told apart`() throws {
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

    @Test func `an example that does something else is found out`() async throws {
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

    @Test func `three dots stand for anything`() {
        #expect(LinePattern.match(["after 0.1 s: x"], ["after … s: x"]))
        #expect(!LinePattern.match(["after 0.1 s: y"], ["after … s: x"]))
        #expect(LinePattern.match(["a", "b", "c"], ["a", "…"]))
        #expect(LinePattern.match(["a"], ["a", "…"]))
        #expect(!LinePattern.match(["b"], ["a", "…"]))
    }

    // MARK: The pages

    /// The README and all pages of the folder `docs`.
    private static func pages() throws -> [String] {
        let folder = SourceTree.root.appending("docs").string
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return ["README.md"] + names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
    }

    private static func text(of page: String) throws -> String {
        try String(contentsOfFile: SourceTree.root.appending(page).string, encoding: .utf8)
    }

    private static func examples() throws -> [DocumentedExample] {
        try pages().flatMap { try DocumentedExample.all(in: text(of: $0), of: $0) }
    }
}
