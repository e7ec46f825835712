internal import Glibc

/// Finds files of scenarios.
package enum ScenarioFinder {
    /// The reason why there is nothing to run.
    package struct Unusable: Error, Equatable {
        /// One sentence that names the path.
        package var message: String

        /// Creates an error from its sentence.
        package init(message: String) { self.message = message }
    }

    /// The patterns of the names of files of scenarios.
    package static let endings = ["_scenario.lua", "_spec.lua"]

    /// The selection of files in folders.
    package struct Choice: Sendable, Equatable {
        /// Lua patterns of which a name must match one. If there are none, the usual patterns count.
        package var patterns: [String] = []
        /// Lua patterns that their names must not match.
        package var excludedPatterns: [String] = []
        /// Whether folders are searched at any depth.
        package var isRecursive = true

        /// The usual names, at any depth.
        package init() {}
    }

    /// The files at some paths: paths that are files, under any name, and in folders, at any depth, the files
    /// whose names match.
    ///
    /// They are in the order of the paths, inside a folder by path, each once. Folders whose names begin with
    /// a dot are left out.
    package static func find(_ paths: [String], _ choice: Choice = Choice()) throws(Unusable)
        -> [ScenarioFile]
    {
        var found: [String] = []
        var seen: Set<String> = []
        for path in paths {
            guard let kind = kind(path) else { throw Unusable(message: unusable(path, errno)) }
            let inside = kind == .folder ? try chosen(of: files(in: path, choice), choice) : [path]
            for file in inside where seen.insert(file).inserted { found.append(file) }
        }
        var files: [ScenarioFile] = []
        for path in found { files.append(ScenarioFile(path: path, source: try read(path))) }
        return files
    }

    private static func chosen(of files: [String], _ choice: Choice) throws(Unusable) -> [String] {
        guard !choice.patterns.isEmpty || !choice.excludedPatterns.isEmpty else { return files }
        func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
        do {
            let names = files.map(name)
            let wanted = choice.patterns.isEmpty ? nil : try ProjectFile.matching(names, choice.patterns)
            let unwanted = try ProjectFile.matching(names, choice.excludedPatterns)
            return files.filter { wanted?.contains(name($0)) ?? true && !unwanted.contains(name($0)) }
        } catch {
            throw Unusable(message: error.message)
        }
    }

    /// The folder in which relative paths begin.
    package static var currentFolder: String? {
        guard let path = getcwd(nil, 0) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    /// The text of a file; nil if it cannot be read.
    static func text(_ path: String) -> [UInt8]? { try? read(path) }

    private enum Kind { case file, folder }

    private static func kind(_ path: String) -> Kind? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return status.st_mode & S_IFMT == S_IFDIR ? .folder : .file
    }

    private static func files(in folder: String, _ choice: Choice) -> [String] {
        let prefix = folder == "." ? "" : folder.hasSuffix("/") ? folder : folder + "/"
        var result: [String] = []
        for name in names(in: folder) where !name.hasPrefix(".") {
            let path = prefix + name
            let fits =
                choice.patterns.isEmpty
                ? name.hasSuffix("_scenario.lua") || name.hasSuffix(".lua") && name.contains("_spec")
                : name.hasSuffix(".lua")
            if fits {
                if kind(path) == .file { result.append(path) }
            } else if choice.isRecursive, !isLink(path), kind(path) == .folder {
                result += files(in: path, choice)
            }
        }
        return result.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Links to folders could form a cycle.
    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee))
                    {
                        String(cString: $0)
                    }
                }
            )
        }
        return names
    }

    private static func read(_ path: String) throws(Unusable) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Unusable(message: unusable(path, errno)) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count > 0 {
                bytes += buffer[..<count]
            } else if errno != EINTR {
                throw Unusable(message: unusable(path, errno))
            }
        }
    }

    private static func unusable(_ path: String, _ code: Int32) -> String {
        "cannot read '\(path)': \(String(cString: strerror(code)).lowercased())"
    }
}
