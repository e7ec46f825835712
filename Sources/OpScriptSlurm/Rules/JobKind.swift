internal import OpScript

/// The properties that operations have in common when they are submitted as one job array.
struct JobKind: Hashable {
    let options: ClusterOptions
    let priority: Int
    /// Minutes after which Slurm ends the job; nil for the limit of the partition.
    let minutes: Int?
    let mayRepeat: Bool

    init(_ options: ClusterOptions, priority: Int, timeLimit: Double?, mayRepeat: Bool) {
        var options = options
        options.pilots = nil
        self.options = options
        self.priority = priority
        self.mayRepeat = mayRepeat
        // The worker watches the limit of the operation; Slurm's own limit is behind it, in case the worker hangs.
        minutes = options.minutes ?? timeLimit.map { ClusterOptions.minutes($0) + 1 }
    }

    init(_ call: SlurmMachine.Call) {
        self.init(
            call.options,
            priority: call.priority,
            timeLimit: call.timeLimit,
            mayRepeat: call.mayRepeat
        )
    }

    /// The words of `sbatch` that say how and where the job runs.
    ///
    /// `--nice` orders the jobs of one user: 0 for the highest priority, 400 for the lowest.
    var words: [String] {
        options.words(minutes: minutes)
            + ["--nice=\((8 - priority) * 25)", mayRepeat ? "--requeue" : "--no-requeue"]
    }
}

extension ClusterOptions {
    /// Seconds as the minutes that Slurm knows, rounded up; at most ten years.
    static func minutes(_ seconds: Double) -> Int { Int(min(seconds / 60, 5_256_000).rounded(.up)) }

    /// Minutes after which Slurm ends a job.
    var minutes: Int? { time.map(Self.minutes) }

    /// The words of Slurm's commands for these options.
    func words(minutes: Int?) -> [String] {
        var words: [String] = []
        if let partition { words.append("--partition=\(partition)") }
        if let account { words.append("--account=\(account)") }
        if let qos { words.append("--qos=\(qos)") }
        if let minutes { words.append("--time=\(minutes)") }
        if let cpus { words.append("--cpus-per-task=\(cpus)") }
        if let memory { words.append("--mem=\(memory)") }
        if let nodes { words.append("--nodes=\(nodes)") }
        if let gres { words.append("--gres=\(gres)") }
        if let licenses { words.append("--licenses=\(licenses)") }
        return words + arguments
    }
}
