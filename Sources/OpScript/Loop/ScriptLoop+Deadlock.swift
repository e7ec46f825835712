internal import LuaVM
internal import Scheduling

extension ScriptLoop {
    /// How often the scheduler is asked for something that it left behind, so that a defect cannot keep a run from
    /// ending.
    private static let mostLeftBehind = 100

    /// Called if nothing can move: asks the queues themselves whether an operation could start. If one could, that is a
    /// defect of OpScript, which is reported, and the operation starts: true.
    func takesUpLeftBehind() -> Bool {
        guard runState.report.defects.count < Self.mostLeftBehind,
            let lost = scheduler.feed({ $0.takeUpLeftBehind() })
        else { return false }
        let name = operations.liveView(lost.operation).map {
            "'\(operations.name($0))' (\(operations.createdAt($0)))"
        }
        let defect =
            "\(name ?? "an operation") could start in queue '\(queueName(lost.queue))' (\(lost.lane)), and was left "
            + "behind; it starts now"
        runState.report.defects.append(defect)
        runtime.diagnose("defect of OpScript: \(defect). Please report this together with the script")
        return true
    }

    /// Called if nothing can move: ends one wait with the reason. If nothing waits, the run is over: false.
    func breakDeadlock() -> Bool {
        if waits.endClockRuns() { return true }
        let pending = waits.list.all.reversed().filter { $0.outcome == nil }
        guard !pending.isEmpty else {
            noteStuck()
            return false
        }
        // A wait for itself is the first choice, then the wait that began last; the main chunk's wait is the
        // last choice.
        for wait in pending {
            guard let own = wait.task.operation, let links = circle(of: wait, in: own) else { continue }
            let name = operations.liveView(own).map { "'\(operations.name($0))'" } ?? "'operation'"
            let reason = "this wait is inside \(name), which \(name) itself is waiting for"
            var isDirect = links.count == 1
            if case .queue = wait.target { isDirect = false }
            raiseDeadlock(wait, text(reason, isDirect ? [] : links))
            return true
        }
        let chosen = pending.first { !isMainChunk($0.task) } ?? pending[0]
        raiseDeadlock(chosen, reason(of: chosen))
        return true
    }

    private func isMainChunk(_ task: ScriptTask) -> Bool {
        if case .main = task.end { return true }
        return false
    }

    private func raiseDeadlock(_ wait: Wait, _ text: String) {
        let place = vm.describe(waits.place(of: wait)).map { "\($0): " } ?? ""
        let error = ErrorValue(.deadlock, place + text)
        // A script may catch the error, so the frames are recorded here. Those of a coroutine within are not at hand.
        if wait.knownPlace == nil { error.frames = vm.currentFrames(wait.task.root.state) }
        if let id = wait.task.operation, let view = operations.liveView(id) {
            error.operationName = operations.name(view)
            error.createdAt = operations.createdAt(view)
        }
        waits.end(wait, .failed(error))
    }

    // MARK: Chains of waits

    private func targets(_ wait: Wait) -> [OperationID] {
        switch wait.target {
        case .operations(let ids, _): ids.filter(isUnfinished)
        case .queue(let queue): operations.unfinished(queue)
        case .source(let source): source.pendingOperations.filter(isUnfinished)
        case .time, .something: []
        }
    }

    private func isUnfinished(_ id: OperationID) -> Bool {
        operations.liveView(id).map { !$0.pointee.isFinished } ?? false
    }

