internal import LuaVM
internal import Scheduling

/// Takes a snapshot, on the script thread; the stack of the script is that of a function without arguments.
struct SnapshotTaking {
    private struct Candidate {
        let id: OperationID
        let name: String
        let place: String
        var pending: PendingOperation
        /// The unfinished operations on which it depends.
        var dependencies: [(id: OperationID, name: String, when: DependencyCondition)]
    }

    private let runtime: ScriptRuntime
    private let state: LuaState
    private(set) var snapshot = EngineSnapshot()

    init(_ runtime: ScriptRuntime, _ state: LuaState) {
        self.runtime = runtime
        self.state = state
    }

    mutating func take() {
        takeOperations()
        takeTimers()
        snapshot.omissions += runtime.run.leftovers().filter {
            ["source", "thread", "callback"].contains($0.kind)
        }
        .map { Self.sentence($0.text, $0.place) }
        state.setTop(0)
    }

    private static func sentence(_ text: String, _ place: String?) -> String {
        text + (place.map { " (\($0))" } ?? "")
    }

    // MARK: Operations

    private mutating func takeOperations() {
        let operations = runtime.operations
        let now = runtime.scheduler.clock.now
        let due = runtime.scheduler.feed { $0.delays }
        var candidates: [Candidate] = []
        for queue in runtime.queues.table.all where queue.kind != .inner {
            for view in operations.unfinished(queue).compactMap(operations.liveView) {
                state.setTop(0)
                let place = operations.createdAt(view)
                let name = operations.name(view)
                do throws(LuaRaise) {
                    guard var candidate = try candidate(view, in: queue) else { continue }
                    candidate.pending.delay = due[view.pointee.id].map { Double(max(0, $0 - now)) / 1e9 }
                    candidates.append(candidate)
                } catch {
                    snapshot.omissions.append(Self.sentence(error.text, place))
                    continue
                }
                if view.pointee.flags.contains(.hasCompletion) {
                    snapshot.omissions.append(
                        Self.sentence("the completion block of '\(name)' is a Lua function", place)
                    )
                }
            }
        }
        keep(candidates)
    }

    /// An operation as it may be held; nil if it has ended, which the script does not know yet.
    private func candidate(_ view: OperationPointer, in queue: ScriptQueue) throws(LuaRaise) -> Candidate? {
        let operations = runtime.operations
        let id = view.pointee.id
        let name = operations.name(view)
        switch runtime.scheduler.feed({ $0.state(of: id) }) {
        case .executing: throw .misuse("'\(name)' executes")
        case .finished, nil: return nil
        case .pending, .ready: break
        }
        guard let place = PendingQueue(queue) else {
            throw .misuse("'\(name)' is in '\(queue.name)', a queue of the host")
        }
        if view.pointee.kind == .group { throw .misuse("'\(name)' is a group") }
        operations.pushOperation(id, state)
        // The rest needs it at index 1.
        try operations.pushDescription(view, state)
        var description = try values(at: state.top, of: name)
        leaveAttempts(of: view, in: &description)
        var pending = PendingOperation(description: description, queue: place)
        pending.isBarrier = view.pointee.flags.contains(.isBarrier)
        let createdAt = operations.createdAt(view)
        var candidate = Candidate(id: id, name: name, place: createdAt, pending: pending, dependencies: [])
        guard operations.pushDependencyList(state, 1, view) else { return candidate }
        let list = state.top
        for place in stride(from: 1, through: state.rawLength(list), by: 1) {
            _ = state.rawGet(list, place)
            defer { state.pop() }
            guard let other = operations.operation(state, -1) else { continue }
            let otherID = other.pointee.id
            let when = runtime.scheduler.feed { $0.dependency(of: id, on: otherID)?.0 } ?? .notFailed
            let otherName = operations.name(state, -1, other)
            if !other.pointee.isFinished { candidate.dependencies.append((otherID, otherName, when)) }
        }
        // Of those that have finished, only the verdict matters.
        guard runtime.scheduler.feed({ $0.verdict(of: id) }) == .run else {
            throw .misuse("'\(name)' will be skipped because of an operation that has ended")
        }
        return candidate
    }

