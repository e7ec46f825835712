internal import LuaVM
internal import Scheduling

/// Adds the objects of a snapshot to an engine, on the script thread: the descriptions of its operations lie in a table
/// at index 1, and those of its timers at index 2.
struct SnapshotRestoring {
    private let snapshot: EngineSnapshot
    private let runtime: ScriptRuntime
    private let state: LuaState
    /// Keeps the queues that are made, until something is in them.
    private var queues: [PendingQueue: ScriptQueue] = [:]

    init(_ snapshot: EngineSnapshot, _ runtime: ScriptRuntime, _ state: LuaState) {
        self.snapshot = snapshot
        self.runtime = runtime
        self.state = state
    }

    /// Adds everything, or nothing.
    mutating func restore() throws(LuaRaise) {
        state.setTop(2)
        // The operations that were made.
        state.newTable(array: snapshot.operations.count)
        do throws(LuaRaise) {
            try makeOperations()
            for timer in snapshot.timers {
                let work = timer.operation["work"]?.string ?? "?"
                guard runtime.works.catalogue.index(of: work) != nil else {
                    throw runtime.operations.unknownWork(work)
                }
            }
            try addOperations()
            try addTimers()
        } catch {
            let made = (1...max(1, snapshot.operations.count)).compactMap { operation($0) }
            for view in made { runtime.operations.hide(view) }
            runtime.operations.cancel(together: made.filter { $0.pointee.flags.contains(.isSubmitted) })
            throw error
        }
    }

    /// The operation that was made for a place, counted from 1; it is kept by the table at index 3.
    private func operation(_ place: Int) -> OperationPointer? {
        defer { state.pop() }
        _ = state.rawGet(3, place)
        return runtime.operations.operation(state, -1)
    }

    private func makeOperations() throws(LuaRaise) {
        for (offset, pending) in snapshot.operations.enumerated() {
            _ = state.rawGet(1, offset + 1)
            do throws(LuaRaise) {
                try runtime.operations.makeOperation(fromTable: state.top, state)
            } catch {
                throw LuaRaise(ErrorValue(error.code, "'\(pending.name)' of the snapshot: \(error.text)"))
            }
            state.rawSet(3, offset + 1)
            state.setTop(3)
        }
        for (offset, pending) in snapshot.operations.enumerated() {
            for dependency in pending.dependencies {
                guard let when = DependencyCondition.allCases.first(where: { $0.name == dependency.when }),
                    snapshot.operations.indices.contains(dependency.operation)
                else {
                    throw .misuse("'\(pending.name)' of the snapshot has a dependency that it cannot have")
                }
                _ = state.rawGet(3, offset + 1)
                _ = state.rawGet(3, dependency.operation + 1)
                try runtime.operations.addDependency(state, 4, 5, when)
                state.setTop(3)
            }
        }
    }

    private mutating func addOperations() throws(LuaRaise) {
        for (offset, pending) in snapshot.operations.enumerated() {
            let queue = queue(pending.queue)
            var options = SubmissionOptions(delay: pending.delay, isBarrier: pending.isBarrier)
            options.isFirstInFirstOut = queue.kind == .dispatch
            _ = state.rawGet(3, offset + 1)
            try runtime.operations.submit(state, 4, to: queue, options)
            state.setTop(3)
        }
    }

    private mutating func addTimers() throws(LuaRaise) {
        for (offset, pending) in snapshot.timers.enumerated() {
            let queue = queue(pending.queue)
            _ = state.rawGet(2, offset + 1)
            runtime.queues.pushQueue(queue, state)
            let timer = runtime.timers.newTimer(
                state,
                interval: pending.interval,
                repeats: pending.repeats,
                .operation,
                place: .unknown
            )
            state.pushValue(4)
            _ = state.setUserValue(6, TimerValue.subject)
            state.pushValue(5)
            _ = state.setUserValue(6, TimerValue.queue)
            timer.pointee.tolerance = pending.tolerance
            timer.pointee.keepsAlive = pending.keepsAlive
            timer.pointee.overlaps = pending.overlaps
            timer.pointee.deadline = runtime.scheduler.clock.moment(
                after: SchedulerClock.nanoseconds(pending.delay)
            )
            timer.pointee.hasFireDate = true
            try runtime.timers.schedule(timer, at: 6, state)
            state.setTop(3)
        }
    }

    /// The queue with the same kind and name; it is made if there is none.
    private mutating func queue(_ pending: PendingQueue) -> ScriptQueue {
        if let known = queues[pending] { return known }
        let queue = find(pending) ?? make(pending)
        queues[pending] = queue
        return queue
    }

    private func find(_ pending: PendingQueue) -> ScriptQueue? {
        runtime.queues.table.all.first { queue in
            guard let other = PendingQueue(queue) else { return false }
            return other.kind == pending.kind && other.name == pending.name
        }
    }

    private func make(_ pending: PendingQueue) -> ScriptQueue {
        switch pending.kind {
        case .main: return runtime.queues.mainQueue
        case .standard: return runtime.queues.standardQueue
        case .operation:
            return runtime.queues.makeQueue(name: pending.name, kind: .ordinary, width: pending.width)
        case .serial: return runtime.dispatch.makeDispatchQueue(label: pending.name, shape: .serial, .default)
        case .concurrent:
            return runtime.dispatch.makeDispatchQueue(label: pending.name, shape: .concurrent, .default)
        case .global:
            let quality = OperationQualityOfService.allCases.first {
                runtime.dispatch.globalQueue($0).name == pending.name
            }
            return runtime.dispatch.globalQueue(quality ?? .default)
        }
    }
}
