internal import Scheduling

/// Which operations make and read which files, and so which of them has to wait for which.
struct FileUses: Sendable {
    private var names = FileNames()
    /// By the name of a file, the operation that makes it.
    private var makers: [String: OperationID] = [:]
    private var patternMakers: [(pattern: String, id: OperationID)] = []
    /// By the name of a folder in which files are read, at any depth, the operations that make it or one around it.
    private var folderMakers: [Substring: [OperationID]] = [:]
    /// By the name of a file, the operations that read it.
    private var readers: [String: [Reader]] = [:]
    private var patternReaders: [(pattern: String, reader: Reader)] = []

    private var depfiles: Set<String> = []

    private struct Reader {
        let id: OperationID
        /// Its input, as the script has written it; nil if that is a link to the file.
        let path: String?
    }

    // MARK: Outputs

    /// The names of an output: one, or for a pattern perhaps several patterns.
    private mutating func outputNames(_ path: String) -> [String] {
        let plain = FilePattern.plain(path)
        return FilePattern.isPattern(path) ? names.patterns(of: plain) : [names.name(of: plain)]
    }

    /// The other operations that make a file, or one that matches the same pattern, each with the name of its output.
    mutating func otherMakers(of path: String, than id: OperationID) -> [(name: String, id: OperationID)] {
        var others: [(name: String, id: OperationID)] = []
        for name in outputNames(path) {
            others += patternMakers.filter { $0.pattern == name || FilePattern.matches(name, $0.pattern) }
                .map { ($0.pattern, $0.id) }
            if FilePattern.isPattern(path) {
                others += makersOfFiles(matching: name)
            } else if let maker = makers[name] {
                others.append((name, maker))
            }
        }
        return others.filter { $0.id != id }
    }

    private func makersOfFiles(matching pattern: String) -> [(name: String, id: OperationID)] {
        makers.filter { FilePattern.matches($0.key, pattern) }.map { ($0.key, $0.value) }.sorted {
            $0.0 < $1.0
        }
    }

    /// An operation does not make a file any more.
    mutating func removeOutput(_ path: String, of id: OperationID) {
        for name in outputNames(path) where makers[name] == id {
            makers[name] = nil
            if folderMakers[name[...]] != nil { folderMakerChanged(name) { $0.removeAll { $0 == id } } }
        }
        patternMakers.removeAll { $0.id == id }
    }

    /// An operation makes a file, or those that match a pattern.
    ///
    /// - Returns: The operations that read some of them.
    mutating func addOutput(_ path: String, of id: OperationID) -> [OperationID] {
        var waiting: [OperationID] = []
        for name in outputNames(path) {
            if FilePattern.isPattern(path) {
                patternMakers.append((name, id))
                for (read, readers) in readers.sorted(by: { $0.key < $1.key })
                where FilePattern.matches(read, name) {
                    waiting += readers.map(\.id)
                }
                for each in patternReaders where FilePattern.overlap(name, each.pattern) {
                    waiting.append(each.reader.id)
                }
            } else {
                makers[name] = id
                waiting += readers[name]?.map(\.id) ?? []
                if folderMakers[name[...]] != nil {
                    folderMakerChanged(name) { $0.append(id) }
                    waiting += readersInside(name)
                }
                for each in patternReaders where FilePattern.matches(name, each.pattern) {
                    waiting.append(each.reader.id)
                }
            }
        }
        return waiting.filter { $0 != id }
    }

    /// The operations that read files in a folder, at any depth.
    private func readersInside(_ folder: String) -> [OperationID] {
        let beginning = folder + "/"
        let files = readers.filter { $0.key.hasPrefix(beginning) }.sorted { $0.key < $1.key }
        return files.flatMap { $0.value.map(\.id) }
            + patternReaders.filter { $0.pattern.hasPrefix(beginning) }.map(\.reader.id)
    }

    /// The operations that make the folders in which a file is, and which so may make the file itself.
    private mutating func makersOfFolders(around name: Substring) -> [OperationID] {
        guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")), slash > name.startIndex else {
            return []
        }
        let folder = name[..<slash]
        if let known = folderMakers[folder] { return known }
        let found = (makers[String(folder)].map { [$0] } ?? []) + makersOfFolders(around: folder)
        folderMakers[folder] = found
        return found
    }

    /// An operation makes a folder in which files are read, or no longer does.
    private mutating func folderMakerChanged(_ name: String, _ change: (inout [OperationID]) -> Void) {
        for folder in folderMakers.keys where folder == name || folder.hasPrefix(name + "/") {
            change(&folderMakers[folder, default: []])
        }
    }

    // MARK: Inputs

    /// The names of the files that are read with a path, and the patterns of names for a pattern.
    private mutating func inputNames(_ path: String) -> (files: [String], patterns: [String]) {
        let plain = FilePattern.plain(path)
        guard FilePattern.isPattern(path) else { return (names.namesRead(with: plain), []) }
        return (names.namesRead(withPattern: plain), names.patterns(of: plain))
    }

    /// An operation does not read files any more.
    mutating func removeInput(_ path: String, of id: OperationID) {
        let (files, patterns) = inputNames(path)
        for name in files { readers[name]?.removeAll { $0.id == id } }
        if !patterns.isEmpty { patternReaders.removeAll { $0.reader.id == id } }
    }

    /// An operation reads a file, or those that match a pattern.
    ///
    /// - Returns: The operations that make some of them, even if they have ended.
    mutating func addInput(_ path: String, of id: OperationID) -> [OperationID] {
        var sources: [OperationID] = []
        let (files, patterns) = inputNames(path)
        for (place, name) in files.enumerated() {
            let isWritten = place == 0 && patterns.isEmpty
            readers[name, default: []].append(Reader(id: id, path: isWritten ? FilePattern.plain(path) : nil))
            if let maker = makers[name] { sources.append(maker) }
            sources += makersOfFolders(around: name[...])
            for maker in patternMakers where FilePattern.matches(name, maker.pattern) {
                sources.append(maker.id)
            }
        }
        for (place, pattern) in patterns.enumerated() {
            let written = place == 0 ? FilePattern.plain(path) : nil
            patternReaders.append((pattern, Reader(id: id, path: written)))
            sources += makersOfFiles(matching: pattern).map(\.id) + makersOfFolders(around: pattern[...])
            sources += patternMakers.lazy.filter { FilePattern.overlap(pattern, $0.pattern) }.map(\.id)
        }
        return sources.filter { $0 != id }
    }

    // MARK: The files of a run

    /// Whether an operation makes a file.
    mutating func isMade(_ path: String) -> Bool {
        let name = names.name(of: FilePattern.plain(path))
        return makers[name] != nil || patternMakers.contains { FilePattern.matches(name, $0.pattern) }
    }

    /// The paths that are read.
    var inputs: Set<String> { Set(readers.values.lazy.joined().compactMap(\.path)) }
    /// The patterns of files that are read.
    var inputPatterns: Set<String> { Set(patternReaders.compactMap(\.reader.path)) }
    /// The names and patterns of files that are made, with dependency files.
    var outputs: Set<String> { Set(makers.keys).union(patternMakers.map(\.pattern)).union(depfiles) }

    /// A compiler writes a dependency file.
    mutating func addDepfile(_ path: String) { depfiles.insert(names.name(of: FilePattern.plain(path))) }
}
