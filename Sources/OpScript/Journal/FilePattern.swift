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
