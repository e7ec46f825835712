internal import LuaVM
internal import Scheduling

/// How progress looks to a script.
enum ProgressBinding {
    enum Property: String, ScriptProperty {
        case fractionCompleted, completedUnitCount, totalUnitCount, localizedDescription, isCancelled

        static let all = Array(allCases)
        static let settable: [Property] = [.completedUnitCount, .totalUnitCount, .localizedDescription]
    }

    static let methods: [(StaticString, LuaFunction)] = [
        ("cancel", progressCancel), ("addChild", progressAddChild), ("observe", progressObserve),
    ]

    static let observableKeys = ["fractionCompleted", "isCancelled", "*"]

    static func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        ScriptAccess(
            methods: methods,
            getter: progressGet,
            otherGetter: progressGetOther,
            setter: progressSet,
            otherSetter: progressSetOther,
            text: progressToString
        ).makeMetatable(vm, "Progress", Property.self)
    }

    static func install(_ state: LuaState, into types: Int32) {
        OperationConstructors.pushType(state, "Progress", makeProgress)
        state.rawSet(types, "Progress")
    }
}

/// `Progress(total)`
private func makeProgress(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.removeFirst()
        var total = 0
        if !state.isNoneOrNil(1) {
            guard let given = state.wholeNumber(1) else {
                throw LuaRaise(argument: 1, "integer expected, got \(runtime.kindName(state, 1))")
            }
            guard given >= 0 else {
                throw LuaRaise(argument: 1, "a number of units of at least 0 expected, got \(given)")
            }
            total = given
        }
        runtime.observers.pushProgress(ScriptProgress(.script, total: total), state)
        return 1
    }
}

// MARK: Properties

private func progressGet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let progress = try runtime.observers.requireProgress(state, 1)
        runtime.observers.takeInProgress(progress)
        switch ProgressBinding.Property.all[Int(number)] {
        case .fractionCompleted: state.push(progress.fraction)
        case .completedUnitCount: state.push(progress.completed)
        case .totalUnitCount: state.push(progress.total)
        case .localizedDescription:
            state.push(progress.localizedDescription ?? "\(Int(progress.fraction * 100))% completed")
        case .isCancelled:
            var isCancelled = progress.isCancelled
            if case .operation(let id, _) = progress.source, let block = runtime.operations.liveBlock(id) {
                isCancelled = isCancelled || block.pointee.flags.contains(.isCancelled)
            }
            state.push(isCancelled)
        }
        return 1
    }
}

private func progressSet(_ raw: OpaquePointer, _ number: Int32) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let property = ProgressBinding.Property.all[Int(number)]
        let progress = try runtime.observers.requireProgress(state, 1)
        if property == .localizedDescription {
            guard state.isNil(3) || state.type(3) == .string else {
                throw LuaRaise(
                    .argument,
                    "bad value for '\(property)' (string expected, got \(runtime.kindName(state, 3)))"
                )
            }
            progress.localizedDescription = state.string(3)
            return 0
        }
        guard case .script = progress.source else {
            throw .misuse(
                "'\(property)' of this progress can only be read: an operation or a queue feeds it; make one of your own with Progress(total)"
            )
        }
        guard let count = state.wholeNumber(3) else {
            throw LuaRaise(
                .argument,
                "bad value for '\(property)' (integer expected, got \(runtime.kindName(state, 3)))"
            )
        }
        guard count >= 0 else {
            throw LuaRaise(.argument, "bad value for '\(property)' (at least 0 expected, got \(count))")
        }
        if property == .totalUnitCount { progress.setTotal(count) } else { progress.setCompleted(count) }
        runtime.observers.scriptChanged(progress)
        return 0
    }
}

private func progressGetOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        throw runtime.operations.noSuchProperty(
            state,
            of: "Progress",
            among: ProgressBinding.Property.names + ProgressBinding.methods.map { $0.0.description }
        )
    }
}

private func progressSetOther(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        if let key = state.string(2), ProgressBinding.Property(rawValue: key) != nil {
            throw .misuse("'\(key)' of Progress can only be read")
        }
        throw runtime.operations.noSuchProperty(
            state,
            of: "Progress",
            among: ProgressBinding.Property.settableNames
        )
    }
}

private func progressToString(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    guard let progress = runtime.observers.progress(state, 1) else {
        state.push("Progress")
        return 1
    }
    runtime.observers.takeInProgress(progress)
    let end = progress.isCancelled ? ", cancelled" : ""
    state.push("Progress (\(progress.completed) of \(progress.total)\(end))")
    return 1
}

// MARK: Methods

private func progressCancel(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        runtime.observers.cancelProgress(try runtime.observers.requireProgress(state, 1))
        return 0
    }
}

/// `progress:addChild(child, units)`
private func progressAddChild(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let progress = try runtime.observers.requireProgress(state, 1)
        let child = try runtime.observers.requireProgress(state, 2)
        guard let units = state.wholeNumber(3) else {
            throw LuaRaise(argument: 3, "integer expected, got \(runtime.kindName(state, 3))")
        }
        guard units > 0 else {
            throw LuaRaise(argument: 3, "a number of units of at least 1 expected, got \(units)")
        }
        guard case .script = progress.source else {
            throw .misuse(
                "this progress takes no children: an operation or a queue feeds it; make one of your own with Progress(total)"
            )
        }
        if progress.isBelow(child) {
            throw LuaRaise(
                .cycle,
                child === progress
                    ? "a progress cannot be its own child"
                    : "this child would close a circle: it is above the progress that it is added to"
            )
        }
        guard progress.depth + child.height <= ScriptProgress.mostLevels else {
            throw .misuse(
                "this child would make more than \(ScriptProgress.mostLevels) levels of progress below one another"
            )
        }
        if child.parent != nil { throw .misuse("this progress is a child already; it can have one parent") }
        progress.add(child, units: units)
        if progress.isCancelled { runtime.observers.cancelProgress(child) }
        runtime.observers.listen(child)
        if case .script = child.source {
            runtime.observers.scriptChanged(progress)
        } else {
            runtime.observers.changesSoon(progress)
        }
        return 0
    }
}

/// `progress:observe(key, fn)`
private func progressObserve(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let progress = try runtime.observers.requireProgress(state, 1)
        let observation = try runtime.observers.makeObservation(
            state,
            keys: ProgressBinding.observableKeys,
            of: "a progress"
        )
        runtime.observers.takeInProgress(progress)
        if progress.observations.isEmpty { progress.toldFraction = progress.fraction }
        progress.observations.removeAll { !$0.isValid }
        progress.observations.append(observation)
        runtime.observers.listen(progress)
        state.pushBox(observation, runtime.metatables.observation)
        return 1
    }
}
