internal import LuaVM
internal import Scheduling

extension DispatchObjects {
    /// Makes the operations of a queue run under another queue from now on. The first queue's userdata is at the index.
    func setTarget(
        of queue: ScriptQueue,
        at index: Int32,
        to target: ScriptQueue?,
        _ state: LuaState
    ) throws(LuaRaise) {
        guard let part = queue.dispatch, !queue.isGlobal else {
            throw .misuse(
                "queue '\(queue.label)' has no target of its own: it is a global queue; make a queue with "
                    + "DispatchQueue { … }"
            )
        }
        let index = state.absolute(index)
        if let target {
            let chain = target.targetChain
            if let place = chain.firstIndex(where: { $0 === queue }) {
                let names = ([queue] + chain[...place]).map { "'\($0.label)'" }
                throw LuaRaise(.cycle, "this target would close a cycle: \(names.joined(separator: " -> "))")
            }
            queues.pushQueue(target, state)
        } else {
            state.pushNil()
        }
        _ = state.setUserValue(index, DispatchValue.target)
        part.target = target
        if !part.hasOwnQuality { queue.qualityOfService = target?.qualityOfService ?? .default }
        // A global queue is never suspended and never delays other queues.
        let above = target.flatMap { $0.isGlobal ? nil : $0.id }
        scheduler.feed { core in
            core.qualityOfServiceChanged(queue.id, to: queue.qualityOfService)
            core.targetChanged(queue.id, to: above)
        }
        runtime.sources.suspensionsChanged()
    }
}

/// `queue:setTarget(other)`
func dispatchSetTarget(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let queue = try runtime.dispatch.requireDispatchQueue(state, 1)
        let target = state.isNoneOrNil(2) ? nil : try runtime.dispatch.requireDispatchQueue(state, 2)
        try runtime.dispatch.setTarget(of: queue, at: 1, to: target, state)
        return 0
    }
}
