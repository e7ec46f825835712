internal import LuaVM
internal import Scheduling

/// Bodies on a cluster in memory.
///
/// The cluster decides when a body begins and whether its end counts. Between these moments the body is played as it is
/// without a cluster.
extension VirtualTime {
    /// Begins a body that nothing holds up any more: here, or on its cluster.
    func begin(_ id: OperationID, _ view: OperationPointer) {
        guard let simulation, let placement = placement(of: id),
            let cluster = cluster(of: placement, simulation)
        else { return playSimulated(id, view) }
        cluster.lastNumber += 1
        placement.number = cluster.lastNumber
        placement.node = nil
        placement.isPlaying = false
        placement.end = nil
        placement.failure = nil
        cluster.operations[placement.number] = id
        let body = SimulatedBody(
            placement.number,
            name: runtime.operations.name(view),
            options: placement.plan.options,
            priority: placement.plan.priority,
            timeLimit: placement.plan.timeLimit,
            mayRepeat: placement.mayRepeat
        )
        cluster.rules.start(body, at: seconds)
        serve(cluster)
    }

    /// The body of an operation has ended.
    ///
    /// - Parameter failed: Whether it has failed by an error that its operation has already.
    func bodyEnded(_ id: OperationID, _ failure: (any Error)?, failed: Bool = false) {
        guard let simulation, let placement = placement(of: id), placement.isPlaying else {
            return scheduler.feed { $0.bodyEnded(id, failure, failed: failed) }
        }
        placement.isPlaying = false
        if placement.number == 0 {
            // It has left the cluster before.
            guard let reason = placement.failure.take() else {
                return scheduler.feed { $0.bodyEnded(id, failure, failed: failed) }
            }
            // The reason counts, and not the error with which the body has met its end.
            if let view = runtime.operations.liveView(id) { forgetEnd(view) }
            return scheduler.feed { $0.bodyEnded(id, reason) }
        }
        placement.end = (failure, failed)
        guard let cluster = simulation.clusters[placement.cluster] else { return }
        cluster.rules.bodyEnded(placement.number, at: seconds)
        serve(cluster)
    }

    /// An operation on a cluster has to stop: it leaves the cluster.
    ///
    /// - Returns: Whether nothing of it plays that has to be stopped.
    func leaveCluster(_ id: OperationID) -> Bool {
        guard let simulation, let placement = placement(of: id), placement.number > 0,
            let cluster = simulation.clusters[placement.cluster]
        else { return false }
        cluster.operations[placement.number] = nil
        cluster.rules.cancel(placement.number, at: seconds)
        placement.number = 0
        // Not now: other bodies may begin, and this one's canceller has not come to them yet.
        serveLater(cluster, at: scheduler.clock.now)
        return !placement.isPlaying
    }

    /// Takes the events of a cluster that are due, and sees to the next one.
    func serve(_ cluster: SimulatedCluster) {
        guard !cluster.isServing else { return }
        cluster.isServing = true
        defer { cluster.isServing = false }
        while true {
            let events = cluster.rules.takeEvents(until: seconds)
            if events.isEmpty { break }
            for event in events { happen(event, on: cluster) }
        }
        // Rounded up, so that the moment has come when the item is due.
        let next = cluster.operations.isEmpty ? nil : cluster.rules.nextMoment
        let moment = next.map { Int64(min($0 * 1e9, 4.6e18).rounded(.up)) }
        serveLater(cluster, at: moment.map { $0 + 1 + $0 >> 50 })
    }

    /// - Parameter moment: In nanoseconds; nil for never.
    private func serveLater(_ cluster: SimulatedCluster, at moment: Int64?) {
        if cluster.timer?.moment == moment { return }
        if let timer = cluster.timer.take() { agenda.dueTimes.cancel(timer.handle) }
        if let moment {
            cluster.timer = (agenda.dueTimes.schedule(at: moment, .cluster(cluster)), moment)
        }
    }