    /// The operations that an operation waits for before it can start or end.
    private func next(_ id: OperationID) -> [WaitLink] {
        switch scheduler.feed({ $0.obstacle(of: id) }) {
        case .dependency(let other): return [WaitLink(id, other, .dependency)]
        case .inside(let other): return [WaitLink(id, other, .inside)]
        case .unstartedGroup(let group): return [WaitLink(id, group, .unstartedGroup)]
        case .barrier(let other): return [WaitLink(id, other, .barrier)]
        case .noSlot(let queue, let holders):
            return holders.map { WaitLink(id, $0, .slot(queue, holders: holders.count)) }
        case .resource(let name, let holders):
            return holders.map { WaitLink(id, $0, .resource(name, holders: holders.count)) }
        case .resourceKept(let name, let other): return [WaitLink(id, other, .resourceKept(name))]
        case .executing:
            var result: [WaitLink] = []
            for task in operations.entry(id)?.pointee.tasks ?? [] {
                if let wait = task.wait { result += links(of: wait, in: id) }
            }
            if let inner = operations.entry(id)?.pointee.attachment?.inner {
                result += operations.unfinished(inner).map { WaitLink(id, $0, .inside) }
            }
            return result
        case .notAdded, .suspended, .noWidth, .time, .nothing: return []
        }
    }

    private func links(of wait: Wait, in own: OperationID) -> [WaitLink] {
        var how = WaitLink.How.awaits
        if case .queue(let queue) = wait.target { how = .queue(queue) }
        return targets(wait).map { WaitLink(own, $0, how) }
    }

    /// `'a' depends on 'b'`
    private func text(_ link: WaitLink) -> String {
        let (own, other) = (quotedName(link.waiter), quotedName(link.target))
        func held(_ holders: Int) -> String {
            "which \(other) holds\(holders > 1 ? " (and \(holders - 1) more)" : "")"
        }
        switch link.how {
        case .dependency: return "\(own) depends on \(other)"
        case .inside: return "\(own) waits for \(other), which is inside it"
        case .unstartedGroup: return "\(own) is inside \(other), which has not started"
        case .barrier:
            let queue = operations.liveView(link.waiter).flatMap { operations.queue(of: $0) }
            let barrier = queue?.isSerial ?? false ? "" : ", with a barrier between them"
            return
                "\(own) waits for \(other), which is before it in queue '\(queue?.name ?? "queue")'\(barrier)"
        case .slot(let queue, let holders): return "\(own) waits for \(slot(of: queue)), \(held(holders))"
        case .resource(let name, let holders):
            return "\(own) waits for \(QueueRate.text(ofResource: name)), \(held(holders))"
        case .resourceKept(let name):
            return
                "\(own) waits for \(QueueRate.text(ofResource: name)), which is kept for \(other), which goes before it"
        case .awaits: return "\(own) waits for \(other)"
        case .queue(let queue):
            return "\(own) waits for queue '\(queue.name)', in which \(other) has not finished"
        }
    }

    /// How many steps of a chain a message has at most.
    private static let mostSteps = 12

    /// A reason, followed by the chain that leads to it. The middle of a long chain is left out.
    private func text(_ reason: String, _ links: [WaitLink]) -> String {
        guard !links.isEmpty else { return reason }
        let left = links.count - Self.mostSteps
        guard left > 0 else { return "\(reason): \(links.map(text).joined(separator: "; "))" }
        let half = Self.mostSteps / 2
        let steps = links.prefix(half).map(text) + ["(\(left) more)"] + links.suffix(half).map(text)
        return "\(reason): \(steps.joined(separator: "; "))"
    }

    /// The name of a slot of a queue in a message.
    private func slot(of id: QueueID) -> String {
        guard let queue = queues.table[id.index] else { return "a slot of its queue" }
        if queue.kind == .dispatch { return "its turn in the queue '\(queue.name)'" }
        if queue.kind == .inner { return "a slot inside of '\(queue.name)'" }
        return "a slot of queue '\(queue.name)' (maxConcurrentOperationCount \(queue.width))"
    }

    /// The default names, which do not identify an operation.
    private static let defaultNames: Set<String> = ["operation", "async", "sync", "group", "gate", "isolate"]

