internal import LuaVM
internal import Scheduling

/// An object of a script that has not ended.
struct Leftover {
    /// `operation`, `timer`, `queue`, `source`, `thread` or `callback`.
    var kind: String
    /// What it is, and its state.
    var text: String
    /// Where it was made: `job.lua:7`.
    var place: String?
}

extension ScriptRun {
    /// Everything that would go on, or wait for ever, if the run ended now: by kind, in the order of creation.
    func leftovers() -> [Leftover] {
        unfinishedOperations() + armedTimers() + suspendedQueues() + openSources() + runningThreads()
            + waitingCallbacks()
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
                    place: runtime.operations.createdAt(view)
                )
            )
        }
        return result
    }

    private func armedTimers() -> [Leftover] {
        runtime.timers.table.all.map(\.pointee).filter { $0.isScheduled && $0.isValid }
            .sorted { ($0.deadline, $0.place.line) < ($1.deadline, $1.place.line) }
            .map { timer in
                let kind = timer.repeats ? "repeating timer" : "timer"
                return Leftover(kind: "timer", text: "\(kind) is armed", place: vm.describe(timer.place))
            }
    }

    private func suspendedQueues() -> [Leftover] {
        runtime.queues.table.all.filter { $0.kind != .native && $0.isSuspended }.map { queue in
            let count = queue.count == 1 ? "1 operation" : "\(queue.count) operations"
            let inside = queue.count == 0 ? "" : ", with \(count) in it"
            return Leftover(
                kind: "queue",
                text: "queue '\(queue.name)' is suspended\(inside)",
                place: vm.describe(queue.place)
            )
        }
    }

    private func openSources() -> [Leftover] {
        runtime.sources.table.all.map { source in
            Leftover(
                kind: "source",
                text: "\(source.description) is not cancelled",
                place: vm.describe(source.place)
            )
        }
    }

    private func runningThreads() -> [Leftover] {
        runtime.threads.executing.sorted { $0.key < $1.key }.map { _, thread in
            Leftover(
                kind: "thread",
                text: "thread '\(thread.name)' still executes",
                place: vm.describe(thread.place)
            )
        }
    }

    private func waitingCallbacks() -> [Leftover] {
        runtime.waits.list.all.compactMap { wait in
            guard wait.task.operation == nil, wait.outcome == nil else { return nil }
            switch wait.task.end {
            case .main: return nil
            case .timer:
                return Leftover(
                    kind: "callback",
                    text: "a timer's block waits",
                    place: vm.describe(wait.place)
                )
            case .source:
                return Leftover(
                    kind: "callback",
                    text: "a source's handler waits",
                    place: vm.describe(wait.place)
                )
            default:
                return Leftover(kind: "callback", text: "a callback waits", place: vm.describe(wait.place))
            }
        }
    }
}
