internal import LuaVM
internal import OpScriptRecord
internal import Scheduling

/// Bodies that run on a cluster.
extension WorkBody {
    /// The closure that has the body run elsewhere, in place of the work's own.
    func remoteClosure(_ plan: RemotePlan) -> @Sendable (KeptArguments) async throws -> ScriptValue {
        { [self] kept in
            guard let context = kept.context else { preconditionFailure("a remote body has a context") }
            let values = kept.values.values
            guard let arguments = ValueBytes.encode(values) else {
                let place = values.firstIndex { $0.unsendableKind != nil } ?? 0
                let kind = values[place].unsendableKind ?? "object"
                throw ScriptError(
                    .argument,
                    "'\(plan.name ?? definition.name)' cannot run on a cluster: its argument \(place + 1) is of type "
                        + "\(kind), which cannot be sent to a node; pass values, or the path of a file on shared "
                        + "storage"
                )
            }
            let results = try await withCheckedThrowingContinuation { continuation in
                let call = RemoteCall(
                    plan,
                    work: definition.name,
                    arguments: arguments,
                    code: try? definition.code?.coded(),
                    key: recordedKey,
                    mayAwaitEarlierBody: mayAwaitEarlierBody,
                    mayRepeat: mayRepeat,
                    context: context,
                    onStay: { [weak self] in self?.setStay($0, attempt: context.attempt) }
                ) { result in
                    continuation.resume(with: result.mapError { IsolateFailure(received: $0) ?? $0 })
                }
                plan.executor.start(call)
                context.onCancel { [weak call] in if let call { plan.executor.cancel(call) } }
            }
            return results.count == 1 ? results[0] : .object(ResultList(results))
        }
    }
}

extension WorkBody {
    /// Whether the body may run again if it is not known what became of it.
    var mayRepeat: Bool { (ticket?.recording ?? definition.recording) != .once }
}

extension Operations {
    /// How each operation that waits would be submitted to its cluster.
    func submissions() -> [(OperationID, RecordedSubmission)] {
        entries.all.compactMap { entry in
            let placement = entry.pointee.attachment?.placement
            guard let body = entry.pointee.body, let plan = placement?.plan ?? body.remote else { return nil }
            let command = plan.executor.plan(
                plan.options,
                priority: plan.priority,
                timeLimit: plan.timeLimit,
                mayRepeat: body.mayRepeat
            )
            let submission = RecordedSubmission(
                cluster: plan.cluster,
                command: runtime.link.secrets.hidden(in: command),
                isForPilots: plan.options.pilots != nil
            )
            return (entry.pointee.id, submission)
        }
    }

    /// Calls a function with each operation inside a group, and its place on the stack.
    private func forEachInside(
        _ inner: ScriptQueue,
        _ state: LuaState,
        _ call: (OperationPointer, Int32) throws(LuaRaise) -> Void
    ) throws(LuaRaise) {
        for id in unfinished(inner) {
            guard let each = liveView(id), state.ensureSpace(6), pushOperation(id, state) else { continue }
            defer { state.pop() }
            try call(each, state.top)
        }
    }

    /// Prepares the works inside a group that is about to be added to a queue on a cluster.
    private func prepareInside(_ view: OperationPointer, _ cluster: ClusterQueue, _ state: LuaState)
        throws(LuaRaise)
    {
        guard let inner = entry(view.pointee.id)?.pointee.attachment?.inner else { return }
        inner.cluster = cluster
        try forEachInside(inner, state) { each, index throws(LuaRaise) in
            try prepareForCluster(each, state, index, inner)
        }
    }

