internal import ArgumentParser

/// The options about clusters.
struct ClusterArguments: ParsableArguments {
    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Run the bodies of works on a cluster, in all queues: 'slurm'. The script itself stays here.",
            valueName: "cluster"
        )
    )
    var on: String?

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "The folder through which a run and its jobs exchange files; all nodes must see it under this path. "
                + "Default: .\(CommandIdentity.current.name)/share.",
            valueName: "folder"
        )
    )
    var share: String?

    @Flag(
        name: .long,
        help: "On Ctrl-C, leave the jobs on the cluster; --resume continues the run. Needs a journal."
    )
    var detach = false

    func validate() throws {
        if let on, on != "slurm" {
            throw ValidationError("--on is '\(on)', but 'slurm' is the only kind of cluster.")
        }
        if share == "" { throw ValidationError("--share is empty, but it must be a folder.") }
    }

    var wishes: ClusterWishes {
        ClusterWishes(name: on, share: share ?? ".\(CommandIdentity.current.name)/share", detaches: detach)
    }
}

/// The use that a run makes of a cluster.
struct ClusterWishes: Equatable {
    /// The cluster of queues that name none; nil for this process.
    var name: String?
    /// The folder on shared storage.
    var share = ".opscript/share"
    /// Whether an interruption leaves the jobs there.
    var detaches = false
}
