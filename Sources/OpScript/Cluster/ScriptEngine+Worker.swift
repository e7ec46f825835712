internal import LuaVM

extension ScriptEngine {
    /// Performs a registered work, or the function of an isolate, without a script: for a process that runs the
    /// bodies of another one's operations.
    ///
    /// - Parameters:
    ///   - work: Its name.
    ///   - code: The function, if it is an isolate.
    ///   - context: Its cancellation and its progress.
    /// - Throws: The error that the closure throws; code `host` if there is no such work.
    package func perform(
        _ work: String,
        _ code: [UInt8]?,
        _ arguments: [ScriptValue],
        _ context: WorkContext
    ) async throws -> [ScriptValue] {
        if let problem = catalogue.problem { throw problem }
        if let code { return try perform(code, arguments, context) }
        guard let index = catalogue.index(of: work) else {
            throw ScriptError(
                .host,
                "this worker has no work '\(work)': start it by the command that the script runs with"
            )
        }
        let definition = catalogue[index]
        let kept = KeptArguments(ArgumentList(arguments), context)
        do {
            try definition.check(kept.values, holdOperations: false)
        } catch {
            throw ScriptError(
                .argument,
                "bad argument #\(error.argument) to '\(work)' (\(error.error.description))"
            )
        }
        let value: ScriptValue
        switch definition.body {
        case .sync(let call): value = try kept.lend(to: call)
        case .async(let call): value = try await call(kept)
        }
        if case .object(let object) = value, let list = object as? ResultList { return list.values }
        return [value]
    }

    private func perform(_ code: [UInt8], _ arguments: [ScriptValue], _ context: WorkContext) throws
        -> [ScriptValue]
    {
        guard let capture = LuaCapture(coded: code, foreign: { ValueBytes.decode($0)?.first }) else {
            throw ScriptError(.failed, "the function of the isolate arrived damaged")
        }
        let pool = IsolatePool(configuration, link.meter, link.secrets, refusedNames: [])
        do {
            return try pool.call(capture, arguments, nil) { stopper in context.onCancel { stopper.stop() } }
        } catch let failure as IsolateFailure {
            var error = ScriptError(failure.code, failure.message)
            if !failure.frames.isEmpty { error.traceback = LuaFrame.text(of: failure.frames) }
            if let table = failure.table { error.fields[IsolateFailure.raisedField] = table }
            throw error
        }
    }
}

extension LuaCapture {
    /// The function with all that it captured, for another process.
    ///
    /// - Throws: If a value has no bytes.
    func coded() throws -> [UInt8] {
        guard let bytes = coded(foreign: { ($0 as? ScriptValue).flatMap { ValueBytes.encode([$0]) } }) else {
            throw ScriptError(.argument, "the function has captured an object")
        }
        return bytes
    }

    /// Why it cannot be sent to another process; nil if it can.
    var obstacleToCoding: String? {
        (try? coded()) == nil
            ? "its function has captured an object of the host, which cannot be sent to a node" : nil
    }
}

extension IsolateFailure {
    /// The field of an error on its way from another process that has the table which the isolate raised.
    static var raisedField: String { "\0raised" }

    /// The failure of an isolate in another process; nil for another error.
    init?(received error: any Error) {
        guard let error = error as? ScriptError, let table = error.fields[Self.raisedField] else {
            return nil
        }
        self.init(code: error.code, message: error.message, table: table)
    }
}
