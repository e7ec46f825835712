import Foundation
import SystemPackage

/// A Markdown page of the project: its links, its anchors and its words.
struct MarkdownPage {
    /// The path from the root of the project: `docs/manual/queues.md`.
    let path: String
    let text: String

    init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    /// Reads the page with a path from the root of the project.
    init(reading path: String) throws {
        let file = SourceTree.root.appending(FilePath(path).components).string
        self.init(path: path, text: try String(contentsOfFile: file, encoding: .utf8))
    }

    /// The README and all pages of the folder `docs`.
    static func forUsers() throws -> [MarkdownPage] {
        try [MarkdownPage(reading: "README.md")] + pages(below: "docs")
    }

    /// The pages in a folder and those below it, without hidden folders.
    static func pages(below folder: String) throws -> [MarkdownPage] {
        let root = SourceTree.root.appending(FilePath(folder).components).string
        return try FileManager.default.subpathsOfDirectory(atPath: root)
            .filter { $0.hasSuffix(".md") && !$0.split(separator: "/").contains { $0.hasPrefix(".") } }
            .sorted().map { try MarkdownPage(reading: "\(folder)/\($0)") }
    }

    /// The lines outside of blocks of code.
    var lines: [Substring] {
        var isCode = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            if line.hasPrefix("```") {
                isCode.toggle()
                return false
            }
            return !isCode
        }
    }

    /// How many words the page has outside of blocks of code, tables and comments.
    var wordCount: Int {
        lines.filter { !$0.hasPrefix("|") && !$0.hasPrefix("<!--") }
            .reduce(0) { $0 + $1.split(separator: " ").count }
    }

    /// Where links that end in `#…` can lead, as GitHub names the headings.
    var anchors: Set<String> {
        var anchors: Set<String> = []
        for line in lines {
            let level = line.prefix { $0 == "#" }.count
            guard level > 0, line.dropFirst(level).hasPrefix(" ") else { continue }
            let title = line.dropFirst(level + 1).lowercased()
            let name = title.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
                .replacing(" ", with: "-")
            // A second heading of the same name gets a number.
            var (own, count) = (name, 0)
            while anchors.contains(own) {
                count += 1
                own = "\(name)-\(count)"
            }
            anchors.insert(own)
        }
        return anchors
    }

    /// The links to files and headings of the project.
    var links: [String] {
        lines.joined(separator: "\n").matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
            .filter { !$0.contains(":") }
    }

    /// Why a link leads nowhere; nil if it leads somewhere.
    ///
    /// - Parameter anchors: The anchors of pages by path, which are found only once.
    func complaint(about link: String, anchors: inout [String: Set<String>]) -> String? {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init
        )
        var target = path
        if !parts[0].isEmpty {
            let folder = FilePath(path).removingLastComponent()
            target = folder.appending(FilePath(parts[0]).components).lexicallyNormalized().string
            let file = SourceTree.root.appending(FilePath(target).components).string
            guard FileManager.default.fileExists(atPath: file) else {
                return "\(path): '\(link)' leads to no file"
            }
        }
        guard parts.count > 1 else { return nil }
        if anchors[target] == nil {
            let page = target == path ? self : try? MarkdownPage(reading: target)
            anchors[target] = page?.anchors ?? []
        }
        if anchors[target]?.contains(parts[1]) == true { return nil }
        return "\(path): '\(link)' leads to no heading of \(target)"
    }
}
