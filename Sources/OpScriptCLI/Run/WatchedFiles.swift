internal import OpScript
internal import OpScriptScenarios

/// The files of a run whose changes make it run again.
struct WatchedFiles {
    /// The script, its modules, declared inputs, and files that dependency files named.
    private(set) var paths: Set<String> = []
    /// The patterns among the declared inputs: files may come to match them.
    private var patterns: Set<String> = []
    /// The files and patterns that the run makes itself. A change of them counts after the run.
    private var outputs: Set<String> = []

    init() {}

    init(_ report: ScriptReport) {
        paths = Set(report.modules)
        guard let journal = report.journal else { return }
        paths.formUnion(journal.inputs)
        patterns = Set(journal.inputPatterns)
        outputs = Set(journal.outputs)
    }

    /// The same with a file more.
    func adding(_ path: String) -> WatchedFiles {
        var all = self
        all.paths.insert(path)
        return all
    }

    func union(_ others: WatchedFiles) -> WatchedFiles {
        var all = self
        all.paths.formUnion(others.paths)
        all.patterns.formUnion(others.patterns)
        all.outputs.formUnion(others.outputs)
        return all
    }

    /// The files as they are; those that do not exist are left out.
    var stamps: [String: FileStamp] {
        var stamps: [String: FileStamp] = [:]
        for path in files + FilePattern.expand(patterns.union(outputs).filter(FilePattern.isPattern).sorted())
        {
            stamps[path] = FileStamp(path)
        }
        return stamps
    }

    /// All paths that are no patterns.
    var files: [String] { paths.union(outputs.filter { !FilePattern.isPattern($0) }).sorted() }

    /// The folders in which a file may come to match a pattern.
    var folders: [String] { patterns.flatMap { FilePattern.folders(of: $0) } }

    /// Whether a path has the form of a pattern, and the run does not make that file.
    func isMatched(_ path: String) -> Bool {
        patterns.contains { FilePattern.matches(path, $0) } && !isOutput(path)
    }

    private func isOutput(_ path: String) -> Bool {
        outputs.contains { $0 == path || FilePattern.isPattern($0) && FilePattern.matches(path, $0) }
    }

    /// For a message.
    var text: String {
        let count = files.count
        let text = "\(count) file\(count == 1 ? "" : "s")"
        if patterns.isEmpty { return text }
        return "\(text) and \(patterns.count) pattern\(patterns.count == 1 ? "" : "s")"
    }
}
