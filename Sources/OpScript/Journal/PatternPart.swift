internal import Glibc

/// A part of a pattern of file names.
enum PatternPart: Equatable {
    /// `*`.
    case any
    /// Matches one character: a pattern itself.
    case one(String)

    /// The parts of a pattern without slashes.
    static func all(in pattern: Substring) -> [PatternPart] {
        var parts: [PatternPart] = []
        var rest = pattern
        while let first = rest.first {
            var length = 1
            if first == "*" {
                parts.append(.any)
            } else {
                if first == "\\", rest.count > 1 { length = 2 }
                if first == "[" { length = classLength(rest) }
                parts.append(.one(String(rest.prefix(length))))
            }
            rest = rest.dropFirst(length)
        }
        return parts
    }

    /// The length of a list of characters in brackets; 1 if the bracket is not closed, and means itself.
    private static func classLength(_ pattern: Substring) -> Int {
        let characters = Array(pattern)
        var place = 1
        if place < characters.count, "!^".contains(characters[place]) { place += 1 }
        // A closing bracket that comes first is one of the characters.
        place += 1
        while place < characters.count, characters[place] != "]" {
            place += characters[place] == "\\" ? 2 : 1
        }
        return place < characters.count ? place + 1 : 1
    }

    /// Whether a name may match both of two patterns.
    static func overlap(_ parts: [PatternPart], _ others: [PatternPart]) -> Bool {
        // A wildcard matches no dot at the beginning.
        let isHidden = parts.first == .one("."), isOtherHidden = others.first == .one(".")
        if isHidden != isOtherHidden, let first = isHidden ? others.first : parts.first, first.isWild {
            return false
        }
        // For each number of parts, the numbers of others that match the same names.
        var row = [Bool](repeating: false, count: others.count + 1)
        for count in 0...parts.count {
            var next = [Bool](repeating: false, count: others.count + 1)
            for otherCount in 0...others.count {
                let part = count > 0 ? parts[count - 1] : nil
                let other = otherCount > 0 ? others[otherCount - 1] : nil
                if part == nil, other == nil {
                    next[0] = true
                } else if part == .any {
                    next[otherCount] = row[otherCount] || otherCount > 0 && next[otherCount - 1]
                } else if other == .any {
                    next[otherCount] = next[otherCount - 1] || count > 0 && row[otherCount]
                } else if let part, let other {
                    next[otherCount] = row[otherCount - 1] && part.meets(other)
                }
            }
            row = next
        }
        return row[others.count]
    }

    private var isWild: Bool {
        guard case .one(let text) = self else { return true }
        return text == "?" || text.count > 1 && text.hasPrefix("[")
    }

    /// Whether one character matches two parts that each match one.
    private func meets(_ other: PatternPart) -> Bool {
        guard case .one(let pattern) = self, case .one(let otherPattern) = other else { return true }
        if pattern == otherPattern || pattern == "?" || otherPattern == "?" { return true }
        return Self.examples(pattern, otherPattern).contains {
            fnmatch(pattern, $0, 0) == 0 && fnmatch(otherPattern, $0, 0) == 0
        }
    }

    /// Characters of which some match both of two patterns, if any do.
    private static func examples(_ pattern: String, _ other: String) -> [String] {
        (1..<128).map { String(UnicodeScalar(UInt8($0))) } + (pattern + other).map { String($0) }
    }
}