    /// The name of an operation in quotation marks; followed by the place where it was created, if the name
    /// is a default name.
    private func quotedName(_ id: OperationID) -> String {
        guard let view = operations.liveView(id) else { return "'operation'" }
        let name = operations.name(view)
        return Self.defaultNames.contains(name) ? "'\(name)' (\(operations.createdAt(view)))" : "'\(name)'"
    }

    /// The shortest chain from a wait back to the operation whose body waits; nil if there is none.
    ///
    /// - Complexity: O(operations and their dependencies), with at most 100 000 of both together.
    private func circle(of wait: Wait, in own: OperationID) -> [WaitLink]? {
        var cameFrom: [OperationID: WaitLink] = [:]
        var front = [links(of: wait, in: own)]
        var seen = 0
        while !front.isEmpty {
            var further: [[WaitLink]] = []
            for links in front {
                for link in links where cameFrom[link.target] == nil {
                    cameFrom[link.target] = link
                    if link.target == own { return chain(to: own, cameFrom) }
                    seen += 1
                }
            }
            for links in front {
                for link in links where cameFrom[link.target]?.waiter == link.waiter {
                    guard seen < 100_000 else { return nil }
                    let more = next(link.target)
                    seen += more.count
                    further.append(more)
                }
            }
            front = further
        }
        return nil
    }

    private func chain(to end: OperationID, _ cameFrom: [OperationID: WaitLink]) -> [WaitLink] {
        var links: [WaitLink] = []
        var next = end
        repeat {
            guard let link = cameFrom[next] else { break }
            links.append(link)
            next = link.waiter
        } while next != end
        return links.reversed()
    }

    // MARK: Reasons in words

    private func reason(of wait: Wait) -> String {
        switch wait.target {
        case .operations(let ids, _):
            guard let first = ids.first(where: isUnfinished) else {
                return "nothing is left that could end this wait"
            }
            return reason(first)
        case .queue(let queue):
            if let first = operations.unfinished(queue).first { return reason(first) }
            return "nothing is left that could end the wait for queue '\(queue.name)'"
        case .source(let source): return targets(wait).first.map(reason) ?? source.reason
        case .time: return "nothing is left that could end this wait"
        case .something(let what): return "nothing is left that could end the wait for \(what)"
        }
    }

    /// Follows the chain of waits from an operation to the obstacle that nothing can remove any more. Names
    /// that obstacle first, and then the chain.
    private func reason(_ id: OperationID) -> String {
        var roots: [OperationID: String] = [:]
        return reason(id, &roots)
    }

    /// The same for one of several operations.
    ///
    /// - Parameter roots: The reasons that were given for earlier operations; the chain ends at one of those.
    ///   Therefore several operations that wait for each other cost no more than all of their links.
    private func reason(_ id: OperationID, _ roots: inout [OperationID: String]) -> String {
        var id = id
        var links: [WaitLink] = []
        var visited: [OperationID] = []
        var seen: Set<OperationID> = []
        var root: String?
        while root == nil, seen.insert(id).inserted {
            if let known = roots[id] { return noted(known, visited, links, &roots) }
            visited.append(id)
            if let link = next(id).first {
                links.append(link)
                id = link.target
            } else {
                root = self.root(of: id, &links)
            }
        }
        return noted(root ?? "\(quotedName(id)) waits for itself", visited, links, &roots)
    }

    private func noted(
        _ root: String,
        _ visited: [OperationID],
        _ links: [WaitLink],
        _ roots: inout [OperationID: String]
    ) -> String {
        for id in visited { roots[id] = root }
        return text(root, links)
    }

