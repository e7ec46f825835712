internal import OpScriptScenarios

/// Decides what `--watch` runs again, by the changed files and the failed scenarios.
struct TestWatch {
    /// The next round.
    struct Round: Equatable {
        var files: [String]
        /// Names of the only scenarios; nil for all.
        var names: [String]?
    }

    /// Whether failed scenarios run first.
    let runsFailedFirst: Bool
    /// The paths of the files of scenarios.
    private(set) var files: [String]
    private var stamps: [String: FileStamp] = [:]
    /// The names of scenarios that failed the last time, by file.
    private var failed: [String: [String]] = [:]

    init(_ files: [String], runsFailedFirst: Bool) {
        self.files = files
        self.runsFailedFirst = runsFailedFirst
    }

    /// The watched paths: files of scenarios, the modules that these have loaded, and their folders.
    func watched(_ modules: (String) -> Set<String>) -> Set<String> {
        var paths = Set(files)
        for file in files {
            paths.formUnion(modules(file))
            paths.insert(folder(file))
        }
        return paths
    }

    /// Stores the present state of all watched paths.
    mutating func look(_ paths: Set<String>, _ stamp: (String) -> FileStamp?) {
        stamps = [:]
        for path in paths { stamps[path] = stamp(path) }
    }

    /// The paths that have changed.
    func changed(_ paths: Set<String>, _ stamp: (String) -> FileStamp?) -> Set<String> {
        paths.filter { stamps[$0] != stamp($0) }
    }

    /// Takes the results of a round.
    mutating func ended(_ round: Round, _ summary: ScenarioSummary) {
        for file in round.files { failed[file] = nil }
        for each in summary.failures { failed[each.file, default: []].append(each.name) }
    }

    /// The rounds that a change requires; each one runs if the round before has passed.
    mutating func rounds(
        after changed: Set<String>,
        files found: [String],
        _ modules: (String) -> Set<String>
    ) -> [Round] {
        let new = Set(found).subtracting(files)
        files = found
        let concerned = files.filter { file in
            new.contains(file) || changed.contains(file) || !modules(file).isDisjoint(with: changed)
        }
        guard !concerned.isEmpty else { return [] }
        let broken = concerned.filter { failed[$0] != nil }
        guard runsFailedFirst, !broken.isEmpty else { return [Round(files: concerned)] }
        return [
            Round(files: broken, names: broken.flatMap { failed[$0] ?? [] }), Round(files: concerned),
        ]
    }

    private func folder(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
