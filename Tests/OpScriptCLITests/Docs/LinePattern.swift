/// Lines in which `…` matches anything: alone in a line any lines, inside a line for any characters.
enum LinePattern {
    static func match(_ lines: [String], _ patterns: [String]) -> Bool {
        matches(lines[...], patterns[...], isAny: { $0 == "…" }, isOne: matchesLine)
    }

    private static func matchesLine(_ line: String, _ pattern: String) -> Bool {
        let characters = Array(line)
        let patterns = Array(pattern)
        return matches(characters[...], patterns[...], isAny: { $0 == "…" }, isOne: { $0 == $1 })
    }

    /// `isAny` returns whether a pattern matches any number of elements, `isOne` whether a pattern matches
    /// one element.
    private static func matches<Element>(
        _ elements: ArraySlice<Element>,
        _ patterns: ArraySlice<Element>,
        isAny: (Element) -> Bool,
        isOne: (Element, Element) -> Bool
    ) -> Bool {
        guard let pattern = patterns.first else { return elements.isEmpty }
        let rest = patterns.dropFirst()
        if isAny(pattern) {
            for start in elements.startIndex...elements.endIndex
            where matches(elements[start...], rest, isAny: isAny, isOne: isOne) {
                return true
            }
            return false
        }
        guard let element = elements.first, isOne(element, pattern) else { return false }
        return matches(elements.dropFirst(), rest, isAny: isAny, isOne: isOne)
    }
}
