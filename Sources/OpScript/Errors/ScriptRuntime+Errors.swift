internal import LuaVM
internal import Scheduling

/// A Lua error that a host function is about to raise.
struct LuaRaise: Error {
    let code: ScriptError.Code
    let text: String
    /// The number of the wrong argument; 0 for none.
    var argument: Int32 = 0
    /// A value that is raised as it is.
    var value: ErrorValue?
    /// Whether it ends the run if its code is `limit`; false if only memory is missing for a value.
    var endsRun = true

    init(_ code: ScriptError.Code, _ text: String) {
        self.code = code
        self.text = text
    }

    init(argument: Int32, _ text: String) {
        code = .argument
        self.text = text
        self.argument = argument
    }

    init(_ value: ErrorValue) {
        code = value.code
        text = value.message
        self.value = value
    }

    /// A value of a script does not fit; `text` has the reason.
    init(_ error: ScriptConversionError, _ text: String) {
        self.init(error.code, text)
        endsRun = false
    }

    /// A work or a function of a module refuses.
    init(_ error: ScriptError) {
        self.init(error.code, error.message)
        endsRun = error.endsRun
    }

    static func misuse(_ text: String) -> LuaRaise { LuaRaise(.misuse, text) }
}

extension ScriptRuntime {
    /// Runs the body of a host function; an error that it throws is raised with its position.
    @inline(__always)
    func guarded(_ state: LuaState, _ body: () throws(LuaRaise) -> Int32) -> Int32 {
        do throws(LuaRaise) {
            return try body()
        } catch {
            return raise(error, state)
        }
    }

    /// [-0, +1, -] Pushes the error of a raise; the trampoline raises it.
    func raise(_ raise: LuaRaise, _ state: LuaState) -> Int32 {
        if let value = raise.value {
            push(value, state)
            return LuaReply.raise
        }
        let text: String
        if raise.argument != 0 {
            _ = state.raise(argument: raise.argument, raise.text)
            let argumentText = state.string(-1) ?? raise.text
            state.pop()
            // If one of Lua's own functions made the call, as in `pcall(sleep, "x")`, the text has no place.
            text =
                (isBare(argumentText) ? located(argumentText, state) : argumentText)
                + (raise.argument == 1 ? MissingColon.hint(for: argumentText) : "")
        } else {
            text = located(raise.text, state)
        }
        let value = ErrorValue(
            raise.code,
            globals.placedOutsidePrelude(text, state),
            frames: vm.currentFrames(state, level: 0),
            endsRun: raise.endsRun
        )
        if let id = bodies.current?.operation, let entry = operations.entry(id),
            let view = entry.pointee.view
        {
            value.operationName = operations.name(view)
            value.createdAt = operations.createdAt(view)
            push(value, state)
            operations.pushOperation(id, state)
            _ = state.setUserValue(-2, 3)
            return LuaReply.raise
        }
        push(value, state)
        return LuaReply.raise
    }

    private func isBare(_ argumentText: String) -> Bool {
        argumentText.hasPrefix("bad argument #") || argumentText.hasPrefix("calling '")
    }

    /// A sentence with the place of the caller in front: `job.lua:12: …`.
    func located(_ text: String, _ state: LuaState, level: Int32 = 1) -> String {
        vm.describe(state.place(level: level)).map { "\($0): \(text)" } ?? text
    }

    /// Pushes an error as its userdata. [-0, +1, -]
    func push(_ value: ErrorValue, _ state: LuaState) {
        value.hide(link.secrets)
        globals.sharedObjects.push(value, state) {
            state.pushBox(value, metatables.error, userValues: 3)
            state.push(value.message)
            _ = state.setUserValue(-2, 1)
            if let underlying = value.underlyingValue {
                underlying.push(state)
                _ = state.setUserValue(-2, 2)
                value.underlyingValue = nil
            }
        }
    }

    func errorValue(_ state: LuaState, _ index: Int32) -> ErrorValue? {
        state.box(index, metatables.error, as: ErrorValue.self)
    }

    /// The error value for something that Swift threw.
    func makeErrorValue(_ error: any Error) -> ErrorValue {
        switch error {
        case let value as ErrorValue: return value
        case let error as ScriptError:
            let value = ErrorValue(error.code, error.message, underlying: error.underlying ?? error)
            value.fields = error.fields
            value.endsRun = error.endsRun
            return value
        case let error as ArgumentMismatch:
            return ErrorValue(
                .argument,
                "bad argument #\(error.argument) (\(error.error.description))",
                underlying: error.error
            )
        case let error as ScriptConversionError:
            return ErrorValue(error.code, error.description, underlying: error, endsRun: false)
        case let failure as IsolateFailure:
            let value = ErrorValue(
                failure.code,
                failure.message,
                frames: failure.frames,
                underlying: failure,
                endsRun: failure.endsRun
            )
            value.calledFrom = failure.calledFrom
            return value
        case is CancellationError:
            return ErrorValue(.cancelled, "cancelled", underlying: error)
        case let error as LuaError:
            return ErrorValue(.failed, error.message, frames: error.frames, underlying: error.underlying)
        default:
            return ErrorValue(.failed, String(describing: error), underlying: error)
        }
    }

