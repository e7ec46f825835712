internal import LuaVM
internal import Scheduling

/// Operations among the blocks of a block operation, made anew for each attempt after the first one.
extension Operations {
    /// Refuses blocks that cannot be made anew, if the block operation at an index has further attempts.
    func checkRenewable(_ view: OperationPointer, _ state: LuaState, _ index: Int32) throws(LuaRaise) {
        guard view.pointee.flags.contains(.hasBlocks),
            let retry = entry(view.pointee.id)?.pointee.retry, retry.policy.attempts > 1
        else { return }
        let top = state.top
        defer { state.setTop(top) }
        guard getField("\0blocks", of: index, view, state) == .table else { return }
        for place in stride(from: 1, through: state.rawLength(top + 1), by: 1) {
            _ = state.rawGet(top + 1, place)
            defer { state.pop() }
            guard let block = operation(state, -1) else { continue }
            try checkRenewable(block, state, in: view)
        }
    }

    /// Refuses the block on top, if it cannot be made anew.
    func checkRenewable(_ block: OperationPointer, _ state: LuaState, in owner: OperationPointer)
        throws(LuaRaise)
    {
        let reason: String
        if !isRenewable(block) {
            reason =
                "(\(block.pointee.type.text)) cannot be made anew for another attempt; works and functions can"
        } else if runtime.journaling.ticket(block)?.patterns.outputs?.isEmpty == false {
            reason =
                "has outputs, and what reads them would not wait for the last attempt; set the 'retry' of the block "
                + "instead"
        } else {
            return
        }
        throw .misuse("'\(name(owner))' cannot be retried: its block '\(name(state, -1, block))' \(reason)")
    }

    private func isRenewable(_ block: OperationPointer) -> Bool {
        switch block.pointee.kind {
        case .work, .sleep, .simulated: entry(block.pointee.id)?.pointee.body != nil
        case .main: block.pointee.type != .subclass && !block.pointee.flags.contains(.hasBlocks)
        case .start, .group, .gate: false
        }
    }

    /// Keeps what is needed to make the block on top anew, as long as the block operation may be retried.
    func keepForRenewal(_ block: OperationPointer, at place: Int, of run: BlockRun) {
        guard let entry = entry(block.pointee.id) else { return }
        let id = block.pointee.id
        let others = dependencies(of: block)
        let body = entry.pointee.body
        run.renewals[place] = BlockRenewal(
            kind: block.pointee.kind,
            priority: block.pointee.priority,
            body: body,
            box: block.pointee.kind == .work ? body : entry.pointee.attachment?.resultBox,
            retry: entry.pointee.retry,
            ticket: entry.pointee.attachment?.ticket,
            dependencies: scheduler.visit { core in
                others.map { other in
                    // It is over, and lets the block run.
                    guard let (condition, isArgument) = core.dependency(of: id, on: other) else {
                        return .init(condition: .finished, isArgument: false)
                    }
                    return .init(condition: condition, isArgument: isArgument)
                }
            }
        )
    }

    /// Replaces the blocks in a list that an earlier attempt has used: new operations with the same bodies, the same
    /// properties and the same dependencies, also among each other.
    func renewBlocks(_ renewals: [Int: BlockRenewal], _ list: Int32, _ state: LuaState) throws(LuaRaise) {
        if renewals.isEmpty { return }
        let top = state.top
        defer { state.setTop(top) }
        var bodies = RenewedBodies(renewals)
        var places: [OperationID: Int] = [:]
        state.newTable(array: renewals.count)
        for (place, renewal) in renewals.sorted(by: { $0.key < $1.key }) {
            _ = state.rawGet(list, place)
            places[try requireOperation(state, top + 2).pointee.id] = place
            try renewBlock(renewal, bodies.body(at: place), bodies.box(at: place), state)
            state.rawSet(list, place)
            state.rawSet(top + 1, place)
        }
        for (place, renewal) in renewals.sorted(by: { $0.key < $1.key }) {
            state.setTop(top + 1)
            _ = state.rawGet(list, place)
            _ = state.rawGet(top + 1, place)
            let old = try requireOperation(state, top + 3)
            guard pushDependencyList(state, top + 3, old) else { continue }
            for (offset, dependency) in renewal.dependencies.enumerated() {
                _ = state.rawGet(top + 4, offset + 1)
                if let other = operation(state, -1)?.pointee.id, let sibling = places[other] {
                    _ = state.rawGet(list, sibling)
                }
                let (condition, isArgument) = (dependency.condition, dependency.isArgument)
                try addDependency(state, top + 2, state.top, condition, isArgument: isArgument)
                state.setTop(top + 4)
            }
        }
    }

