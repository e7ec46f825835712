internal import LuaVM
internal import Scheduling

/// The types that make operations, as a script calls them.
enum OperationConstructors {
    static let all = [
        ScriptConstructor(
            name: "Operation",
            parameters: "fn or options",
            call: makeOperation,
            functions: [.init("subclass", "type, name", subclass)],
            // The functions of the base class, which subclasses call as `Operation.main(self)`.
            setMember: setClassMember
        ),
        ScriptConstructor(name: "BlockOperation", parameters: "body, …", call: makeBlockOperation),
        ScriptConstructor(
            name: "InvocationOperation",
            parameters: "target, method, args…",
            call: makeInvocationOperation
        ),
        ScriptConstructor(
            name: "GroupOperation",
            parameters: "{ ops…, name, maxConcurrentOperationCount, … }",
            call: makeGroupOperation
        ),
        ScriptConstructor(name: "Gate", parameters: "[name]", call: makeGate),
    ]
}

// MARK: Operation

/// `Operation(fn)` or `Operation { … }`; the type itself is the first argument.
private func makeOperation(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.removeFirst()
        if state.isFunction(1) {
            state.setTop(1)
            let view = runtime.operations.newOperation(state, .main, .operation)
            state.pushValue(1)
            state.setValue(.body, of: view, at: -2)
            return 1
        }
        guard state.isTable(1) else {
            throw LuaRaise(
                argument: 1,
                "function or table expected, got \(runtime.operations.kindName(state, 1))"
            )
        }
        state.setTop(1)
        try runtime.operations.makeOperation(fromTable: 1, state)
        return 1
    }
}

extension Operations {
    /// Makes an operation from a table of options. [-0, +1, -]
    func makeOperation(fromTable index: Int32, _ state: LuaState) throws(LuaRaise) {
        let options = OptionTable(runtime, state, index, of: "Operation")
        let work = try options.string("work")
        let hasMain = options.push("main")
        if hasMain { guard state.isFunction(-1) else { throw options.mismatch("main", "function") } }
        let mainIndex = state.top
        let hasStart = options.push("start")
        if hasStart { guard state.isFunction(-1) else { throw options.mismatch("start", "function") } }
        let startIndex = state.top
        try options.refuseOthers(
            also: ["args", "dependencies"] + OperationBinding.type.settableNames
        )
        let bodies = [work != nil, hasMain, hasStart].count(where: { $0 })
        guard bodies == 1 else {
            throw LuaRaise(
                argument: 1,
                bodies == 0
                    ? "one of 'work', 'main' and 'start' expected, got none"
                    : "one of 'work', 'main' and 'start' expected, got \(bodies)"
            )
        }
        let view: OperationPointer
        if let work {
            view = try makeWorkOperation(named: work, options, state)
        } else {
            view = newOperation(state, hasStart ? .start : .main, .operation)
            state.pushValue(hasStart ? startIndex : mainIndex)
            state.setValue(.body, of: view, at: -2)
        }
        try constructing(view) { () throws(LuaRaise) in
            try setOptions(options, view, at: state.top, state)
            if work == nil, options.push("args") {
                throw LuaRaise(.argument, "'args' are for a 'work'; a function captures its variables")
            }
        }
    }

    /// Runs the rest of a constructor. If that fails, the script does not get the operation, and need not add it.
    func constructing(_ view: OperationPointer, _ rest: () throws(LuaRaise) -> Void) throws(LuaRaise) {
        do throws(LuaRaise) {
            try rest()
        } catch {
            hide(view)
            throw error
        }
    }

    /// The script does not get an operation that was made.
    func hide(_ view: OperationPointer) { entry(view.pointee.id)?.pointee.isHidden = true }

    /// Applies a table of options to the operation at an index.
    func setOptions(
        _ options: OptionTable,
        _ view: OperationPointer,
        at index: Int32,
        _ state: LuaState
    ) throws(LuaRaise) {
        try options.set(OperationBinding.properties, of: view, at: index)
        if options.push("dependencies") {
            guard state.isTable(-1) else { throw options.mismatch("dependencies", "table of operations") }
            let list = state.top
            if state.hasOnlyNames(list) {
                throw LuaRaise(
                    .argument,
                    "bad value for 'dependencies' (list of operations expected, got a table that has only names)"
                )
            }
            for place in stride(from: 1, through: state.rawLength(list), by: 1) {
                _ = state.rawGet(list, place)
                guard operation(state, -1) != nil else {
                    throw LuaRaise(
                        .argument,
                        "bad value for 'dependencies' (operation expected at [\(place)], got \(kindName(state, -1)))"
                    )
                }
                try addDependency(state, index, state.top, .notFailed)
                state.pop()
            }
            state.pop()
        }
    }