    /// Replaces what a function raised, on top, by an error value; an error table stays. [-0, +0, -]
    func replaceRaised(_ state: LuaState, frames: [LuaFrame]) {
        guard let error = errorValue(forRaised: state, frames: frames) else { return }
        state.pop()
        push(error, state)
    }

    /// The error value for the value on top, which a body raised. [-0, +0, -]
    ///
    /// nil for a table, which passes through unchanged.
    func errorValue(forRaised state: LuaState, frames: [LuaFrame]) -> ErrorValue? {
        switch state.type(-1) {
        case .table:
            return nil
        case .string:
            let text = state.string(-1) ?? String(decoding: state.bytes(-1) ?? [], as: UTF8.self)
            return ErrorValue(.failed, text + GuideNames.hint(for: text), frames: frames)
        case .userdata:
            if let value = errorValue(state, -1) {
                if value.frames.isEmpty { value.frames = frames }
                return value
            }
            if let error = state.swiftError(-1) { return makeErrorValue(error) }
            return errorValue(ofObject: state, frames, text: errorText(state, -1))
        default:
            let text = "(error object is a \(state.type(-1).name) value)"
            return errorValue(ofObject: state, frames, text: text)
        }
    }

    /// The error value for the error object on top, with the object in it. [-0, +0, -]
    func errorValue(ofObject state: LuaState, _ frames: [LuaFrame], text: String) -> ErrorValue {
        ErrorValue(
            .failed,
            text,
            frames: frames,
            underlying: errorObject(state, -1),
            underlyingValue: reference(to: -1, state)
        )
    }

    func reference(to index: Int32, _ state: LuaState) -> LuaReference {
        state.pushValue(index)
        return vm.makeReference(state)
    }

    /// The text of any error value on the stack, for printing.
    func text(ofError state: LuaState, _ index: Int32) -> String {
        if let value = errorValue(state, index) { return value.message }
        return errorText(state, index)
    }

    /// The text of any error value, without secrets; calls `__tostring` if there is one, protected and within the limit
    /// of a slice.
    /// [-0, +0, -]
    func errorText(_ state: LuaState, _ index: Int32) -> String {
        link.secrets.hidden(in: bodies.sliced { state.errorText(index) })
    }
}

enum ErrorBinding {
    static func makeMetatable(_ vm: LuaVM) -> LuaMetatable {
        let state = vm.main
        state.newTable()
        state.setFunctions([
            ("__tostring", errorToString), ("__concat", errorConcat), ("__len", errorLength),
        ])
        state.newTable()
        for (offset, name) in errorFields.enumerated() {
            state.push(offset)
            state.rawSet(-2, name)
        }
        state.pushIndex(getter: errorGet, fallback: errorMethod)
        state.rawSet(-2, "__index")
        return LuaMetatable(state, name: "error", isBox: true)
    }
}

private let errorFields = ["code", "message", "operation", "traceback", "createdAt", "underlying"]

private func errorToString(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    if state.getUserValue(1, 1) != .string { state.push("error") }
    return 1
}

private func errorConcat(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    func bytes(_ index: Int32) -> [UInt8]? {
        if let value = runtime.errorValue(state, index) { return Array(value.message.utf8) }
        if state.type(index) == .string { return state.bytes(index) }
        if state.type(index) == .number {
            state.pushValue(index)
            defer { state.pop() }
            return Array(((try? state.describe(-1)) ?? "").utf8)
        }
        return nil
    }
    guard let left = bytes(1), let right = bytes(2) else {
        let wrong: Int32 = bytes(1) == nil ? 1 : 2
        return runtime.raise(
            LuaRaise(.failed, "attempt to concatenate a \(state.typeName(wrong)) value"),
            state
        )
    }
    state.push(bytes: left + right)
    return 1
}

private func errorLength(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    state.push(runtime(raw).errorValue(state, 1)?.message.utf8.count ?? 0)
    return 1
}

private func errorGet(_ raw: OpaquePointer, _ property: Int32) -> Int32 {
    let state = LuaState(raw)
    guard let error = runtime(raw).errorValue(state, 1) else {
        state.pushNil()
        return 1
    }
    func push(_ text: String?) {
        if let text { state.push(text) } else { state.pushNil() }
    }
    switch errorFields[Int(property)] {
    case "code": state.push(error.code.name)
    case "message": state.push(error.message)
    case "operation": _ = state.getUserValue(1, 3)
    case "traceback": push(error.traceback(hiding: runtime(raw).link.secrets))
    case "createdAt": push(error.createdAt)
    default:
        if state.getUserValue(1, 2) == .nil, let inner = error.underlying as? ErrorValue {
            state.pop()
            runtime(raw).push(inner, state)
        }
    }
    return 1
}

/// The fields that the host set, and string methods, which work on errors; anything else is nil.
private func errorMethod(_ raw: OpaquePointer) -> Int32 {
    let state = LuaState(raw)
    let runtime = runtime(raw)
    if let error = runtime.errorValue(state, 1), !error.fields.isEmpty, let name = state.string(2),
        let value = error.fields[name]
    {
        runtime.push(value, state)
        return 1
    }
    guard state.getGlobal("string") == .table else {
        state.pushNil()
        return 1
    }
    state.pushValue(2)
    _ = state.rawGet(-2)
    return 1
}
