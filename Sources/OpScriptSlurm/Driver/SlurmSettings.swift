internal import OpScript

/// How a process reaches a cluster with Slurm.
package struct SlurmSettings: Sendable {
    /// The folder on shared storage, as all nodes see it; each run makes a folder in it.
    package var share: String
    /// The command line that runs bodies on a node: this program, and the word that makes it a worker.
    package var worker: [String]
    /// Returns the name of all jobs of the run, by which they are found again; called when the first body is to run, on
    /// any thread.
    package var run: @Sendable () -> String
    /// Whether a later run may continue this one.
    package var lasts: Bool
    /// Takes what a person has to know while the run continues; called on the thread of the cluster.
    package var warn: @Sendable (String) -> Void = { _ in }
    var rules = SlurmMachine.Settings()

    /// - Parameters:
    ///   - share: The folder on shared storage.
    ///   - worker: The command line of a worker.
    ///   - lasts: Whether a later run may continue this one.
    ///   - run: The name of the run.
    package init(share: String, worker: [String], lasts: Bool = false, run: @escaping @Sendable () -> String)
    {
        self.share = share
        self.worker = worker
        self.lasts = lasts
        self.run = run
    }
}

/// The run on a cluster, once its name is known.
struct SlurmRun: Sendable {
    let settings: SlurmSettings
    /// The name of all its jobs.
    let name: String
    let folder: SharedFolder
    /// The bodies of the runs that it continues.
    let held: HeldBodies
    /// Where its bodies are.
    let places = PlaceCounts()

    init(_ settings: SlurmSettings) {
        self.settings = settings
        name = settings.run()
        folder = SharedFolder("\(settings.share)/\(name)")
        held = HeldBodies(settings.lasts ? folder : nil)
    }
}
