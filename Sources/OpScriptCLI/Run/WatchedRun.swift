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
    /// The files on which the last run depended.
    private var files = WatchedFiles()

    init(script: String, run: SingleRun, pipe: WakePipe) {
        self.script = script
        self.run = run
        self.pipe = pipe
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
        files = first.watched.adding(script)
        stamps = files.stamps
        while status.interruption == nil {
            if let signal = waitForChange() { return 128 + signal }
            // A change while it runs is one that it may not have seen.
            stamps = files.stamps
            do throws(ScriptSource.Unusable) {
                run.source = try read()
            } catch {
                complain(error.message)
                continue
            }
            status = run.perform(register, trace: KeptTrace(), traceFile: nil)
            // A run that ended early knows fewer files than those before.
            let now = status.watched.adding(script)
            note(status.code == ExitStatus.success ? now : files.union(now))
        }
        return status.code
    }

    /// Takes up the files of a run that has ended. A change while it ran counts as one that it has not seen.
    private mutating func note(_ now: WatchedFiles) {
        let before = stamps
        stamps = now.stamps
        for (path, stamp) in before where now.paths.contains(path) || now.isMatched(path) {
            stamps[path] = stamp
        }
        for path in stamps.keys where before[path] == nil && files.isMatched(path) { stamps[path] = nil }
        files = now
    }

    /// Returns when a file is not as it was when the run began to use it; the number of a signal that came first.
    private func waitForChange() -> Int32? {
        if !run.options.isQuiet {
            complain("waiting for a change of \(files.text)")
        }
        while true {
            // A new folder may hold files that match.
            let watch = FolderWatch(ofFiles: files.files, in: files.folders)
            guard files.stamps != stamps else {
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
