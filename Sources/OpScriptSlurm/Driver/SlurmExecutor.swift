package import OpScript
internal import Scheduling
internal import Synchronization

/// Runs the bodies of works on a cluster with Slurm, by the command-line tools of Slurm alone.
///
/// Its thread starts with the first body, and ends when the run is closed and nothing is left on the cluster.
package final class SlurmExecutor: RemoteExecutor {
    private let settings: SlurmSettings
    private let state = Mutex(State())

    private struct State {
        var run: SlurmRun?
        /// nil before the first body.
        var inbox: SlurmInbox?
        var isClosed = false
    }

    /// Does nothing yet: a run that uses no cluster pays nothing for it.
    package init(_ settings: SlurmSettings) { self.settings = settings }

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
        do throws(ScriptError) {
            guard let inbox = try inbox(run), inbox.put(.call(call)) else {
                return call.end(.failure(CancellationError()))
            }
        } catch {
            call.end(.failure(error))
        }
    }

    /// The way to the thread, which starts with the first body; nil if the run is closed.
    private func inbox(_ run: SlurmRun) throws(ScriptError) -> SlurmInbox? {
        let result = state.withLock { state -> Result<SlurmInbox?, ScriptError> in
            if state.isClosed { return .success(nil) }
            if let inbox = state.inbox { return .success(inbox) }
            do throws(ScriptError) {
                let inbox = try SlurmInbox()
                guard SystemThread.start(name: "slurm", { SlurmThread(run, inbox).run() }) else {
                    throw ScriptError(.host, "the system refuses a thread for Slurm")
                }
                state.inbox = inbox
                return .success(inbox)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    package func cancel(_ call: RemoteCall) { state.withLock { $0.inbox }?.put(.cancel(call.number)) }

    package func holds(_ key: [UInt8]) -> Bool { settings.lasts && run().held.holds(key) }

    package func plan(_ options: ClusterOptions, priority: Int, timeLimit: Double?, mayRepeat: Bool) -> String
    {
        if options.pilots != nil {
            return (["srun"] + options.words(minutes: options.minutes)).joined(separator: " ")
        }
        let kind = JobKind(options, priority: priority, timeLimit: timeLimit, mayRepeat: mayRepeat)
        return (["sbatch"] + kind.words).joined(separator: " ")
    }

    package func simulation(_ model: ClusterModel, seed: UInt64) -> any ClusterSimulation {
        SimulatedSlurm(seed: seed, nodes: model.nodes, faults: .every(model.faults))
    }

    /// Where the bodies are that have not ended; nil if there are none.
    package var summary: ClusterSummary? { state.withLock { $0.run }?.places.summary }

    /// Leaves the jobs of the run on the cluster: a later run continues it. Nothing is submitted any more.
    ///
    /// - Returns: Whether there may be any.
    package func detach() -> Bool {
        guard let inbox = state.withLock({ $0.isClosed ? nil : $0.inbox }) else { return false }
        inbox.put(.detach)
        return true
    }

    /// Ends everything that is left on the cluster, and waits until it has ended.
    ///
    /// - Parameters:
    ///   - keepsFiles: Whether the files of the run stay, for a run that continues it.
    ///   - seconds: How long to wait at most.
    package func close(keepsFiles: Bool, waiting seconds: Double) {
        let inbox = state.withLock { state in
            state.isClosed = true
            return state.inbox
        }
        guard let inbox else {
            // The journal alone has served the run that continued.
            if !keepsFiles, let run = state.withLock({ $0.run }) { run.folder.remove() }
            return
        }
        inbox.put(.close(keepsFiles: keepsFiles))
        inbox.waitForEnd(seconds)
    }
}