    /// The table at an index, without anything that cannot be stored. [-0, +0, -]
    private func values(at index: Int32, of name: String) throws(LuaRaise) -> ScriptTable {
        var reader = ValueReader(runtime, state)
        reader.keepsCounts = true
        let value: ScriptValue
        do throws(ScriptConversionError) {
            value = try reader.read(index)
        } catch {
            throw .misuse("'\(name)' cannot be stored: \(error.description)")
        }
        guard let table = value.table, ValueBytes.encode([value]) != nil else {
            throw .misuse("'\(name)' has an object of the host among its arguments")
        }
        guard value.hiding(runtime.link.secrets) == value else {
            throw .misuse("'\(name)' has a secret among its arguments")
        }
        return table
    }

    /// Only the attempts that have not been made count.
    private func leaveAttempts(of view: OperationPointer, in description: inout ScriptTable) {
        guard view.pointee.attempt > 0, case .table(var retry)? = description["retry"],
            let attempts = retry["attempts"]?.int
        else { return }
        retry["attempts"] = .integer(Int64(max(1, attempts - Int(view.pointee.attempt))))
        description["retry"] = .table(retry)
    }

    /// Keeps the candidates that depend only on others that are kept.
    private mutating func keep(_ all: [Candidate]) {
        var candidates = all
        while true {
            let held = Set(candidates.map(\.id))
            var kept: [Candidate] = []
            for candidate in candidates {
                guard let lacking = candidate.dependencies.first(where: { !held.contains($0.id) }) else {
                    kept.append(candidate)
                    continue
                }
                let text = "'\(candidate.name)' depends on '\(lacking.name)', which is not held"
                snapshot.omissions.append(Self.sentence(text, candidate.place))
            }
            if kept.count == candidates.count { break }
            candidates = kept
        }
        let places = Dictionary(uniqueKeysWithValues: candidates.enumerated().map { ($1.id, $0) })
        snapshot.operations = candidates.map { candidate in
            var pending = candidate.pending
            pending.dependencies = candidate.dependencies.compactMap { dependency in
                places[dependency.id].map { PendingDependency(operation: $0, when: dependency.when.name) }
            }
            return pending
        }
    }

    // MARK: Timers

    private mutating func takeTimers() {
        let now = runtime.scheduler.clock.now
        let timers = runtime.timers.table.all.filter { $0.pointee.isScheduled && $0.pointee.isValid }
        for timer in timers.sorted(by: { $0.pointee.deadline < $1.pointee.deadline }) {
            let place = runtime.vm.describe(timer.pointee.place)
            state.setTop(0)
            runtime.timers.table.push(timer, state)
            do throws(LuaRaise) {
                guard timer.pointee.action == .operation, !timer.pointee.hasCalendar,
                    state.getUserValue(1, TimerValue.subject) == .table
                else { throw .misuse("a timer calls a Lua function") }
                let operation = try values(at: 2, of: "the operation of a timer")
                _ = state.getUserValue(1, TimerValue.queue)
                guard let queue = runtime.queues.scriptQueue(state, -1).flatMap({ PendingQueue($0) }) else {
                    throw .misuse("a timer adds to a queue that is not held")
                }
                snapshot.timers.append(
                    PendingTimer(
                        operation: operation,
                        queue: queue,
                        interval: timer.pointee.interval,
                        repeats: timer.pointee.repeats,
                        delay: Double(max(0, timer.pointee.deadline - now)) / 1e9,
                        tolerance: timer.pointee.tolerance,
                        keepsAlive: timer.pointee.keepsAlive,
                        overlaps: timer.pointee.overlaps
                    )
                )
            } catch {
                snapshot.omissions.append(Self.sentence(error.text, place))
            }
        }
    }
}

extension PendingQueue {
    /// nil for a queue of the host.
    init?(_ queue: ScriptQueue) {
        switch queue.kind {
        case .main: kind = .main
        case .standard: kind = .standard
        case .ordinary: kind = .operation
        case .dispatch:
            switch queue.dispatch?.shape {
            case .global: kind = .global
            case .concurrent: kind = .concurrent
            case .serial, nil: kind = .serial
            }
        case .inner, .native: return nil
        }
        name = queue.name
        width = queue.width
    }
}