    private func makeWorkOperation(
        named work: String,
        _ options: OptionTable,
        _ state: LuaState
    ) throws(LuaRaise) -> OperationPointer {
        guard let definition = works.catalogue.index(of: work) else { throw unknownWork(work) }
        var count = 0
        let first = state.top + 1
        if options.push("args") {
            guard state.isTable(-1) else { throw options.mismatch("args", "table") }
            let list = state.top
            count = state.rawLength(list)
            if state.rawGet(list, "n") == .number, let packed = state.wholeNumber(-1), packed >= 0,
                packed < 1000
            {
                count = packed
            }
            state.pop()
            guard state.ensureSpace(forList: count) else {
                throw LuaRaise(.argument, "too many arguments for '\(work)'")
            }
            for place in stride(from: 1, through: count, by: 1) { _ = state.rawGet(list, place) }
            state.remove(list)
        }
        let view = try makeWork(Int32(definition), state, first: first, count: count)
        // Only the operation stays on the stack; without arguments it is in place already.
        if state.top > first { state.replace(first) }
        state.setTop(first)
        return view
    }

    func unknownWork(_ name: String) -> LuaRaise {
        let near = nearestNames(name)
        return .misuse("there is no work '\(name)'" + (near.isEmpty ? "" : " (did you mean \(near)?)"))
    }

    private func nearestNames(_ name: String) -> String {
        let names = works.catalogue.names
        let spaces = Set(names.compactMap { $0.split(separator: ".").first.map(String.init) })
        return nearestName(to: name, among: names + spaces.sorted()).map { "'\($0)'" } ?? ""
    }
}

// MARK: BlockOperation

private func makeBlockOperation(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.removeFirst()
        let count = state.top
        for index in stride(from: Int32(1), through: count, by: 1)
        where !state.isFunction(index) && runtime.operations.operation(state, index) == nil {
            throw LuaRaise(
                argument: index,
                "function or operation expected, got \(runtime.operations.kindName(state, index))"
            )
        }
        let view = runtime.operations.newOperation(state, .main, .block)
        if count == 1, state.isFunction(1) {
            state.pushValue(1)
            state.setValue(.body, of: view, at: -2)
            return 1
        }
        view.pointee.flags.insert(.hasBlocks)
        state.newTable(array: Int(count))
        for index in stride(from: Int32(1), through: count, by: 1) {
            state.pushValue(index)
            // The block operation adds it.
            if let block = runtime.operations.operation(state, -1) { runtime.operations.hide(block) }
            state.rawSet(-2, Int(index))
        }
        let list = state.top
        runtime.operations.setField("\0blocks", of: list - 1, view, state) { $0.pushValue(list) }
        state.pop()
        return 1
    }
}

/// `op:addExecutionBlock(fn | operation)`
func operationAddExecutionBlock(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let view = try runtime.operations.requireOperation(state, 1)
        guard view.pointee.type == .block else {
            throw .misuse(
                "'addExecutionBlock' is for a BlockOperation; '\(runtime.operations.name(state, 1, view))' is not one"
            )
        }
        guard state.isFunction(2) || runtime.operations.operation(state, 2) != nil else {
            throw LuaRaise(
                argument: 2,
                "function or operation expected, got \(runtime.operations.kindName(state, 2))"
            )
        }
        if view.pointee.isFinished || view.pointee.state == .executing {
            throw .misuse(
                "'\(runtime.operations.name(state, 1, view))' has "
                    + "\(view.pointee.isFinished ? "already finished" : "already started"): "
                    + "blocks are added before it executes"
            )
        }
        let recording = runtime.journaling.ticket(view)?.recording ?? .never
        guard recording == .never else {
            throw .misuse(
                "'\(runtime.operations.name(state, 1, view))' has the recording \"\(recording.rawValue)\", which is "
                    + "for one function: set it for the operations among the blocks"
            )
        }
        state.setTop(2)
        if state.rawEqual(1, 2) { throw LuaRaise(.cycle, "an operation cannot be its own block") }
        if let block = runtime.operations.operation(state, 2)?.pointee.id {
            let id = view.pointee.id
            if runtime.scheduler.feed({ $0.dependency(of: id, on: block) != nil }) {
                throw LuaRaise(
                    .cycle,
                    "'\(runtime.operations.name(state, 1, view))' depends on this operation, so that cannot be "
                        + "its block"
                )
            }
        }
        if view.pointee.flags.contains(.hasBlocks) {
            _ = runtime.operations.getField("\0blocks", of: 1, view, state)
        } else {
            state.newTable(array: 2)
            state.getValue(.body, of: view, at: 1)
            state.rawSet(3, 1)
            view.pointee.flags.insert(.hasBlocks)
            runtime.operations.setField("\0blocks", of: 1, view, state) { $0.pushValue(3) }
        }
        state.pushValue(2)
        if let block = runtime.operations.operation(state, -1) { runtime.operations.hide(block) }
        state.rawSet(3, state.rawLength(3) + 1)
        return 0
    }
}

