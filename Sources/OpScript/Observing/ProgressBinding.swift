internal import LuaVM
internal import Scheduling

/// The interface of progress to a script.
enum ProgressBinding {
    static let methods: [ScriptMethod] = [
        .init("cancel", "", progressCancel),
        .init("addChild", "child, units", progressAddChild),
        .init("observe", "key [, options], fn", progressObserve),
    ]

    static let type = ScriptType(
        "Progress",
        kind: "progress",
        constructors: [ScriptConstructor(name: "Progress", parameters: "[total]", call: makeProgress)],
        require: { runtime, state, index throws(LuaRaise) in
            let progress = try runtime.observers.requireProgress(state, index)
            runtime.observers.takeInProgress(progress)
            return progress
        },
        properties: properties,
        methods: methods,
        text: { progress, _, _ in
            let end = progress.isCancelled ? ", cancelled" : ""
            return "Progress (\(progress.completed) of \(progress.total)\(end))"
        }
    )

    private static let properties: [ScriptType.Property<ScriptProgress>] = [
        ScriptType.Property("fractionCompleted", { $2.push($0.fraction) }).observable,
        count("completedUnitCount", { $2.push($0.completed) }) { $0.setCompleted($1) },
        count("totalUnitCount", { $2.push($0.total) }) { $0.setTotal($1) },
        .init(
            "localizedDescription",
            { $2.push($0.description) },
            set: { progress, value throws(LuaRaise) in
                guard value.isNil || value.state.type(value.index) == .string else {
                    throw value.expected("string")
                }
                progress.localizedDescription = value.state.string(value.index)
            }
        ),
        .init(
            "isCancelled",
            { progress, runtime, state in
                var isCancelled = progress.isCancelled
                if case .operation(let id, _) = progress.source,
                    let view = runtime.operations.liveView(id)
                {
                    isCancelled = isCancelled || view.pointee.flags.contains(.isCancelled)
                }
                state.push(isCancelled)
            }
        ).observable,
    ]

    /// A number of units, which scripts may set if nothing else feeds the progress.
    private static func count(
        _ name: StaticString,
        _ get: @escaping ScriptType.Property<ScriptProgress>.Getter,
        _ set: @escaping @Sendable (ScriptProgress, Int) -> Void
    ) -> ScriptType.Property<ScriptProgress> {
        .init(
            name,
            get,
            set: { progress, value throws(LuaRaise) in
                guard case .script = progress.source else {
                    throw .misuse(
                        "'\(name)' of this progress can only be read: an operation or a queue feeds it; "
                            + "make one of your own with Progress(total)"
                    )
                }
                let count = try value.wholeNumber()
                guard count >= 0 else { throw value.bad("at least 0 expected, got \(count)") }
                set(progress, count)
                value.runtime.observers.scriptChanged(progress)
            }
        )
    }

}

/// `Progress(total)`
private func makeProgress(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.removeFirst()
        var total = 0
        if !state.isNoneOrNil(1) {
            guard let given = state.wholeNumber(1) else {
                throw LuaRaise(argument: 1, "integer expected, got \(runtime.operations.noInteger(state, 1))")
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
            throw LuaRaise(argument: 3, "integer expected, got \(runtime.operations.noInteger(state, 3))")
        }
        guard units > 0 else {
            throw LuaRaise(argument: 3, "a number of units of at least 1 expected, got \(units)")
        }
        guard case .script = progress.source else {
            throw .misuse(
                "this progress takes no children: an operation or a queue feeds it; make one of your own with "
                    + "Progress(total)"
            )
        }
        if progress.isBelow(child) {
            throw LuaRaise(
                .cycle,
                child === progress
                    ? "a progress cannot be its own child"
                    : "this child would close a cycle: it is above the progress that it is added to"
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

/// `progress:observe(key [, options], fn)`
private func progressObserve(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let progress = try runtime.observers.requireProgress(state, 1)
        let options = try runtime.observers.takeOptions(state)
        let observation = try runtime.observers.makeObservation(
            state,
            keys: ProgressBinding.type.observableKeys,
            of: "a progress",
            options
        )
        runtime.observers.takeInProgress(progress)
        if progress.observations.isEmpty { progress.toldFraction = progress.fraction }
        progress.observations.removeAll { !$0.isValid }
        progress.observations.append(observation)
        runtime.observers.listen(progress)
        state.pushBox(observation, runtime.metatables.observation)
        return options.contains(.initial)
            ? try runtime.observers.tellInitial(observation, ProgressBinding.type.members, state) : 1
    }
}
