internal import LuaVM
internal import Scheduling

/// A counter of signals that were given and not consumed.
final class DispatchSemaphore: WaitSource {
    var value: Int
    let waiters = WaiterQueue()
    let place: String

    init(value: Int, place: String) {
        self.value = value
        self.place = place
    }

    var pendingOperations: [OperationID] { [] }

    var reason: String {
        "the semaphore made at \(place) has no signal, and nothing is left that could give one"
    }
}

enum DispatchSemaphoreBinding {
    static let methods: [ScriptMethod] = [
        .init("wait", "[timeout]", semaphoreWait),
        .init("signal", "", semaphoreSignal),
        .init("setFinalizer", "fn", semaphoreSetFinalizer),
    ]

    static let type = ScriptType(
        "DispatchSemaphore",
        kind: "semaphore",
        constructors: [ScriptConstructor(name: "DispatchSemaphore", parameters: "n", call: makeSemaphore)],
        require: { runtime, state, _ throws(LuaRaise) in try runtime.dispatch.requireSemaphore(state) },
        properties: [.context()],
        methods: methods,
        text: { semaphore, _, _ in
            let waiting = semaphore.waiters.count
            let rest = waiting == 0 ? "" : ", \(waiting) waiting"
            return "DispatchSemaphore '\(semaphore.place)' (\(semaphore.value)\(rest))"
        }
    )
}

extension DispatchObjects {
    fileprivate func requireSemaphore(_ state: LuaState) throws(LuaRaise) -> DispatchSemaphore {
        if let semaphore = state.box(1, metatables.dispatchSemaphore, as: DispatchSemaphore.self) {
            return semaphore
        }
        throw LuaRaise(argument: 1, "semaphore expected, got \(operations.kindName(state, 1))")
    }
}

/// `DispatchSemaphore(n)`
private func makeSemaphore(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        state.removeFirst()
        guard let value = state.wholeNumber(1) else {
            throw LuaRaise(argument: 1, "integer expected, got \(runtime.operations.noInteger(state, 1))")
        }
        guard value >= 0 else {
            throw LuaRaise(argument: 1, "a number of signals of at least 0 expected, got \(value)")
        }
        let semaphore = DispatchSemaphore(value: value, place: runtime.dispatch.callerPlace(state))
        state.pushBox(semaphore, runtime.metatables.dispatchSemaphore, userValues: DispatchValue.count)
        return 1
    }
}

/// `semaphore:wait([timeout])`
private func semaphoreWait(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let semaphore = try runtime.dispatch.requireSemaphore(state)
        let seconds = try runtime.waits.seconds(state, 2)
        let task = try runtime.waits.waitingTask(state)
        // Existing waiters were given their signals at once, so a signal that is left is free.
        if semaphore.value > 0 {
            semaphore.value -= 1
            state.push(true)
            return 1
        }
        return runtime.dispatch.wait(for: semaphore, seconds, task, state)
    }
}

/// `semaphore:signal()`: returns whether it woke a waiter.
private func semaphoreSignal(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let semaphore = try runtime.dispatch.requireSemaphore(state)
        if let wait = semaphore.waiters.popFirst() {
            // The waiter owns the signal now: neither its timeout nor a cancellation takes the signal away.
            runtime.waits.end(wait, .reached)
            state.push(true)
        } else {
            guard semaphore.value < .max else { throw .misuse("the semaphore has too many signals") }
            semaphore.value += 1
            state.push(false)
        }
        return 1
    }
}

private func semaphoreSetFinalizer(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        _ = try runtime.dispatch.requireSemaphore(state)
        try ObjectFinalizer.setFinalizer(of: 1, from: 2, state, runtime)
        return 0
    }
}
