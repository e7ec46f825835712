internal import LuaVM

/// An error as a script holds it: it prints like Lua's errors, and has fields.
final class ErrorValue: Error, @unchecked Sendable {
    // @unchecked because it is created, changed and read only on the script thread; hosts get a `ScriptError`
    // instead.
    let code: ScriptError.Code
    /// With the position in front, as Lua prints it.
    private(set) var message: String
    var operationName: String?
    var createdAt: String?
    var frames: [LuaFrame]
    /// The place where the isolate was called, if this is the error of an isolate.
    var calledFrom: [LuaFrame] = []
    /// The Swift error that it reports.
    let underlying: (any Error)?
    /// Further fields for the script, as the host set them.
    var fields: [String: ScriptValue] = [:]
    /// The script's value that it reports: nil, a number, a boolean, or another error.
    var underlyingValue: LuaReference?
    /// Where the trouble began, if this is the error of a skipped operation.
    var skipOrigin: SkipOrigin?
    /// Whether a limit of the engine was reached; false for the limit of a work.
    var endsRun: Bool

    init(
        _ code: ScriptError.Code,
        _ message: String,
        frames: [LuaFrame] = [],
        underlying: (any Error)? = nil,
        underlyingValue: LuaReference? = nil,
        endsRun: Bool = true
    ) {
        self.code = code
        self.endsRun = endsRun && code == .limit
        self.message = message
        self.frames = frames
        self.underlying = underlying
        self.underlyingValue = underlyingValue
    }

    /// Hides secrets in its texts; called before a script or a host sees it.
    func hide(_ secrets: Secrets) {
        if secrets.isEmpty { return }
        message = secrets.hidden(in: message)
        createdAt = createdAt.map(secrets.hidden)
        operationName = operationName.map(secrets.hidden)
    }

    /// The frames as a text, in which a name of a chunk may be a secret.
    func traceback(hiding secrets: Secrets) -> String? { frameText.map(secrets.hidden) }

    private var frameText: String? {
        if frames.isEmpty { return nil }
        if calledFrom.isEmpty { return LuaFrame.text(of: frames) }
        return LuaFrame.text(of: frames) + "\ncalled from:"
            + LuaFrame.text(of: calledFrom).dropFirst("stack traceback:".count)
    }

    /// The same error for hosts.
    func scriptError(hiding secrets: Secrets) -> ScriptError {
        hide(secrets)
        var error: ScriptError
        if let own = underlying as? ScriptError, own.code == code, secrets.hidden(in: own.message) == message
        {
            error = own
        } else {
            let inner = (underlying as? ErrorValue).map { $0.scriptError(hiding: secrets) as any Error }
            error = ScriptError(code, message, underlying: inner ?? underlying)
        }
        error.fields = fields
        error.operationName = operationName ?? error.operationName
        error.traceback = frameText ?? error.traceback
        error.createdAt = createdAt ?? error.createdAt
        error.setPlace(frames)
        error.endsRun = endsRun
        return error.hiding(secrets)
    }
}

extension ScriptError {
    /// Sets the place to the innermost line of a script among the frames, if there is one.
    mutating func setPlace(_ frames: [LuaFrame]) {
        guard let place = frames.first(where: { $0.line != nil && !ScriptRun.isOwn($0.source) }) else {
            return
        }
        (file, line) = (place.source, place.line)
    }
}
