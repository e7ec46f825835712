internal import LuaVM
internal import Scheduling

extension HostObjects {
    /// The script's view of an adopted queue: one for each name.
    func adoptedQueue(named name: String) throws(LuaRaise) -> ScriptQueue {
        if let queue = adopted[name] { return queue }
        guard let item = link.adoptedQueues[name] else {
            throw LuaRaise(
                .host,
                "the host has registered no queue '\(name)'"
                    + suggestion(for: name, among: link.adoptedQueues.names)
            )
        }
        let queue = ScriptQueue(id: scheduler.adopt(item.queue), kind: .native, name: name, width: -1)
        queue.native = item.queue
        if item.access == .submitOnly { queue.submitOnlyName = name }
        runtime.queues.table.add(queue)
        adopted[name] = queue
        return queue
    }

    /// The view of operations that are about to be added to a native queue, for the owner of the queue.
    func labels(
        of indices: ClosedRange<Int32>,
        for queue: ScriptQueue,
        _ state: LuaState
    ) -> [(OperationID, ExternalLabel)] {
        guard queue.native != nil else { return [] }
        return indices.compactMap { index in
            runtime.operations.operation(state, index).map { view in
                let label = ExternalLabel(
                    name: runtime.operations.name(state, index, view),
                    qualityOfService: view.pointee.qualityOfService
                )
                return (view.pointee.id, label)
            }
        }
    }

    /// The turn of an operation in a native queue has come: its body runs now.
    func runNativeTicket(of id: OperationID) {
        guard let view = runtime.operations.liveView(id), !view.pointee.isFinished else { return }
        // If it was cancelled after its turn came and before the script thread got here, the body never runs.
        if view.pointee.flags.contains(.isCancelled) {
            scheduler.feed { $0.bodyEnded(id, nil) }
        } else {
            runtime.bodies.runBody(id)
        }
    }

    // MARK: Properties

    func setWidth(_ queue: ScriptQueue, _ width: Int) throws(LuaRaise) {
        let old = self.width(of: queue)
        if let native = queue.native {
            do throws(ScriptError) {
                try native.setMaxConcurrentOperationCount(width)
            } catch {
                throw LuaRaise(error.code, "queue '\(queue.name)': \(error.message)")
            }
        } else if old != width {
            queue.width = width
            scheduler.feed { $0.widthChanged(queue.id, to: width) }
        }
        guard old != width else { return }
        runtime.reporting.tell(.queueChanged(queue.id))
        runtime.observers.observe(queue, "maxConcurrentOperationCount", .integer(old), .integer(width))
    }

    func width(of queue: ScriptQueue) -> Int { queue.native?.maxConcurrentOperationCount ?? queue.width }

    func isSuspended(_ queue: ScriptQueue) -> Bool { queue.native?.isSuspended ?? queue.isSuspended }

    func setNativeSuspended(_ queue: ScriptQueue, _ native: any AdoptedQueue, _ isSuspended: Bool)
        throws(LuaRaise)
    {
        let old = native.isSuspended
        do throws(ScriptError) {
            try native.setSuspended(isSuspended)
        } catch {
            throw LuaRaise(error.code, "queue '\(queue.name)': \(error.message)")
        }
        guard old != isSuspended else { return }
        runtime.reporting.tell(.queueChanged(queue.id))
        runtime.observers.observe(queue, "isSuspended", .boolean(!isSuspended), .boolean(isSuspended))
    }
}
