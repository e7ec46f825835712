internal import OpScript
internal import OpScriptScenarios

/// The files of a run whose changes make it run again.
struct WatchedFiles {
    /// The script and its modules.
    private(set) var code: Set<String> = []
    /// Declared inputs, and files that dependency files named.
    private var inputs: Set<String> = []
    /// The patterns among the declared inputs: files may come to match them.
    private var patterns: Set<String> = []
    /// The files and patterns that the run makes itself. A change of them counts after the run.
    private var outputs: Set<String> = []
    /// See ``JournalReport/missedChange``.
    private(set) var missedChange: @Sendable (_ others: [String]) -> String? = { _ in nil }

    init() {}

    init(_ report: ScriptReport) {
        code = Set(report.modules)
        guard let journal = report.journal else { return }
        inputs = Set(journal.inputs)
        missedChange = journal.missedChange
        patterns = Set(journal.inputPatterns)
        outputs = Set(journal.outputs)
    }

    /// The same with the script.
    func adding(_ script: String) -> WatchedFiles {
        var all = self
        all.code.insert(script)
        return all
    }

    /// The files of this run and of a later one.
    func union(_ others: WatchedFiles) -> WatchedFiles {
        var all = self
        all.missedChange = others.missedChange
        all.code.formUnion(others.code)
        all.inputs.formUnion(others.inputs)
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
    var files: [String] { code.union(inputs).union(outputs.filter { !FilePattern.isPattern($0) }).sorted() }

    /// The folders in which a file may come to match a pattern.
    var folders: [String] { patterns.flatMap { FilePattern.folders(of: $0) } }

    /// For a message.
    var text: String {
        let count = files.count
        let text = "\(count) file\(count == 1 ? "" : "s")"
        if patterns.isEmpty { return text }
        return "\(text) and \(patterns.count) pattern\(patterns.count == 1 ? "" : "s")"
    }
}
