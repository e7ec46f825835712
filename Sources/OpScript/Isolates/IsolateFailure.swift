internal import LuaVM

/// The error that an isolate raised.
struct IsolateFailure: Error, CustomStringConvertible {
    let code: ScriptError.Code
    let message: String
    /// Whether a limit of the engine was reached.
    var endsRun = false
    /// A copy of the table that was raised, which is passed on unchanged.
    var table: ScriptValue?
    /// The place where it was raised inside the isolate.
    var frames: [LuaFrame] = []
    /// The place where the isolate was called.
    var calledFrom: [LuaFrame] = []

    var description: String { message }
}

extension Threads {
    /// If an isolate raised a table, this table becomes the error of the operation on top of the stack.
    ///
    /// - Returns: false if the isolate did not raise a table; then nothing has changed.
    func setRaisedTable(_ error: ErrorValue, _ view: OperationPointer, _ state: LuaState) -> Bool {
        guard let table = (error.underlying as? IsolateFailure)?.table else { return false }
        runtime.push(table, state)
        state.setValue(.outcome, of: view, at: -2)
        view.pointee.flags.insert(.hasError)
        view.pointee.resultCount = 0
        let traceback = error.traceback(hiding: link.secrets) ?? ""
        operations.setField("\0traceback", of: -1, view, state) { $0.push(traceback) }
        return true
    }

    /// Pushes several results as the table in which operations keep them. [-0, +1, -]
    func pushValues(_ values: [ScriptValue], _ state: LuaState) {
        state.newTable(array: values.count)
        for (offset, value) in values.enumerated() {
            runtime.push(value, state)
            state.rawSet(-2, offset + 1)
        }
    }
}
