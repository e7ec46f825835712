internal import Glibc

/// Paths and patterns of a shell, as operations declare them.
package enum FilePattern {
    package static func isPattern(_ path: String) -> Bool { path.utf8.contains { "*?[".utf8.contains($0) } }

    /// The paths with each pattern replaced by the files that match it, in order; a path comes once.
    package static func expand(_ paths: [String]) -> [String] {
        guard paths.contains(where: isPattern) else { return paths }
        var seen: Set<String> = []
        var result: [String] = []
        for path in paths {
            for each in isPattern(path) ? files(path) : [path] where seen.insert(each).inserted {
                result.append(each)
            }
        }
        return result
    }

    /// Whether a path has the form of a pattern, be there such a file or not.
    package static func matches(_ path: String, _ pattern: String) -> Bool {
        fnmatch(pattern, path, FNM_PATHNAME | FNM_PERIOD) == 0
    }

    /// Whether a path may match both of two patterns.
    static func overlap(_ pattern: String, _ other: String) -> Bool {
        let folders = pattern.split(separator: "/", omittingEmptySubsequences: false)
        let others = other.split(separator: "/", omittingEmptySubsequences: false)
        return folders.count == others.count
            && zip(folders, others).allSatisfy {
                PatternPart.overlap(PatternPart.all(in: $0), PatternPart.all(in: $1))
            }
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The characters that have a meaning in patterns.
    static let wildcards: Set<Character> = ["*", "?", "[", "\\"]

    /// A path without `./` and doubled slashes. It keeps `x/..`, since `x` may be a link to a folder elsewhere.
    static func plain(_ path: String) -> String {
        if isPlain(path) { return path }
        let joined = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        return path.hasPrefix("/") ? "/" + joined : joined.isEmpty ? "." : joined
    }

    /// Whether no part of a path is empty or begins with a dot.
    private static func isPlain(_ path: String) -> Bool {
        var isAtStart = true
        var isFirst = true
        for byte in path.utf8 {
            if isAtStart, byte == UInt8(ascii: ".") || (byte == UInt8(ascii: "/") && !isFirst) {
                return false
            }
            isAtStart = byte == UInt8(ascii: "/")
            isFirst = false
        }
        return !isAtStart
    }

    /// The folders in which a new file may come to match a pattern, or that may come to hold such a folder.
    package static func folders(of pattern: String) -> [String] {
        var result: [String] = []
        var rest = pattern[...]
        while true {
            let slash = rest.lastIndex(of: "/")
            rest = slash.map { rest[..<$0] } ?? ""
            let folder = !rest.isEmpty ? String(rest) : slash == nil ? "." : "/"
            if isPattern(folder) {
                result += matches(folder)
            } else if exists(folder) {
                return result + [folder]
            }
        }
    }

    /// The files that match a pattern; if there are none, the file that has the pattern as its name.
    private static func files(_ pattern: String) -> [String] {
        let found = matches(pattern)
        return found.isEmpty && exists(pattern) ? [pattern] : found
    }

    private static func matches(_ pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, 0, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { place in
            found.gl_pathv[place].map { String(cString: $0) }
        }
    }
}

/// A part of a pattern of file names.
private enum PatternPart: Equatable {
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
