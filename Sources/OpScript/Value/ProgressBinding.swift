internal import LuaVM
internal import Scheduling

/// Shows how far an operation or a queue has come.
final class ProgressView {
    enum Subject {
        case operation(OperationID, WorkBody?, LuaReference)
        case queue(ScriptQueue)
    }

    let subject: Subject

    init(_ subject: Subject) { self.subject = subject }
}

enum ProgressBinding {
    static let names = ["fractionCompleted", "completedUnitCount", "totalUnitCount"]

    static func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        let state = vm.main
        state.newTable()
        state.setFunctions([("__tostring", progressToString)])
        state.newTable()
        for (offset, name) in names.enumerated() {
            state.push(offset)
            state.rawSet(-2, name)
        }
        state.pushIndex(getter: progressGet, fallback: progressOther)
        state.rawSet(-2, "__index")
        return LuaMetatable(state, name: "Progress", isBox: true)
    }
}

extension ScriptRuntime {
    func pushProgress(ofOperation block: OperationPointer, _ state: LuaState) {
        let id = block.pointee.id
        let view = ProgressView(.operation(id, entry(id)?.pointee.body, reference(to: 1, state)))
        state.pushBox(view, metatables.progress)
    }

    func pushProgress(ofQueue queue: ScriptQueue, _ state: LuaState) {
        state.pushBox(ProgressView(.queue(queue)), metatables.progress)
    }

    /// Units done and units in all.
    fileprivate func counts(_ view: ProgressView) -> (completed: Int, total: Int) {
        switch view.subject {
        case .queue(let queue): return (queue.finishedCount, queue.addedCount)
        case .operation(let id, let body, let reference):
            let state = vm.main
            reference.push(state)
            defer { state.pop() }
            guard let block = operation(state, -1) else { return (0, 1) }
            if block.pointee.isFinished {
                let total = max(1, Int(body?.progressCounts.total ?? 1))
                return block.pointee.outcome == .succeeded
                    ? (total, total) : (min(total, Int(body?.progressCounts.completed ?? 0)), total)
            }
            if let inner = entry(id)?.pointee.attachment?.inner {
                return (inner.finishedCount, max(1, inner.addedCount))
            }
            guard let counts = body?.progressCounts, counts.total > 0 else { return (0, 1) }
            return (min(Int(counts.completed), Int(counts.total)), Int(counts.total))
        }
    }
}

private func view(_ raw: OpaquePointer) -> ProgressView? {
    LuaState(raw).box(1, runtime(raw).metatables.progress, as: ProgressView.self)
}

private func progressGet(_ raw: OpaquePointer, _ property: Int32) -> Int32 {
    let state = LuaState(raw)
    guard let view = view(raw) else { return 0 }
    let counts = runtime(raw).counts(view)
    switch property {
    case 0: state.push(counts.total > 0 ? Double(counts.completed) / Double(counts.total) : 0.0)
    case 1: state.push(counts.completed)
    default: state.push(counts.total)
    }
    return 1
}

private func progressOther(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    return runtime.guarded(state) { () throws(LuaRaise) in
        throw runtime.noSuchProperty(state, of: "Progress", among: ProgressBinding.names)
    }
}

private func progressToString(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let counts = view(raw).map { runtime(raw).counts($0) } ?? (0, 0)
    state.push("Progress (\(counts.0) of \(counts.1))")
    return 1
}
