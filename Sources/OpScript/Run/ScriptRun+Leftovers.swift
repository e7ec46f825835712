internal import LuaVM
internal import Scheduling

/// An object of a script that has not ended.
struct Leftover {
    /// `operation`, `timer`, `queue`, `source`, `thread` or `callback`.
    var kind: String
    /// Its kind and its state.
    var text: String
    /// The place where it was created: `job.lua:7`.
    var place: String?
    /// Its identity.
    var identity: AnyHashable
    /// Ends it, so that nothing of it continues or waits.
    var end: () -> Void
}

extension ScriptRun {
    /// Everything that would continue, or wait for ever, if the run ended now: by kind, in the order of
    /// creation. Objects that a driver has marked as known are left out.
    func leftovers() -> [Leftover] {
        let all =
            unfinishedOperations() + armedTimers() + suspendedQueues() + openSources() + runningThreads()
            + waitingCallbacks()
        guard let driver, !all.isEmpty else { return all }
        return all.filter { !driver.known.contains($0.identity) && !driver.emptied.contains($0.identity) }
    }

    /// Ends the leftovers. Objects that end only later, such as operations that execute, remain leftovers
    /// until then.
    func endLeftovers() {
        driver?.isCleaning = true
        for leftover in leftovers() { leftover.end() }
        runtime.sources.suspensionsChanged()
    }

    private func unfinishedOperations() -> [Leftover] {
        var result: [Leftover] = []
        for slot in 0..<runtime.operations.entries.count {
            let id = runtime.operations.entries[slot].pointee.id
            guard id != .none, let view = runtime.operations.liveView(id), !view.pointee.isFinished,
                view.pointee.flags.contains(.isSubmitted)
                    || view.pointee.flags.contains(.wasStartedByHand)
            else { continue }
            let state =
                switch view.pointee.state {
                case .executing: "still executes"
                case .ready: "is ready and was not started"
                case .pending: "waits to be started"
                case .finished: "has finished"
                }
            let queue = runtime.operations.queue(of: view).map { " in queue '\($0.name)'" } ?? ""
            result.append(
                Leftover(
                    kind: "operation",
                    text: "operation '\(runtime.operations.name(view))' \(state)\(queue)",
                    place: runtime.operations.createdAt(view),
                    identity: id,
                    end: { [runtime] in
                        if let view = runtime.operations.liveView(id) { runtime.operations.cancel(view) }
                    }
                )
            )
        }
        return result
    }

    private func armedTimers() -> [Leftover] {
        runtime.timers.table.all.filter { $0.pointee.isScheduled && $0.pointee.isValid }
            .sorted {
                ($0.pointee.deadline, $0.pointee.place.line) < ($1.pointee.deadline, $1.pointee.place.line)
            }
            .map { pointer in
                let timer = pointer.pointee
                let kind = timer.repeats ? "repeating timer" : "timer"
                return Leftover(
                    kind: "timer",
                    text: "\(kind) is armed",
                    place: vm.describe(timer.place),
                    identity: runtime.timers.number(of: pointer),
                    end: { [runtime] in runtime.timers.invalidate(pointer) }
                )
            }
    }

    private func suspendedQueues() -> [Leftover] {
        runtime.queues.table.all.filter { $0.kind != .native && $0.isSuspended }.map { queue in
            let count = queue.count == 1 ? "1 operation" : "\(queue.count) operations"
            let inside = queue.count == 0 ? "" : ", with \(count) in it"
            return Leftover(
                kind: "queue",
                text: "queue '\(queue.name)' is suspended\(inside)",
                place: vm.describe(queue.place),
                identity: ObjectIdentifier(queue),
                // The object may live longer; by then, its operations have ended, and the queue belongs to no
                // part any more.
                end: { [scheduler, weak driver] in
                    scheduler.feed { $0.suspensionChanged(queue.id, to: false) }
                    driver?.emptied.insert(ObjectIdentifier(queue))
                }
            )
        }
    }

    private func openSources() -> [Leftover] {
        runtime.sources.table.all.map { source in
            Leftover(
                kind: "source",
                text: "\(source.description) is not cancelled",
                place: vm.describe(source.place),
                identity: ObjectIdentifier(source),
                end: { [runtime] in runtime.sources.cancelSource(source) }
            )
        }
    }

    private func runningThreads() -> [Leftover] {
        runtime.threads.executing.sorted { $0.key < $1.key }.map { number, thread in
            Leftover(
                kind: "thread",
                text: "thread '\(thread.name)' still executes",
                place: vm.describe(thread.place),
                identity: "thread \(number)",
                end: { [runtime] in runtime.threads.cancelThread(thread) }
            )
        }
    }

    private func waitingCallbacks() -> [Leftover] {
        runtime.waits.list.all.compactMap { wait in
            guard wait.task.operation == nil, wait.outcome == nil else { return nil }
            let text: String
            switch wait.task.end {
            case .main: return nil
            case .timer: text = "a timer's block waits"
            case .source: text = "a source's handler waits"
            default: text = "a callback waits"
            }
            return Leftover(
                kind: "callback",
                text: text,
                place: vm.describe(runtime.waits.place(of: wait)),
                identity: ObjectIdentifier(wait),
                end: { [runtime] in runtime.waits.cancel(wait) }
            )
        }
    }
}
