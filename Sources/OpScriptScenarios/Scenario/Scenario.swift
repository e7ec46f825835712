/// One `it` of a file.
package struct Scenario: Sendable, Hashable {
    /// The path of its file.
    package var file: String
    /// Its place among all scenarios of the file, from 1.
    package var index: Int
    /// The names of the groups that it is in, from the outermost, and its own.
    package var names: [String]
    /// Its path: the place of its outermost group in the file, of the next one in that, and so on, from 1.
    package var path: [Int] = []
    /// The line of its `it`: `job_spec.lua:12`.
    package var place: String?
    /// Whether it runs on the real clock.
    package var isReal: Bool
    /// Whether it is pending: it has no code.
    package var isPending: Bool

    /// The line of its `it`, with the whole path.
    package var position: SourcePosition? { place.flatMap { SourcePosition($0, in: file) } }

    /// Its line in ``file``.
    package var line: Int? { position?.line }

    /// All names in one line.
    package var name: String { names.joined(separator: " ") }

    /// Its tags: the words after a `#` in its names, each once, in order.
    package var tags: [String] {
        var tags: [String] = []
        for part in name.split(separator: "#", omittingEmptySubsequences: false).dropFirst() {
            let tag = String(part.prefix { $0.isLetter || $0.isNumber || "_-:.".contains($0) })
            if !tag.isEmpty, !tags.contains(tag) { tags.append(tag) }
        }
        return tags
    }
}
