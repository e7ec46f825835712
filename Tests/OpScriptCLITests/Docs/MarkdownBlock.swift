/// A fenced block of a Markdown file.
struct MarkdownBlock {
    /// The text after the opening fence.
    var language: String
    /// The line of the opening fence, from 1.
    var line: Int
    var lines: [String] = []
    /// The comment above the block: the text after `test:`.
    var note: String?
    /// Whether there is text between this block and the one before.
    var isSeparated = true

    var text: String { lines.map { "\($0)\n" }.joined() }

    /// The name in a first line as `-- job.lua`.
    var firstCommentedName: String? {
        guard let first = lines.first, first.hasPrefix("-- "), first.hasSuffix(".lua") else { return nil }
        let name = first.dropFirst(3)
        return name.contains(" ") ? nil : String(name)
    }

    /// All blocks of a page, in order.
    static func all(in text: String) -> [MarkdownBlock] {
        var blocks: [MarkdownBlock] = []
        var open: MarkdownBlock?
        var note: String?
        var isSeparated = true
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if open != nil {
                if line == "```" {
                    open.map { blocks.append($0) }
                    open = nil
                    isSeparated = false
                } else {
                    open?.lines.append(String(line))
                }
            } else if line.hasPrefix("```") {
                open = MarkdownBlock(
                    language: String(line.dropFirst(3)),
                    line: index + 1,
                    note: note,
                    isSeparated: isSeparated
                )
                note = nil
            } else if line.hasPrefix("<!-- test: "), line.hasSuffix(" -->") {
                note = String(line.dropFirst(11).dropLast(4))
            } else if !line.allSatisfy(\.isWhitespace) {
                note = nil
                isSeparated = true
            }
        }
        return blocks
    }
}

/// The options in the comment above a block: `status 1`, `file names.lua`, `skip, because …`.
struct BlockNote {
    var status: Int32 = 0
    /// The block is this file, for the script below it.
    var file: String?
    var skips = false

    init(_ text: String?, at place: String) throws(DocumentedExample.Malformed) {
        guard let text else { return }
        let words = text.split(separator: " ")
        switch words.first {
        case "status" where words.count == 2 && Int32(words[1]) != nil: status = Int32(words[1]) ?? 0
        case "file" where words.count == 2: file = String(words[1])
        case "skip," where words.count > 2 && words[1] == "because": skips = true
        default: throw DocumentedExample.Malformed(place: place, what: text)
        }
    }
}
