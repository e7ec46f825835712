import Foundation
import SystemPackage
import Testing

/// Pages that are read from the beginning to the end are short enough for that.
@Suite struct PageLengthTests {
    /// Words outside of code; those of tables count if `withTables` is true.
    static func words(of page: String, withTables: Bool) -> Int {
        var isCode = false
        return page.split(separator: "\n").reduce(0) { count, line in
            if line.hasPrefix("```") { isCode.toggle() }
            if isCode || line.hasPrefix("```") || line.hasPrefix("    ") { return count }
            if line.hasPrefix("|") && !withTables { return count }
            return count + line.split(whereSeparator: \.isWhitespace).count { $0 != "|" }
        }
    }

    private static func words(in page: String, withTables: Bool = true) throws -> Int {
        let path = SourceTree.root.appending(page).string
        return words(of: try String(contentsOfFile: path, encoding: .utf8), withTables: withTables)
    }

    @Test func `the page of performance has at most 1500 words`() throws {
        #expect(try Self.words(in: "docs/performance.md", withTables: false) <= 1500)
    }

    @Test func `a page for people who come from another tool has at most 1000 words`() throws {
        let folder = SourceTree.root.appending("docs/coming-from").string
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }
        #expect(names.count == 8)
        for name in names {
            let count = try Self.words(in: "docs/coming-from/\(name)")
            #expect(count <= 1000, "\(name) has \(count) words")
        }
    }

    @Test func `other pages have at most 2000 words`() throws {
        // The generated page is looked up, not read through; the glossary is a list.
        let others: Set = ["contract.md", "glossary.md"]
        let folder = SourceTree.root.appending("docs").string
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.hasSuffix(".md") && !others.contains($0)
        }
        #expect(names.count > 12)
        for name in names {
            let count = try Self.words(in: "docs/\(name)")
            #expect(count <= 2000, "\(name) has \(count) words")
        }
    }

    @Test func `words are counted outside of code`() {
        let page = "# Two words\n\none\n```lua\nnot counted\n```\n| a | b |\n    make x\n"
        #expect(Self.words(of: page, withTables: true) == 6)
        #expect(Self.words(of: page, withTables: false) == 4)
    }
}