    /// The obstacle of an operation that waits for no other operation. Removes the last link of the chain if
    /// the sentence already contains it.
    private func root(of id: OperationID, _ links: inout [WaitLink]) -> String {
        let own = quotedName(id)
        switch scheduler.feed({ $0.obstacle(of: id) }) {
        case .notAdded:
            guard let last = links.popLast() else { return "\(own) was never added to a queue" }
            return "\(quotedName(last.waiter)) waits for \(own), which was never added to a queue"
        case .suspended(let held):
            let queue = scheduler.feed { $0.suspension(of: held) } ?? held
            return "queue '\(queueName(queue))' is suspended and nothing is left that could resume it"
        case .noWidth(let queue): return "queue '\(queueName(queue))' has maxConcurrentOperationCount 0"
        case .noSlot(let queue, _): return "queue '\(queueName(queue))' has no free slot"
        case .resource(let name, _):
            return "\(own) waits for \(QueueRate.text(ofResource: name)), which nothing is left to give back"
        case .executing: return end(of: id, own, &links)
        case .time, .nothing, .dependency, .inside, .unstartedGroup, .barrier, .resourceKept:
            return "\(own) waits, and nothing is left that could let it continue"
        }
    }

    /// The reason why an operation that has started, and waits for no other one, never ends.
    private func end(of id: OperationID, _ own: String, _ links: inout [WaitLink]) -> String {
        guard let view = operations.liveView(id) else {
            return "\(own) has started, and nothing is left that could finish it"
        }
        if let simulation = virtualTime.simulation, simulation.faults.holds(id) {
            return "\(own) is held on purpose, and nothing is left that could release it"
        }
        if view.pointee.kind == .gate {
            guard let last = links.popLast() else { return "nothing is left that could end the gate \(own)" }
            return "\(quotedName(last.waiter)) waits for the gate \(own), which nothing is left to end"
        }
        let waits = operations.entry(id)?.pointee.tasks.compactMap(\.wait) ?? []
        if let wait = waits.first(where: { $0.outcome == nil }) { return "\(own) waits: \(reason(of: wait))" }
        return "\(own) has started, and nothing is left that could finish it"
    }

    private func queueName(_ queue: QueueID) -> String { queues.table[queue.index]?.name ?? "queue" }

    // MARK: At the end of a run

    /// Whether a queue is the inner queue of a group that was not added to a queue: then the group itself is reported.
    private func isInsideOfUnadded(_ queue: ScriptQueue) -> Bool {
        guard let owner = queue.owner else { return false }
        return operations.liveView(owner).map { !$0.pointee.flags.contains(.isSubmitted) } ?? true
    }

    /// Reports events of sources that keep the run alive, and whose handlers nothing can call any more.
    func noteStuckSources() {
        for source in sources.table.all where source.keepsAlive && source.waitsForQueue {
            let queue = scheduler.feed { $0.suspension(of: source.queue.id) } ?? source.queue.id
            let place = vm.describe(source.place).map { " (\($0))" } ?? ""
            runState.report.stuck.append(
                "an event of the \(source.description)\(place) can never be handled: queue '\(queueName(queue))' is "
                    + "suspended and nothing is left that could resume it"
            )
        }
    }

    /// Reports operations that nothing can start or end any more.
    private func noteStuck() {
        noteStuckSources()
        var roots: [OperationID: String] = [:]
        var told: Set<String> = []
        for queue in queues.table.all where !isInsideOfUnadded(queue) {
            for id in operations.unfinished(queue) {
                guard let view = operations.liveView(id), operations.entry(id)?.pointee.isSourceCall != true
                else {
                    continue
                }
                let sentence = reason(id, &roots)
                let event = view.pointee.state == .executing ? "end" : "run"
                let own =
                    "'\(operations.name(view))' (\(operations.createdAt(view))) can never \(event): \(sentence)"
                if told.insert(own).inserted { runState.report.stuck.append(own) }
            }
        }
        for id in operations.startedByHand.sorted(by: { $0.slot < $1.slot }) {
            guard let view = operations.liveView(id), !view.pointee.isFinished else { continue }
            runState.report.stuck.append(
                "'\(operations.name(view))' (\(operations.createdAt(view))) can never end: \(reason(id))"
            )
        }
    }
}
