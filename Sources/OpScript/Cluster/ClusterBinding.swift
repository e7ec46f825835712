internal import LuaVM
internal import Scheduling

/// The place of queues on clusters, for scripts.
extension Queues {
    /// Reads `on = "slurm"` and the options that belong to it. A queue without them has the place that the whole run
    /// has.
    func readCluster(_ options: OptionTable, of queue: ScriptQueue, _ state: LuaState) throws(LuaRaise) {
        guard let name = try options.string("on") else {
            return try refuseClusterOptions(options, queue, state)
        }
        guard let executor = configuration.clusters[name] else {
            throw LuaRaise(
                .argument,
                "bad value for 'on' (no cluster '\(name)'\(suggestion(for: name, among: configuration.clusters.keys)))"
            )
        }
        let own = try ClusterOptions(ofQueue: options, runtime, state)
        queue.cluster = ClusterQueue(name: name, executor: executor, options: own)
    }

    /// Options of a cluster for a queue that is on none: they are read, so that mistakes are found, if the whole run is
    /// on one; otherwise they need `on`.
    private func refuseClusterOptions(_ options: OptionTable, _ queue: ScriptQueue, _ state: LuaState)
        throws(LuaRaise)
    {
        if configuration.standardCluster != nil {
            let own = try ClusterOptions(ofQueue: options, runtime, state)
            queue.cluster?.options = own
            return
        }
        for name in ClusterOptions.names + ClusterOptions.namesOfQueues where options.push(name) {
            state.pop()
            throw .misuse("'\(name)' of a queue is for a cluster: give on = \"slurm\" with it")
        }
    }

    /// The place of queues that say nothing; nil for this process.
    var standardCluster: ClusterQueue? {
        guard let name = configuration.standardCluster, let executor = configuration.clusters[name] else {
            return nil
        }
        return ClusterQueue(name: name, executor: executor)
    }
}

extension ClusterOptions {
    /// Checks the value of `op.cluster`.
    static func check(_ value: NewValue) throws(LuaRaise) {
        if value.isNil { return }
        guard value.state.isTable(value.index) else { throw value.expected("table") }
        _ = try ClusterOptions(reading: value.runtime, value.state, value.index, of: "cluster")
    }
}

extension NewValue {
    /// Sets how many seconds an attempt of an operation may execute; nil for no limit. That of a body on a cluster is
    /// kept there.
    func setTimeLimit(_ seconds: Double?, of view: OperationPointer) throws(LuaRaise) {
        let body = runtime.operations.entry(view.pointee.id)?.pointee.body
        if body?.setRemoteTimeLimit(seconds) == true { return }
        if let placement = runtime.operations.entry(view.pointee.id)?.pointee.attachment?.placement {
            placement.plan.timeLimit = seconds
            return
        }
        try change(view) { $0.timeoutChanged($1, to: seconds.map(SchedulerClock.nanoseconds) ?? 0) }
    }
}