extension Operations {
    /// Refuses a dependency of the block operation at index 1 on one of its own blocks.
    func checkIsNoBlock(_ index: Int32, of view: OperationPointer, _ state: LuaState) throws(LuaRaise) {
        pushExecutionBlocks(state, view)
        let list = state.top
        defer { state.setTop(list - 1) }
        guard state.type(list) == .table else { return }
        for place in stride(from: 1, through: state.rawLength(list), by: 1) {
            _ = state.rawGet(list, place)
            guard state.rawEqual(-1, index) else { continue }
            throw LuaRaise(
                .cycle,
                "'\(name(state, 1, view))' cannot depend on one of its own blocks: it ends when they have ended"
            )
        }
    }

    func pushExecutionBlocks(_ state: LuaState, _ view: OperationPointer) {
        guard view.pointee.type == .block else { return state.pushNil() }
        state.newTable()
        if view.pointee.flags.contains(.hasBlocks), getField("\0blocks", of: 1, view, state) == .table {
            for place in stride(from: 1, through: state.rawLength(-1), by: 1) {
                _ = state.rawGet(-1, place)
                state.rawSet(-3, place)
            }
            state.pop()
        } else if !view.pointee.flags.contains(.hasBlocks) {
            state.getValue(.body, of: view, at: 1)
            state.rawSet(-2, 1)
        }
    }

    /// Releases the inner queue of an operation that no longer needs it.
    func releaseInner(_ inner: ScriptQueue) {
        guard inner.isDrained else { return }
        if queues.table.remove(inner) {
            scheduler.feed { $0.queueReleased(inner.id) }
        }
    }
}

// MARK: InvocationOperation, Gate

private func makeInvocationOperation(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.removeFirst()
        guard state.isTable(1) || state.type(1) == .userdata else {
            throw LuaRaise(
                argument: 1,
                "table or host object expected, got \(runtime.operations.kindName(state, 1))"
            )
        }
        guard let method = state.string(2) else {
            throw LuaRaise(
                argument: 2,
                "name of a method expected, got \(runtime.operations.kindName(state, 2))"
            )
        }
        let count = state.top
        do throws(LuaError) {
            _ = try state.getField(1, method)
        } catch {
            throw LuaRaise(argument: 2, error.message)
        }
        guard state.isFunction(-1) else {
            throw LuaRaise(argument: 2, "the target has no method '\(method)'")
        }
        let function = state.top
        let view = runtime.operations.newOperation(state, .main, .invocation)
        let made = state.top
        state.newTable(array: Int(count) + 1)
        state.pushValue(1)
        state.rawSet(-2, 1)
        state.pushValue(function)
        state.rawSet(-2, 2)
        for index in stride(from: Int32(3), through: count, by: 1) {
            state.pushValue(index)
            state.rawSet(-2, Int(index))
        }
        state.push(Int(count))
        state.rawSet(-2, "n")
        state.setValue(.body, of: view, at: made)
        if let view = runtime.operations.operation(state, made) {
            runtime.operations.set(name: method, of: view, at: made, state)
        }
        return 1
    }
}

private func makeGate(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.removeFirst()
        guard state.isNoneOrNil(1) || state.type(1) == .string else {
            throw LuaRaise(argument: 1, "name expected, got \(runtime.operations.kindName(state, 1))")
        }
        guard state.type(1) == .string else {
            runtime.operations.makeGate(named: "gate", state)
            return 1
        }
        let view = runtime.operations.newGate(state)
        state.pushValue(1)
        runtime.operations.takeName(of: view, at: -2, state)
        return 1
    }
}

extension Operations {
    /// Makes a gate with a name. [-0, +1, m]
    @discardableResult
    func makeGate(named name: String, _ state: LuaState) -> OperationID {
        let view = newGate(state)
        set(name: name, of: view, at: state.top, state)
        return view.pointee.id
    }

    /// Makes a gate without a name. [-0, +1, m]
    fileprivate func newGate(_ state: LuaState) -> OperationPointer {
        let view = newOperation(state, .gate, .gate)
        var spec = OperationSpec()
        spec.isGate = true
        spec.reports = true
        spec.lane = .reader
        let id = view.pointee.id
        scheduler.feed { $0.apply(spec, to: id) }
        return view
    }
}

extension Operations {
    func set(name: String, of view: OperationPointer, at index: Int32, _ state: LuaState) {
        let index = state.absolute(index)
        state.push(name)
        takeName(of: view, at: index, state)
    }
}

extension Operations {
    /// Replaces a function on top by an operation; refuses anything but a function or an operation. [-1, +1, -]
    func wrapFunction(_ state: LuaState, argument: Int32, place: Int?) throws(LuaRaise) {
        if operation(state, -1) != nil { return }
        guard state.isFunction(-1) else {
            let got = kindName(state, -1)
            throw LuaRaise(
                argument: argument,
                place.map { "operation or function expected at [\($0)], got \(got)" }
                    ?? "operation or function expected, got \(got)"
            )
        }
        let view = newOperation(state, .main, .block)
        state.pushValue(-2)
        state.setValue(.body, of: view, at: -2)
        state.remove(-2)
    }
}
