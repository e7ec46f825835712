internal import LuaVM
internal import Scheduling

/// Bodies that run on a cluster.
extension WorkBody {
    /// The closure that has the body run elsewhere, in place of the work's own.
    func remoteClosure(_ plan: RemotePlan) -> @Sendable (KeptArguments) async throws -> ScriptValue {
        { [self] kept in
            guard let context = kept.context else { preconditionFailure("a remote body has a context") }
            guard let arguments = ValueBytes.encode(kept.values.values) else {
                throw ScriptError(
                    .argument,
                    "'\(plan.name ?? definition.name)' cannot run on a cluster: an argument is an object, which "
                        + "cannot be sent to a node"
                )
            }
            let results = try await withCheckedThrowingContinuation { continuation in
                let call = RemoteCall(
                    plan,
                    work: definition.name,
                    arguments: arguments,
                    code: try? definition.code?.coded(),
                    key: recordedKey,
                    mayRepeat: ticket?.recording != .once,
                    context: context
                ) { continuation.resume(with: $0) }
                plan.executor.start(call)
                context.onCancel { plan.executor.cancel(call) }
            }
            return results.count == 1 ? results[0] : .object(ResultList(results))
        }
    }
}

extension Operations {
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
        guard let cluster = queue.cluster, view.pointee.kind == .work,
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
            }
            state.pop()
        }
        body.remote = RemotePlan(
            executor: cluster.executor,
            options: options,
            name: view.pointee.flags.contains(.hasName) ? name : nil,
            priority: Int(view.pointee.priority.rawValue),
            timeLimit: timeout(of: view, at: index, state)
        )
        if !view.pointee.flags.contains(.isAsync) {
            view.pointee.flags.insert(.isAsync)
            body.spawn(by: runtime.bodies.current?.request?.spawner ?? runtime.run.taskSpawner)
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