    /// Pushes a new operation with the properties of the block on top. [-0, +1, -]
    private func renewBlock(
        _ renewal: BlockRenewal,
        _ body: WorkBody?,
        _ box: ResultBox?,
        _ state: LuaState
    ) throws(LuaRaise) {
        let index = state.top
        let old = try requireOperation(state, index)
        let flags = old.pointee.flags
        let view = newOperation(state, renewal.kind, old.pointee.type, work: old.pointee.work)
        let made = state.top
        view.pointee.flags.formUnion(flags.intersection([.isAsync, .allowsFailure, .isResultUsed]))
        view.pointee.priority = renewal.priority
        view.pointee.qualityOfService = old.pointee.qualityOfService
        view.pointee.source = old.pointee.source
        view.pointee.line = old.pointee.line
        let entry = entries[Int(view.pointee.id.slot)]
        entry.pointee.retry = renewal.retry
        if let body, let original = renewal.body {
            if flags.contains(.isAsync) {
                body.spawn(by: runtime.bodies.current?.request?.spawner ?? runtime.run.taskSpawner)
            }
            if let mode = original.outputMode { body.outputMode = mode }
            body.ticket = original.ticket
            entry.pointee.body = body
        } else {
            state.getValue(.body, of: old, at: index)
            state.setValue(.body, of: view, at: made)
        }
        if let ticket = renewal.ticket { attachment(view.pointee.id).ticket = ticket }
        if let box, box !== body { attachment(view.pointee.id).resultBox = box }
        if flags.contains(.hasName), pushName(state, index, old) == .string {
            takeName(of: view, at: made, state)
        }
        for name in ["timeout", "threadPriority", "resources", "userInfo", "cluster", Self.whenKey] {
            if getField(name, of: index, old, state) == .nil {
                state.pop()
            } else {
                setField(name, of: made, view, state) { $0.pushValue(made + 1) }
                state.pop()
            }
        }
        hide(view)
    }
}

/// A block that is an operation, for its next attempts.
struct BlockRenewal {
    let kind: OperationView.Kind
    let priority: OperationPriority
    let body: WorkBody?
    /// The box from which other closures read its result; nil if none does.
    let box: ResultBox?
    let retry: RetryBox?
    /// That of a body in Lua; other bodies have their own.
    let ticket: JournalTicket?
    /// In the order of its list of dependencies.
    let dependencies: [Dependency]

    struct Dependency {
        let condition: DependencyCondition
        let isArgument: Bool
    }
}

/// The bodies of an attempt, in which the results of other blocks are those of the same attempt.
private struct RenewedBodies {
    private let renewals: [Int: BlockRenewal]
    /// By the box of the first attempt.
    private var places: [ObjectIdentifier: Int] = [:]
    private var bodies: [Int: WorkBody] = [:]
    private var boxes: [Int: ResultBox] = [:]

    init(_ renewals: [Int: BlockRenewal]) {
        self.renewals = renewals
        for (place, renewal) in renewals {
            if let box = renewal.box { places[ObjectIdentifier(box)] = place }
        }
    }

    mutating func body(at place: Int) -> WorkBody? {
        if let body = bodies[place] { return body }
        guard let original = renewals[place]?.body else { return nil }
        let arguments =
            original.takesOperations
            ? ArgumentList(original.arguments.values.map { value($0) }) : original.arguments
        let body = WorkBody(original.definition, arguments, takesOperations: original.takesOperations)
        bodies[place] = body
        return body
    }

    mutating func box(at place: Int) -> ResultBox? {
        guard let renewal = renewals[place], renewal.box != nil else { return nil }
        if renewal.kind == .work { return body(at: place) }
        let box = boxes[place] ?? ResultBox()
        boxes[place] = box
        return box
    }

    private mutating func value(_ value: ScriptValue) -> ScriptValue {
        switch value {
        case .object(let object):
            guard let place = places[ObjectIdentifier(object)], let box = box(at: place) else { return value }
            return .object(box)
        case .array(let elements): return .array(elements.map { self.value($0) })
        case .table(var table):
            for place in table.entries.indices {
                table.entries[place].value = self.value(table.entries[place].value)
            }
            return .table(table)
        default: return value
        }
    }
}
