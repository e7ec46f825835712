internal import LuaVM
internal import Synchronization

extension ScriptEngine {
    /// The operations and timers that have not begun, as values that ``restore(_:)`` adds to another engine.
    ///
    /// The engine continues. Where nothing may happen twice, suspend its queues before, and shut it down afterwards.
    /// - Throws: ``ScriptError`` with code `host` after the engine's end.
    /// - Complexity: O(*n* log *n*) in the operations and timers, times the depth of dependencies on what is not held.
    public func snapshot() async throws -> EngineSnapshot {
        try EngineScope.refuseRequest("snapshot", for: link)
        let carrier = SnapshotCarrier(EngineSnapshot())
        _ = try await send(.nothing) { runtime, ask in
            runtime.run.beginAsk(ask) { state in
                state.push(takeSnapshot)
                runtime.push(.object(carrier), state)
            }
        }
        return carrier.snapshot.withLock { $0 }
    }

    /// Adds the operations and timers of a snapshot to this engine: all of them, or none.
    ///
    /// Its works must be registered. A queue is found by its name, and made if the script has made none with that name;
    /// a delay has the rest that it had when the snapshot was taken.
    /// - Throws: ``ScriptError``: code `misuse` for a work that is not registered, `argument` for a value that does not
    ///   fit, `host` after the engine's end.
    /// - Complexity: O(operations, dependencies and timers).
    public func restore(_ snapshot: EngineSnapshot) async throws {
        try EngineScope.refuseRequest("restore", for: link)
        if let problem = catalogue.problem { throw problem }
        let carrier = SnapshotCarrier(snapshot)
        _ = try await send(.nothing) { runtime, ask in
            runtime.run.beginAsk(ask) { state in
                state.push(restoreSnapshot)
                runtime.push(.object(carrier), state)
                runtime.push(.array(snapshot.operations.map { .table($0.description) }), state)
                runtime.push(.array(snapshot.timers.map { .table($0.operation) }), state)
            }
        }
    }
}

/// Carries a snapshot to a function on the script thread, or back.
private final class SnapshotCarrier: ScriptObject {
    static let scriptTypeName = "Snapshot"
    static let scriptPropertyNames: [String] = []
    let snapshot: Mutex<EngineSnapshot>

    init(_ snapshot: EngineSnapshot) { self.snapshot = Mutex(snapshot) }

    func scriptProperty(_ name: String) -> ScriptValue? { nil }

    /// The carrier at index 1.
    static func first(_ runtime: ScriptRuntime, _ state: LuaState) -> SnapshotCarrier {
        guard case .object(let object)? = runtime.sharedValue(state, 1), let carrier = object as? Self else {
            preconditionFailure("the function of a snapshot was called without one")
        }
        return carrier
    }
}

/// `takeSnapshot(carrier)`
private func takeSnapshot(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let carrier = SnapshotCarrier.first(runtime, state)
        var taking = SnapshotTaking(runtime, state)
        taking.take()
        carrier.snapshot.withLock { $0 = taking.snapshot }
        return 0
    }
}

/// `restoreSnapshot(carrier, operations, timers)`
private func restoreSnapshot(_ raw: OpaquePointer) -> Int32 {
    hosted(raw) { runtime, state throws(LuaRaise) in
        let snapshot = SnapshotCarrier.first(runtime, state).snapshot.withLock { $0 }
        state.removeFirst()
        var restoring = SnapshotRestoring(snapshot, runtime, state)
        try restoring.restore()
        return 0
    }
}
