internal import LuaVM

/// An operation of a script that Swift may keep, wait for and cancel from anywhere.
///
/// A closure gets one by taking it as a parameter: the operation is then neither replaced by its result nor waited for.
/// After the engine's end every wait throws. While Swift keeps an unfinished operation, a wait in the script is not a
/// deadlock.
public final class ScriptOperation: ScriptObject {
    /// How an operation ended.
    public enum Outcome: String, Sendable {
        /// Its body returned.
        case succeeded
        /// Its body threw, or its time ran out.
        case failed
        /// It was cancelled.
        case cancelled
        /// A condition of a dependency was not met.
        case skipped
    }

    /// `"operation"`.
    public static let scriptTypeName = "operation"
    /// None.
    public static let scriptPropertyNames: [String] = []

    /// The operation's name when Swift got it.
    public let name: String
    let reference: LuaReference
    let link: ScriptLink

    init(_ reference: LuaReference, name: String, _ link: ScriptLink) {
        self.reference = reference
        self.name = name
        self.link = link
        link.hold()
    }

    deinit { link.letGo() }

    /// Nothing: a script sees the operation itself.
    public func scriptProperty(_ name: String) -> ScriptValue? { nil }

    /// Its result, once it has ended. Like `await`, this adds an operation that is in no queue to the default queue,
    /// with its dependencies.
    ///
    /// - Throws: Its ``ScriptError``, with code `cancelled` if it was cancelled; code `deadlock` if nothing can end it;
    ///   code `host` after the engine's end. Cancelling the waiting task leaves the operation running.
    public var value: ScriptValue {
        get async throws { try await wait(hostAwaitResult) }
    }

    /// Its result as a value of a type, as ``value``.
    public func value<Value: Sendable>(as type: Value.Type) async throws -> Value {
        let converter = try valueConverter(type)
        return try decode(
            try await wait(hostAwaitResult, wanted: Ask.Wanted(converter)),
            converter,
            "the result of '\(name)'"
        )
    }

    /// Its outcome, once it has ended. An operation that is in no queue is added to the default queue.
    ///
    /// - Throws: ``ScriptError`` with code `deadlock` if nothing can end it, `host` after the engine's end.
    public var finished: Outcome {
        get async throws {
            guard let outcome = Self.outcome(try await wait(hostAwaitEnd)) else {
                throw ScriptError(.host, "'\(name)' has not ended")
            }
            return outcome
        }
    }

    /// Its outcome; nil while it has not ended.
    ///
    /// - Throws: ``ScriptError`` with code `host` after the engine's end.
    public var outcome: Outcome? {
        get async throws {
            Self.outcome(
                try await Ask.send(link) { [reference] runtime, ask in
                    ask.answer(.success(runtime.operations.outcome(of: reference)))
                }
            )
        }
    }

    /// Cancels it, as `op:cancel()` does: at once if it has not started; otherwise its body is notified. Does nothing
    /// after the end of the operation or of the engine.
    public func cancel() {
        link.post { [reference] runtime in runtime.operations.cancelOperation(reference) }
    }

    private static func outcome(_ value: ScriptValue) -> Outcome? {
        guard case .string(let bytes) = value else { return nil }
        return Outcome(rawValue: String(decoding: bytes, as: UTF8.self))
    }

    private func wait(
        _ function: @escaping LuaFunction,
        wanted: Ask.Wanted = .value
    ) async throws -> ScriptValue {
        try await Ask.send(link, wanted: wanted) { [reference] runtime, ask in
            runtime.run.beginAsk(ask) { state in
                state.push(function)
                reference.push(state)
            }
        }
    }
}

extension Operations {
    fileprivate func outcome(of reference: LuaReference) -> ScriptValue {
        let state = vm.main
        reference.push(state)
        defer { state.pop() }
        guard let view = operation(state, -1) else { return .nil }
        return view.pointee.isFinished ? .text(outcomeName(view.pointee.outcome)) : .nil
    }

    fileprivate func cancelOperation(_ reference: LuaReference) {
        let state = vm.main
        reference.push(state)
        defer { state.pop() }
        if let view = operation(state, -1) { cancel(view) }
    }
}

private func hostAwaitResult(_ raw: OpaquePointer) -> Int32 { waitForOne(raw, giveOutcome) }

private func hostAwaitEnd(_ raw: OpaquePointer) -> Int32 { waitForOne(raw, giveOutcomeName) }

private func giveOutcomeName(_ raw: OpaquePointer, _ base: Int32) -> Int32 {
    let state = LuaState(raw)
    guard state.boolean(base) else {
        state.pushValue(base + 1)
        return LuaReply.raise
    }
    if let view = runtime(raw).operations.operation(state, 1) {
        state.push(outcomeName(view.pointee.outcome))
    } else {
        state.pushNil()
    }
    return 1
}
