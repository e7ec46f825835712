import Foundation
import Testing

/// The pages of the project: their links lead somewhere, and those of the manual can be read in one sitting.
@Suite struct ManualPageTests {
    @Test func `links between pages lead to files and headings that exist`() throws {
        var pages = try MarkdownPage.forUsers()
        for folder in ["Sources", "scripts"] { pages += try MarkdownPage.pages(below: folder) }
        pages += try ["CONTRIBUTING.md", "CHANGELOG.md"].map(MarkdownPage.init(reading:))
        var anchors: [String: Set<String>] = [:]
        for page in pages {
            for link in page.links { #expect(page.complaint(about: link, anchors: &anchors) == nil) }
        }
    }

    /// At most 2 000 words. Blocks of code and tables do not count: a reader looks things up in them.
    @Test func `a page of the manual can be read in one sitting`() throws {
        for page in try MarkdownPage.pages(below: "docs/manual") {
            #expect(page.wordCount <= 2000, "\(page.path) has \(page.wordCount) words: split it")
        }
    }

    @Test func `the index of the manual leads to each of its pages and fits on a screen`() throws {
        let index = try MarkdownPage(reading: "docs/manual/README.md")
        let links = Set(index.links)
        for page in try MarkdownPage.pages(below: "docs/manual") where page.path != index.path {
            let name = page.path.split(separator: "/").last.map(String.init) ?? ""
            #expect(links.contains(name), "the index does not lead to \(name)")
        }
        #expect(index.lines.count <= 60)
    }

    @Test func `the page about the command has each of its options`() async throws {
        let page = try MarkdownPage(reading: "docs/manual/command.md")
        let help = try await CommandRun.shell("\"$opscript\" --help")
        let options = help.text.matches(of: /\n  (-[a-z]|--[a-z-]+)(?:, (--[a-z-]+))?/)
            .flatMap { [$0.1, $0.2].compactMap(\.self) }
        #expect(options.count > 20)
        for option in options {
            #expect(page.text.contains("`\(option)`") || page.text.contains("`\(option) "), "\(option)")
        }
    }

    // MARK: The tests' tests

    @Test func `words, anchors and links are found`() {
        let page = MarkdownPage(
            path: "docs/a.md",
            text: """
                # A `name(x)` of two_words
                Four words [and](b.md#c) [three](#more) [here](https://example.org).
                <!-- a comment -->
                | a | table |
                ```lua
                # code [x](y.md)
                ```
                ## More
                ## More
                """
        )
        #expect(page.wordCount == 5 + 5 + 2 + 2)
        #expect(page.anchors == ["a-namex-of-two_words", "more", "more-1"])
        #expect(page.links == ["b.md#c", "#more"])
    }

    @Test func `a link that leads nowhere is found`() {
        let page = MarkdownPage(path: "docs/manual/a.md", text: "# Here")
        var anchors: [String: Set<String>] = [:]
        func complaint(_ link: String) -> String? { page.complaint(about: link, anchors: &anchors) }
        for link in ["#here", "../glossary.md", "../../README.md#try-it", "../decisions"] {
            #expect(complaint(link) == nil)
        }
        #expect(complaint("none.md") == "docs/manual/a.md: 'none.md' leads to no file")
        #expect(complaint("#there") == "docs/manual/a.md: '#there' leads to no heading of docs/manual/a.md")
        #expect(
            complaint("../glossary.md#none")
                == "docs/manual/a.md: '../glossary.md#none' leads to no heading of docs/glossary.md"
        )
    }
}
