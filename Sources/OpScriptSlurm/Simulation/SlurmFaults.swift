internal import OpScript

/// How likely each fault of a cluster is, each time that it could happen: from 0 to 1.
struct SlurmFaults {
    /// Slurm refuses a batch for now.
    var busy = 0.0
    /// The answer for a batch does not come, and Slurm has taken it or not.
    var doubtful = 0.0
    /// The list of jobs does not come.
    var silence = 0.0
    /// A node dies under a body, and Slurm begins the body elsewhere.
    var requeue = 0.0
    /// A node dies under a body, and Slurm gives the body up.
    var nodeFail = 0.0
    /// A job is ended because of a more important one.
    var preempted = 0.0
    /// Slurm forgets an element of a batch that it has taken.
    var forgotten = 0.0
    /// A pilot's process ends.
    var pilotEnd = 0.0
    /// So many seconds pass at most until a result is visible in the shared folder.
    var delay = 0.0

    /// Every fault with the same likelihood; at most a half for those after which Slurm begins again without end.
    static func every(_ likelihood: Double) -> SlurmFaults {
        let bounded = min(0.5, likelihood)
        return SlurmFaults(
            busy: bounded,
            doubtful: bounded,
            silence: bounded,
            requeue: bounded,
            nodeFail: likelihood,
            preempted: likelihood,
            forgotten: bounded,
            pilotEnd: likelihood,
            delay: likelihood > 0 ? 3 : 0
        )
    }
}