    private func happen(_ event: ClusterEvent, on cluster: SimulatedCluster) {
        switch event {
        case .begins(let number, let node):
            guard let (id, placement) = attempt(number, cluster), let view = runtime.operations.liveView(id),
                !view.pointee.isFinished, !view.pointee.flags.contains(.isCancelled)
            else { return }
            forgetEnd(view)
            placement.end = nil
            placement.isPlaying = true
            // It may begin again on the same node.
            placement.node = nil
            show(.running(node: node), id)
            playSimulated(id, view)
        case .counts(let number):
            guard let (id, placement) = attempt(number, cluster), let end = placement.end else { return }
            cluster.operations[number] = nil
            placement.number = 0
            show(nil, id)
            scheduler.feed { $0.bodyEnded(id, end.failure, failed: end.failed) }
        case .stops(let number):
            if let (id, placement) = attempt(number, cluster), placement.isPlaying {
                runtime.bodies.stopPlaying(id)
            }
        case .fails(let number, let error):
            guard let (id, placement) = attempt(number, cluster) else { return }
            cluster.operations[number] = nil
            placement.number = 0
            if placement.isPlaying {
                placement.failure = error
                runtime.bodies.stopPlaying(id)
            } else {
                if let view = runtime.operations.liveView(id) { forgetEnd(view) }
                show(nil, id)
                scheduler.feed { $0.bodyEnded(id, error) }
            }
        case .reports(let number, let place):
            if let id = cluster.operations[number] { show(place, id) }
        }
    }

    /// Drops what a body has left whose end does not count.
    private func forgetEnd(_ view: OperationPointer) {
        view.pointee.flags.subtract([.hasError, .startReturned, .wasEnded])
        view.pointee.resultCount = 0
    }

    private func attempt(_ number: UInt64, _ cluster: SimulatedCluster) -> (OperationID, ClusterPlacement)? {
        guard let id = cluster.operations[number], let placement = placement(of: id) else { return nil }
        return (id, placement)
    }

    private func show(_ place: ClusterPlace?, _ id: OperationID) {
        runtime.operations.entry(id)?.pointee.body?.place = place
        guard let place, let placement = placement(of: id), placement.node != place.node else { return }
        placement.node = place.node
        guard let attempt = runtime.operations.liveView(id)?.pointee.attempt else { return }
        runtime.operations.moved(id, to: place.node, attempt: Int(attempt), at: scheduler.clock.now)
    }

    private func placement(of id: OperationID) -> ClusterPlacement? {
        runtime.operations.entry(id)?.pointee.attachment?.placement
    }

    private var seconds: Double { Double(scheduler.clock.now) / 1e9 }

    /// The cluster of an operation, which begins with its first one.
    private func cluster(of placement: ClusterPlacement, _ simulation: Simulation) -> SimulatedCluster? {
        if let cluster = simulation.clusters[placement.cluster] { return cluster }
        let model = simulation.clusterModels[placement.cluster] ?? ClusterModel()
        let seed = configuration.chanceSeed ?? 0
        let rules = placement.plan.executor.simulation(model, seed: seed ^ 0xc105_7e40_0000_0001)
        let cluster = SimulatedCluster(rules)
        simulation.clusters[placement.cluster] = cluster
        return cluster
    }
}

// MARK: simulate

/// `internal.isCluster(name)`.
func internalIsCluster(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.push(state.string(1).map { runtime.configuration.clusters[$0] != nil } ?? false)
        return 1
    }
}

/// `internal.setClusterModel(name, nodes, faults)`. The prelude has checked all but the moment.
func internalSetClusterModel(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let name = state.string(1) ?? ""
        do throws(LuaRaise) {
            guard let simulation = runtime.virtualTime.simulation else {
                throw .misuse(
                    "'simulate' is for virtual time: run the script with --virtual, or in a scenario"
                )
            }
            guard simulation.clusters[name] == nil else {
                throw .misuse("the cluster '\(name)' is in use: call simulate(\"\(name)\", …) before that")
            }
            var model = ClusterModel()
            model.nodes = state.integer(2) ?? model.nodes
            model.faults = state.number(3) ?? model.faults
            simulation.clusterModels[name] = model
        } catch {
            throw runtime.globals.raisedOutsidePrelude(error, state)
        }
        return 0
    }
}
