internal import Glibc
internal import OpScript
internal import OpScriptScenarios
internal import OpScriptWorks

/// `--watch`: runs of a script, one after each change of its files.
struct WatchedRun {
    let script: String
    var run: SingleRun
    let pipe: WakePipe
    /// The files as they were when the last run began.
    private var stamps: [String: FileStamp] = [:]

    init(script: String, run: SingleRun, pipe: WakePipe) {
        self.script = script
        self.run = run
        self.pipe = pipe
    }

    private static func stamps(of paths: Set<String>) -> [String: FileStamp] {
        var stamps: [String: FileStamp] = [:]
        for path in paths { stamps[path] = FileStamp(path) }
        return stamps
    }

    /// Changes within this time count as one.
    private static let quietTime = 0.05

    /// Waits for changes and runs the script after each, until a signal comes; returns the exit status.
    ///
    /// - Parameter read: Reads the script once more.
    mutating func perform(
        after first: SingleRun.Status,
        read: () throws(ScriptSource.Unusable) -> ScriptSource,
        _ register: (ScriptEngine) -> Void
    ) -> Int32 {
        var status = first
        var paths = Set([script] + first.watched)
        stamps = Self.stamps(of: paths)
        while status.interruption == nil {
            if let signal = waitForChange(of: paths) { return 128 + signal }
            // A change while it runs is one that it may not have seen.
            stamps = Self.stamps(of: paths)
            do throws(ScriptSource.Unusable) {
                run.source = try read()
            } catch {
                complain(error.message)
                continue
            }
            status = run.perform(register, trace: KeptTrace(), traceFile: nil)
            // A run that ended early knows fewer files than those before.
            let known = stamps
            paths = Set([script] + status.watched).union(status.code == ExitStatus.success ? [] : paths)
            stamps = Self.stamps(of: paths).merging(known) { _, before in before }
        }
        return status.code
    }

    /// Returns when a file is not as it was when the run began to use it; the number of a signal that came first.
    private func waitForChange(of paths: Set<String>) -> Int32? {
        let watch = FolderWatch(ofFiles: paths)
        if !run.options.isQuiet {
            complain("waiting for a change of \(paths.count) files")
        }
        while true {
            guard paths.contains(where: { stamps[$0] != FileStamp($0) }) else {
                for message in pipe.wait(seconds: watch == nil ? 0.2 : 3_600, other: watch?.descriptor ?? -1)
                {
                    if case .signal(let number) = message, number != SIGTSTP { return number }
                }
                watch?.takeEvents()
                continue
            }
            // Others may follow at once.
            repeat {
                watch?.takeEvents()
                for message in pipe.wait(seconds: Self.quietTime, other: watch?.descriptor ?? -1) {
                    if case .signal(let number) = message, number != SIGTSTP { return number }
                }
            } while watch?.takeEvents() == true
            return nil
        }
    }

    private func complain(_ text: String) { Console(callOwner: {}).writeError("\(run.name): \(text)") }
}
