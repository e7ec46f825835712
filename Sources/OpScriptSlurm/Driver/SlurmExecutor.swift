package import OpScript
internal import Scheduling
internal import Synchronization

/// Runs the bodies of works on a cluster with Slurm, by the command-line tools of Slurm alone.
///
/// Its thread starts with the first body, and ends when the run is closed and nothing is left on the cluster.
package final class SlurmExecutor: RemoteExecutor {
    private let settings: SlurmSettings
    private let inbox: SlurmInbox
    private let state = Mutex(State())

    private struct State {
        var run: SlurmRun?
        var hasThread = false
        var isClosed = false
    }

    /// Prepares everything that needs no cluster.
    package init(_ settings: SlurmSettings) throws(ScriptError) {
        self.settings = settings
        inbox = try SlurmInbox()
    }

    /// The run, which begins with the first question about it.
    private func run() -> SlurmRun {
        state.withLock { state in
            if let run = state.run { return run }
            let run = SlurmRun(settings)
            state.run = run
            return run
        }
    }

    package func start(_ call: RemoteCall) {
        let run = run()
        let (isFirst, isClosed) = state.withLock { state in
            defer { state.hasThread = true }
            return (!state.hasThread, state.isClosed)
        }
        if isClosed { return call.end(.failure(CancellationError())) }
        if isFirst {
            let inbox = inbox
            let isStarted = SystemThread.start(name: "slurm") { SlurmThread(run, inbox).run() }
            guard isStarted else {
                return call.end(.failure(ScriptError(.host, "the system refuses a thread for Slurm")))
            }
        }
        inbox.put(.call(call))
    }

    package func cancel(_ call: RemoteCall) { inbox.put(.cancel(call.number)) }

    package func holds(_ key: [UInt8]) -> Bool { settings.lasts && run().held.holds(key) }

    package func plan(_ options: ClusterOptions) -> String {
        let program = options.pilots == nil ? "sbatch" : "srun"
        let minutes = options.time.map { Int(($0 / 60).rounded(.up)) }
        return ([program] + options.words(minutes: minutes)).joined(separator: " ")
    }

    /// Leaves the jobs of the run on the cluster: a later run continues it. Nothing is submitted any more.
    ///
    /// - Returns: Whether there may be any.
    package func detach() -> Bool {
        let isNeeded = state.withLock { $0.hasThread && !$0.isClosed }
        if isNeeded { inbox.put(.detach) }
        return isNeeded
    }

    /// Ends everything that is left on the cluster, and waits until it has ended.
    ///
    /// - Parameters:
    ///   - keepsFiles: Whether the files of the run stay, for a run that continues it.
    ///   - seconds: How long to wait at most.
    package func close(keepsFiles: Bool, waiting seconds: Double) {
        let hasThread = state.withLock { state in
            state.isClosed = true
            return state.hasThread
        }
        guard hasThread else { return }
        inbox.put(.close(keepsFiles: keepsFiles))
        inbox.waitForEnd(seconds)
    }
}
