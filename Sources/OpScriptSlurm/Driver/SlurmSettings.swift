internal import OpScript

/// How a process reaches a cluster with Slurm.
package struct SlurmSettings: Sendable {
    /// The folder on shared storage, as all nodes see it; each run makes a folder in it.
    package var share: String
    /// The command line that runs bodies on a node: this program, and what makes it a worker.
    package var worker: [String]
    /// The name of all jobs of the run, by which they are found again.
    package var run: String
    /// Whether the files of the run stay in the shared folder.
    package var keepsFiles = false
    var rules = SlurmMachine.Settings()

    /// - Parameters:
    ///   - share: The folder on shared storage.
    ///   - worker: The command line of a worker.
    ///   - run: Different for each run.
    package init(share: String, worker: [String], run: String) {
        self.share = share
        self.worker = worker
        self.run = run
    }

    var folder: SharedFolder { SharedFolder("\(share)/\(run)") }
}
