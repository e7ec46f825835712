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
        var hasStarted = false
        var isClosed = false
    }

    /// Prepares everything that needs no cluster.
    package init(_ settings: SlurmSettings) throws(ScriptError) {
        self.settings = settings
        inbox = try SlurmInbox()
    }

    package func start(_ call: RemoteCall) {
        let (isFirst, isClosed) = state.withLock { state in
            defer { state.hasStarted = true }
            return (!state.hasStarted, state.isClosed)
        }
        if isClosed { return call.end(.failure(CancellationError())) }
        if isFirst {
            let (settings, inbox) = (settings, inbox)
            let isStarted = SystemThread.start(name: "slurm") { SlurmThread(settings, inbox).run() }
            guard isStarted else {
                return call.end(.failure(ScriptError(.host, "the system refuses a thread for Slurm")))
            }
        }
        inbox.put(.call(call))
    }

    package func cancel(_ call: RemoteCall) { inbox.put(.cancel(call.number)) }

    package func plan(_ options: ClusterOptions) -> String {
        let program = options.pilots == nil ? "sbatch" : "srun"
        return ([program] + options.words(minutes: options.time.map { Int(($0 / 60).rounded(.up)) }))
            .joined(separator: " ")
    }

    /// Ends what is left on the cluster, and waits until it has ended.
    ///
    /// - Parameter seconds: How long to wait at most.
    package func close(waiting seconds: Double) {
        let wasStarted = state.withLock { state in
            state.isClosed = true
            return state.hasStarted
        }
        guard wasStarted else { return }
        inbox.put(.close)
        inbox.waitForEnd(seconds)
    }
}
