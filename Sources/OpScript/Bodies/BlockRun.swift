internal import LuaVM
internal import Scheduling

/// The blocks of a block operation while it executes.
final class BlockRun {
    /// How many blocks have not ended; all blocks that are operations count as one.
    var remaining = 0
    /// A Lua array: one result for each block.
    let results: LuaReference
    /// The error that the first failing block raised.
    var failure: LuaReference?
    var failureFrames: [LuaFrame] = []

    let count: Int
    /// By place: the blocks that are operations, to make them anew for the next attempt.
    var renewals: [Int: BlockRenewal] = [:]

    init(results: LuaReference, count: Int) {
        self.results = results
        self.count = count
    }
}

extension Bodies {
    /// Starts all blocks of a block operation: functions run up to their first wait, operations go to an inner queue.
    func startBlocks(_ id: OperationID, _ view: OperationPointer) {
        let state = vm.main
        let base = state.top
        defer { state.setTop(base) }
        operations.pushOperation(id, state)
        let outer = state.top
        guard operations.getField("\0blocks", of: outer, view, state) == .table, state.rawLength(-1) > 0
        else {
            scheduler.feed { $0.bodyEnded(id, nil) }
            return
        }
        let list = state.top
        let count = state.rawLength(list)
        state.newTable(array: count)
        let run = BlockRun(results: vm.makeReference(state), count: count)
        let attachment = operations.attachment(id)
        attachment.blocks = run
        run.renewals = attachment.renewals
        attachment.innerFailure = nil
        if let earlier = attachment.inner.take() { operations.releaseInner(earlier) }
        // The operation blocks are counted first, so that a block that ends at once does not end the operation.
        run.remaining = 1
        submitOperationBlocks(id, view, list, run, state)
        let isExplained = explainBlocks(view, list, run, state)
        for place in 1...count {
            if state.rawGet(list, place) == .function, !isExplained {
                let task = makeTask()
                task.operation = id
                task.queue = operations.queue(of: view)
                task.end = .block(id, place)
                state.move(1, to: task.root.state)
                operations.pushOperation(id, task.root.state)
                run.remaining += 1
                start(task)
            } else {
                state.pop()
            }
        }
        blockEnded(id, run)
    }

    private func submitOperationBlocks(
        _ id: OperationID,
        _ view: OperationPointer,
        _ list: Int32,
        _ run: BlockRun,
        _ state: LuaState
    ) {
        var inner: ScriptQueue?
        do throws(LuaRaise) {
            try operations.renewBlocks(run.renewals, list, state)
        } catch {
            return refuse(error, run, state)
        }
        for place in stride(from: 1, through: state.rawLength(list), by: 1) {
            _ = state.rawGet(list, place)
            defer { state.pop() }
            guard let block = operations.operation(state, -1) else { continue }
            let queue = inner ?? queues.makeQueue(name: operations.name(view), kind: .inner)
            if inner == nil {
                inner = queue
                queue.owner = id
                queue.cluster = operations.queue(of: view)?.cluster
                operations.attachment(id).inner = queue
            }
            do throws(LuaRaise) {
                if run.renewals[place] == nil, let retry = operations.entry(id)?.pointee.retry {
                    if retry.policy.attempts > 1 { try operations.checkRenewable(block, state, in: view) }
                    operations.keepForRenewal(block, at: place, of: run)
                }
                try operations.submit(state, state.top, to: queue)
            } catch {
                // The block was used elsewhere in the meantime: this misuse fails the operation.
                refuse(error, run, state)
            }
        }
        operations.attachment(id).renewals = run.renewals
        guard let inner, inner.count > 0 else { return }
        run.remaining += 1
        inner.blockOwner = id
    }

    /// Whether the functions among the blocks do not run, because the run only explains.
    private func explainBlocks(
        _ view: OperationPointer,
        _ list: Int32,
        _ run: BlockRun,
        _ state: LuaState
    ) -> Bool {
        guard runtime.journaling.journal?.onlyExplains == true else { return false }
        for place in stride(from: 1, through: state.rawLength(list), by: 1) {
            defer { state.pop() }
            guard state.rawGet(list, place) == .function else { continue }
            let name = operations.name(view)
            runtime.journaling.explainBlocks(of: name)
            refuse(LuaRaise(.wouldRun, "'\(name)' would run"), run, state)
            break
        }
        return true
    }

    private func refuse(_ raise: LuaRaise, _ run: BlockRun, _ state: LuaState) {
        runtime.push(ErrorValue(raise.code, raise.text), state)
        if run.failure == nil { run.failure = vm.makeReference(state) } else { state.pop() }
    }

    /// Called if a function among the blocks returned; its results are on the root of its task.
    func blockReturned(_ id: OperationID, _ place: Int, _ state: LuaState, _ count: Int) {
        guard let run = operations.entry(id)?.pointee.attachment?.blocks else { return }
        if count > 0 {
            _ = state.ensureSpace(4)
            run.results.push(state)
            state.pushValue(1)
            state.rawSet(-2, place)
            state.pop()
        }
        blockEnded(id, run)
    }

    /// Called if a function among the blocks raised; the error is on top of the root of its task.
    func blockRaised(_ id: OperationID, _ state: LuaState, _ frames: [LuaFrame]) {
        guard let run = operations.entry(id)?.pointee.attachment?.blocks else { return }
        if run.failure == nil {
            run.failure = runtime.reference(to: -1, state)
            run.failureFrames = frames
        }
        blockEnded(id, run)
    }

    /// Called if all blocks that are operations have ended.
    func operationBlocksEnded(_ id: OperationID) {
        guard let run = operations.entry(id)?.pointee.attachment?.blocks, let view = operations.liveView(id)
        else { return }
        let state = vm.main
        let base = state.top
        defer { state.setTop(base) }
        operations.pushOperation(id, state)
        if operations.getField("\0blocks", of: base + 1, view, state) == .table {
            run.results.push(state)
            for place in stride(from: 1, through: state.rawLength(base + 2), by: 1) {
                _ = state.rawGet(base + 2, place)
                if let inside = operations.operation(state, -1),
                    waits.pushResults(inside, state, base + 4) > 0
                {
                    state.setTop(base + 5)
                    state.rawSet(base + 3, place)
                }
                state.setTop(base + 3)
            }
        }
        if run.failure == nil, let failure = operations.entry(id)?.pointee.attachment?.innerFailure {
            runtime.push(failure.error, state)
            run.failure = vm.makeReference(state)
        }
        blockEnded(id, run)
    }

    private func blockEnded(_ id: OperationID, _ run: BlockRun) {
        run.remaining -= 1
        guard run.remaining == 0 else { return }
        operations.entry(id)?.pointee.attachment?.blocks = nil
        let state = vm.main
        let base = state.top
        defer { state.setTop(base) }
        if let failure = run.failure {
            failure.push(state)
            bodyRaised(id, state, run.failureFrames)
        } else {
            run.results.push(state)
            guard state.ensureSpace(Int32(clamping: run.count) + 8) else { return }
            for place in stride(from: 1, through: run.count, by: 1) { _ = state.rawGet(base + 1, place) }
            storeResults(id, state, first: base + 2, count: run.count)
            scheduler.feed { $0.bodyEnded(id, nil) }
        }
    }
}
