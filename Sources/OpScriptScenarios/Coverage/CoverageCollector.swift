internal import OpScript
internal import Synchronization

/// Adds up which lines scenarios execute. From any thread.
package final class CoverageCollector: Sendable {
    private let counts = Mutex<[String: [UInt32]]>([:])

    /// Creates an empty collector.
    package init() {}

    func add(_ files: [ScriptCoverage]) {
        counts.withLock { counts in
            for file in files { Self.merge(file.counts, into: &counts[Self.normal(file.path), default: []]) }
        }
    }

    private static func merge(_ more: [UInt32], into sum: inout [UInt32]) {
        if sum.count < more.count { sum += repeatElement(0, count: more.count - sum.count) }
        for (line, count) in more.enumerated() where count > 0 {
            let (total, overflow) = sum[line].addingReportingOverflow(count)
            sum[line] = overflow ? .max : total
        }
    }

    /// A path in its short form.
    private static func normal(_ path: String) -> String {
        var rest = path[...]
        while rest.hasPrefix("./") { rest = rest.dropFirst(2) }
        return String(rest)
    }

    /// The coverage of the files under test: all files in or below the current folder or a folder with
    /// scenarios, without the files of scenarios.
    package func report(on files: [ScenarioFile]) -> CoverageReport {
        let own = Set(files.map { Self.normal($0.path) })
        let folders = files.compactMap { file in
            file.path.lastIndex(of: "/").map { String(file.path[...$0]) }
        }
        let current = ScenarioFinder.currentFolder.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
        let measured = counts.withLock { $0 }
        var report = CoverageReport()
        for (path, counts) in measured.sorted(by: { $0.key < $1.key }) where !own.contains(path) {
            let isInside = current.map { path.hasPrefix($0) } ?? false
            guard !path.hasPrefix("/") || isInside || folders.contains(where: path.hasPrefix) else {
                continue
            }
            report.files.append(CoveredFile(path: path, counts: counts, source: ScenarioFinder.text(path)))
        }
        return report
    }
}
