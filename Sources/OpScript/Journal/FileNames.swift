internal import Glibc

/// The names of files: all spellings of a file have one name, by which the operations that make it and those that read
/// it find each other.
///
/// A name leads through no link to a folder. It is relative to the present folder if the file is inside, and otherwise
/// absolute. A link to a file has a name of its own; an operation that reads it reads its target, too. Hard links, and
/// folders that are mounted twice, are not recognised. Folders are looked at once.
struct FileNames {
    /// The true path of the present folder.
    private let presentFolder: String?
    /// By the text before the last slash of a path, the folders that exist.
    private var folders: [Substring: Folder] = [:]

    private struct Folder {
        /// The beginning of its files' names, up to the slash; nil for the text itself.
        let beginning: String?
        /// By name, where its links lead; nil if it was not read.
        var links: [String: String]?
    }

    init() {
        presentFolder = Self.truePath(".")
    }

    // MARK: Paths

    /// The name of a file.
    ///
    /// - Parameter path: A plain path; the file need not exist.
    mutating func name(of path: String) -> String {
        let (folder, last) = Self.split(path)
        if last == "." || last == ".." || last.isEmpty {
            if let path = Self.truePath(path) { return inside(path) ?? path }
            // As long as there is no such folder, it can be no link.
            let above = Self.split(String(folder)).folder
            return last == ".." ? beginning(of: above) ?? Self.path(of: above) : path
        }
        guard let beginning = beginning(of: folder) else { return path }
        if beginning.isEmpty { return String(last) }
        let name = beginning == "/" ? "/\(last)" : "\(beginning)/\(last)"
        return name == presentFolder ? "." : name
    }

    /// The names of the files that are read with a file: its own, and those to which links lead.
    mutating func namesRead(with path: String) -> [String] {
        var names = [name(of: path)]
        while names.count < 40, let target = target(of: names[names.count - 1]), !names.contains(target) {
            names.append(target)
        }
        return names
    }

    /// The beginning of the names of the files in a folder; nil if that is how the folder is written.
    private mutating func beginning(of folder: Substring) -> String? {
        if let known = folders[folder] { return known.beginning }
        guard let path = Self.truePath(Self.path(of: folder)) else {
            // It may come to exist, so this is not kept.
            let name = folder.isEmpty ? "." : name(of: String(folder))
            return name == folder ? nil : name == "." ? "" : name
        }
        let name = path == presentFolder ? "" : inside(path) ?? path
        let beginning = name == folder ? nil : name
        folders[folder] = Folder(beginning: beginning)
        return beginning
    }

    /// A true path as it is written from the present folder; nil if it is not inside.
    private func inside(_ path: String) -> String? {
        guard let presentFolder else { return nil }
        if path == presentFolder { return "." }
        let beginning = presentFolder == "/" ? presentFolder : presentFolder + "/"
        return path.hasPrefix(beginning) ? String(path.dropFirst(beginning.count)) : nil
    }

    private static func split(_ path: String) -> (folder: Substring, last: Substring) {
        guard let slash = path.lastIndex(of: "/") else { return ("", path[...]) }
        return (folder(of: path, slash), path[path.index(after: slash)...])
    }

    /// The text before a slash; the root is the only folder that ends with one.
    private static func folder(of path: String, _ slash: String.Index) -> Substring {
        slash == path.startIndex ? path[...slash] : path[..<slash]
    }

    private static func path(of folder: Substring) -> String { folder.isEmpty ? "." : String(folder) }

    /// A path without links, `.` and `..`; nil if there is no such file.
    private static func truePath(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    // MARK: Links

    /// The name of the file to which a link leads; nil for another file.
    private mutating func target(of name: String) -> String? {
        let (folder, last) = Self.split(name)
        let links = links(of: folder)
        guard !links.isEmpty, let target = links[String(last)] else { return nil }
        let path = target.hasPrefix("/") ? target : "\(Self.path(of: folder))/\(target)"
        return self.name(of: FilePattern.plain(path))
    }

    private mutating func links(of folder: Substring) -> [String: String] {
        if let known = folders[folder]?.links { return known }
        let found = Self.readLinks(Self.path(of: folder))
        _ = beginning(of: folder)
        folders[folder]?.links = found
        return found
    }

    private static func readLinks(_ folder: String) -> [String: String] {
        guard let stream = opendir(folder) else { return [:] }
        defer { closedir(stream) }
        var links: [String: String] = [:]
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        while let entry = readdir(stream) {
            // Some file systems do not say what a file is.
            let kind = Int(entry.pointee.d_type)
            guard kind == DT_LNK || kind == DT_UNKNOWN else { continue }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            let length = readlink("\(folder)/\(name)", &buffer, buffer.count)
            if length > 0 { links[name] = String(decoding: buffer[..<length], as: UTF8.self) }
        }
        return links
    }

    // MARK: Patterns

    /// Patterns that match the names of all files that a pattern matches; the first one has all that no link leads to.
    ///
    /// - Parameter pattern: A plain pattern.
    mutating func patterns(of pattern: String) -> [String] {
        let (fixed, rest) = Self.fixedPart(of: pattern)
        var result = [joined(fixed, rest)]
        guard let slash = rest.lastIndex(of: "/") else { return result }
        // Folders that it matches may be links.
        let last = rest[rest.index(after: slash)...]
        let others = joined(fixed, rest[..<slash])
        for folder in FilePattern.expand([String(pattern.dropLast(last.utf8.count + 1))]) {
            guard let beginning = beginning(of: folder[...]), !FilePattern.matches(beginning, others) else {
                continue
            }
            let other = joined(folder[...], last)
            if !result.contains(other) { result.append(other) }
        }
        return result
    }

    /// The names of the files to which links lead that a pattern matches.
    mutating func namesRead(withPattern pattern: String) -> [String] {
        var names: [String] = []
        let (folders, last) = Self.split(pattern)
        for folder in folders.isEmpty ? [""] : FilePattern.expand([String(folders)]) {
            for link in links(of: folder[...]).keys.sorted()
            where FilePattern.matches(link, String(last)) {
                names += namesRead(with: folder.isEmpty ? link : "\(folder)/\(link)").dropFirst()
            }
        }
        return names
    }

    /// A pattern in a folder, with the name of that.
    private mutating func joined(_ folder: Substring, _ pattern: Substring) -> String {
        let beginning = beginning(of: folder) ?? String(folder)
        if beginning.isEmpty { return String(pattern) }
        // The folder itself is no pattern, whatever its name is.
        var result = ""
        for character in beginning {
            if FilePattern.wildcards.contains(character) { result.append("\\") }
            result.append(character)
        }
        return result == "/" ? "/\(pattern)" : "\(result)/\(pattern)"
    }

    /// The folders before the first wildcard, and the rest.
    private static func fixedPart(of pattern: String) -> (fixed: Substring, rest: Substring) {
        guard let first = pattern.firstIndex(where: { FilePattern.wildcards.contains($0) }),
            let slash = pattern[..<first].lastIndex(of: "/")
        else { return ("", pattern[...]) }
        return (folder(of: pattern, slash), pattern[pattern.index(after: slash)...])
    }
}
