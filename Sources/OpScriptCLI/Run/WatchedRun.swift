internal import Glibc
internal import OpScript
internal import OpScriptScenarios
internal import OpScriptWorks

/// `--watch`: runs of a script, one after each change of its files.
struct WatchedRun {
    let script: String
    var run: SingleRun
    let pipe: WakePipe
    /// The files as they were when the last run ended; while it runs, as they were when it began.
    private var stamps: [String: FileStamp] = [:]
    /// The files on which the last run depended.
    private var files = WatchedFiles()
    /// A file whose change the last run has not seen, since it came while the run lasted.
    private var missed: String?
    /// The same, until the next run has ended.
    private var missedLast: String?
    /// How many runs in a row have missed a change of that file.
    private var missCount = 0

    /// - Parameter asRead: The state of the script's file when the first run read it.
    init(script: String, asRead: FileStamp?, run: SingleRun, pipe: WakePipe) {
        self.script = script
        stamps[script] = asRead
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
        // Its journal has refused it, for example because the answers of --resolve do not fit.
        if !status.hasBegun { return status.code }
        // They hold for the first run. If that has not ended well, the journal remembers --again.
        run.options.journal.resolutions = []
        run.options.journal.again = []
        note(first.watched.adding(script))
        while status.interruption == nil {
            if let signal = waitForChange() { return 128 + signal }
            stamps = files.stamps
            do throws(ScriptSource.Unusable) {
                run.source = try read()
            } catch {
                complain(error.message)
                continue
            }
            status = run.perform(register, trace: KeptTrace(), traceFile: nil)
            status.finishJournal(run.name)
            // A run that ended early knows fewer files than those before.
            let now = status.watched.adding(script)
            note(status.code == ExitStatus.success ? now : files.union(now))
        }
        return status.code
    }

    /// Takes up the files of a run that has ended.
    private mutating func note(_ now: WatchedFiles) {
        let (before, missedBefore) = (stamps, missedLast)
        stamps = now.stamps
        files = now
        // A run reads its code at the beginning. In this order: a change after this moment gives another stamp.
        missed =
            now.code.sorted().first { path in before[path].map { $0 != stamps[path] } ?? false }
            ?? now.missedChange(now.code.filter { before[$0] == nil })
        missCount = missed == nil ? 0 : missed == missedBefore ? missCount + 1 : 1
        missedLast = missed
        guard let path = missed, missCount > Self.mostMisses else { return }
        complain(
            "'\(path)' has changed during each of the last \(missCount) runs, so perhaps the script writes it: it "
                + "counts only from now on"
        )
        missed = nil
        missCount = 0
    }

    /// So many runs in a row begin at once after one that has missed a change.
    private static let mostMisses = 2

    /// Returns when a file is not as it was when the run began to use it; the number of a signal that came first.
    private mutating func waitForChange() -> Int32? {
        if !run.options.isQuiet, missed == nil {
            complain("waiting for a change of \(files.text)")
        }
        defer { missed = nil }
        while true {
            // A new folder may hold files that match.
            let watch = FolderWatch(ofFiles: files.files, in: files.folders)
            guard missed != nil || files.stamps != stamps else {
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