    /// Prepares an operation that is about to be added to a queue on a cluster: its body runs there. Operations whose
    /// bodies are in Lua stay with the script.
    ///
    /// - Throws: If an argument, or the work itself, cannot be sent.
    func prepareForCluster(
        _ view: OperationPointer,
        _ state: LuaState,
        _ index: Int32,
        _ queue: ScriptQueue
    ) throws(LuaRaise) {
        if let cluster = queue.cluster, view.pointee.kind == .group {
            try prepareInside(view, cluster, state)
        }
        guard let cluster = queue.cluster, runsOnClusters(view),
            let body = entry(view.pointee.id)?.pointee.body
        else { return }
        let name = name(state, index, view)
        if body.definition.isMethod {
            throw LuaRaise(
                .argument,
                "'\(name)' cannot run on '\(cluster.name)': its object lives in this process"
            )
        }
        if let code = body.definition.code, let obstacle = code.obstacleToCoding {
            throw LuaRaise(.argument, "'\(name)' cannot run on '\(cluster.name)': \(obstacle)")
        }
        for (place, value) in body.arguments.values.enumerated() {
            guard let kind = value.unsendableKind else { continue }
            throw LuaRaise(
                .argument,
                "'\(name)' cannot run on '\(cluster.name)': its argument \(place + 1) is \(article(for: kind)) "
                    + "\(kind), which cannot be sent to a node; pass values, or the path of a file on shared storage"
            )
        }
        var options = cluster.options
        if view.pointee.flags.contains(.hasFields) {
            if getField("cluster", of: index, view, state) == .table {
                options.merge(try ClusterOptions(reading: runtime, state, state.top, of: "op.cluster"))
                if options.pilots != nil { try options.refuseManyNodes() }
            }
            state.pop()
        }
        var plan = RemotePlan(
            cluster: cluster.name,
            executor: cluster.executor,
            options: options,
            name: view.pointee.flags.contains(.hasName) ? name : nil,
            priority: Int(view.pointee.priority.rawValue),
            timeLimit: timeout(of: view, at: index, state),
            clock: scheduler.clock,
            display: configuration.programDisplay,
            print: configuration.standardOutput
        )
        if view.pointee.kind == .simulated {
            attachment(view.pointee.id).placement = ClusterPlacement(plan, mayRepeat: body.mayRepeat)
            if view.pointee.flags.contains(.isSubmitted) {
                scheduler.feed { $0.timeoutChanged(view.pointee.id, to: 0) }
            }
            return
        }
        let id = view.pointee.id
        plan.moved = { [link = runtime.link] node, attempt, moment in
            guard link.demand.contains(.record) else { return }
            link.post { $0.operations.moved(id, to: node, attempt: attempt, at: moment) }
        }
        body.remote = plan
        if !view.pointee.flags.contains(.isAsync) {
            view.pointee.flags.insert(.isAsync)
            body.spawn(by: runtime.bodies.current?.request?.spawner ?? runtime.run.taskSpawner)
        }
        if view.pointee.flags.contains(.isSubmitted) {
            // It is in its group already. It needs no thread now, and its time limit is the worker's.
            scheduler.feed {
                $0.bodyMoved(view.pointee.id, to: .task)
                $0.timeoutChanged(view.pointee.id, to: 0)
            }
        }
    }

    /// The body of an attempt is on a node of a cluster since a moment, or waits for one.
    func moved(_ id: OperationID, to node: String?, attempt: Int, at moment: Int64) {
        guard let view = liveView(id), view.pointee.state == .executing, Int(view.pointee.attempt) == attempt
        else { return }
        reporting.tell(
            .moved((node.map { RecordedRunner.node($0) } ?? .cluster).code),
            view,
            at: moment
        )
    }

    /// Whether the body of an operation runs on the cluster of its queue. Under virtual time, real works and isolates
    /// run here, since a cluster in memory cannot say how long they take.
    private func runsOnClusters(_ view: OperationPointer) -> Bool {
        view.pointee.kind == .simulated || view.pointee.kind == .work && configuration.clock != .virtual
    }

    /// An addition to a queue on a cluster was refused: the operation is as it was before, unless it is in a queue.
    func unprepareForCluster(_ view: OperationPointer, _ state: LuaState, _ index: Int32) {
        if !view.pointee.flags.contains(.isSubmitted) { takeFromCluster(view, state, index) }
    }

    private func takeFromCluster(_ view: OperationPointer, _ state: LuaState, _ index: Int32) {
        guard !view.pointee.isFinished, let entry = entry(view.pointee.id) else { return }
        if let inner = entry.pointee.attachment?.inner, view.pointee.kind == .group {
            inner.cluster = nil
            try? forEachInside(inner, state) { each, index throws(LuaRaise) in
                takeFromCluster(each, state, index)
            }
            return
        }
        guard let body = entry.pointee.body,
            body.remote != nil || entry.pointee.attachment?.placement != nil
        else { return }
        entry.pointee.attachment?.placement = nil
        body.remote = nil
        if !body.definition.isAsync { view.pointee.flags.remove(.isAsync) }
        // Inside a group, the scheduler knows it already.
        guard view.pointee.flags.contains(.isSubmitted), let spec = try? spec(view, state, index) else {
            return
        }
        scheduler.feed {
            $0.bodyMoved(view.pointee.id, to: spec.lane)
            $0.timeoutChanged(view.pointee.id, to: spec.timeout)
        }
    }

    private func article(for noun: String) -> String { "aeiouAEIOU".contains(noun.first ?? "x") ? "an" : "a" }
}

extension ScriptValue {
    /// The kind of an object in the value that has no bytes; nil if all of it can be sent. Operations count as their
    /// results.
    var unsendableKind: String? {
        switch self {
        case .object(let object): object is ResultBox ? nil : type(of: object).scriptTypeName
        case .array(let elements): elements.lazy.compactMap(\.unsendableKind).first
        case .table(let table):
            table.entries.lazy.compactMap { $0.key.unsendableKind ?? $0.value.unsendableKind }.first
        default: nil
        }
    }
}
