internal import CLua

/// An error that a script raised, or the reason why it could not be loaded.
///
/// Keeps the raised value itself, so that throwing it back into Lua raises the same value.
public struct LuaError: Error, CustomStringConvertible {
    /// The kind of an error.
    public enum Code: Sendable {
        /// The source text cannot be compiled.
        case syntax
        /// A script or a host function raised it.
        case runtime
        /// There was not enough memory under the limit.
        case memory
        /// A message handler failed, or the stack was too deep for it.
        case handler
    }

    /// The kind.
    public let code: Code
    /// The text: the raised string, or the text of an error object.
    public let message: String
    /// The raised value.
    public let value: LuaReference?
    /// The Swift error or error object that was raised, as the same instance.
    public let underlying: (any Error)?
    /// The frames where it was raised, the innermost first.
    public let frames: [LuaFrame]

    /// Makes an error that did not come from Lua.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.init(code: code, message: message, value: nil, underlying: underlying, frames: [])
    }

    private init(
        code: Code,
        message: String,
        value: LuaReference?,
        underlying: (any Error)?,
        frames: [LuaFrame]
    ) {
        self.code = code
        self.message = message
        self.value = value
        self.underlying = underlying
        self.frames = frames
    }

    /// The message.
    public var description: String { message }

    /// The line that the message names, as in `job.lua:3: unexpected symbol near '='`; nil if it names none.
    public var line: Int? { place?.line }

    /// The name of the chunk that the message names before the line.
    public var file: String? { place?.file }

    private var place: (file: String, line: Int)? {
        let parts = message.split(separator: ":", omittingEmptySubsequences: false)
        for (offset, part) in parts.enumerated() where offset > 0 {
            if let line = Int(part), line > 0 { return (parts[..<offset].joined(separator: ":"), line) }
        }
        return nil
    }

    /// The frames as Lua prints them, with the header `stack traceback:`.
    public var traceback: String { LuaFrame.text(of: frames) }

    /// Takes the error value on top of a stack. [-1, +0, m]
    ///
    /// - Parameters:
    ///   - status: The result of the call.
    ///   - keepsFrames: Whether the frames recorded last belong to it.
    package static func taken(from state: LuaState, status: Int32, keepsFrames: Bool = true) -> LuaError {
        let code: Code =
            switch status {
            case LUA_ERRSYNTAX: .syntax
            case LUA_ERRMEM: .memory
            case LUA_ERRERR: .handler
            default: .runtime
            }
        let vm = state.vm
        let message = state.errorText(-1)
        let underlying = state.swiftError(-1)
        let frames = keepsFrames && code != .syntax ? vm.takeFrames() : []
        return LuaError(
            code: code,
            message: message,
            value: vm.makeReference(state),
            underlying: underlying,
            frames: frames
        )
    }

    /// Takes the error value on top of a stack, for instance of a failed root. [-1, +0, m]
    public init(taking state: LuaState) {
        self = LuaError.taken(from: state, status: LUA_ERRRUN)
    }
}

/// Carries a Swift error through Lua.
final class ErrorBox {
    let error: any Error

    init(_ error: any Error) { self.error = error }
}

extension LuaState {
    /// Pushes an error as the value that a script can catch. [-0, +1, m]
    public func push(error: any Error) {
        if let error = error as? LuaError {
            if let value = error.value, value.belongs(to: vm) {
                value.push(self)
                return
            }
            if let underlying = error.underlying {
                push(error: underlying)
                return
            }
            push(error.message)
            return
        }
        let vm = vm
        if let convert = vm.errorPusher {
            convert(self, error)
            return
        }
        pushBox(ErrorBox(error), vm.swiftErrorMetatable, userValues: 1)
        push(String(describing: error))
        lua_setiuservalue(raw, -2, 1)
    }

    /// The Swift error that an error value carries. [-0, +0, -]
    public func swiftError(_ index: Int32) -> (any Error)? {
        let vm = vm
        if let box = box(index, vm.swiftErrorMetatable, as: ErrorBox.self) { return box.error }
        return vm.errorReader?(self, index)
    }

    /// The text of any error value; calls `__tostring` if there is one, protected. [-0, +0, -]
    public func errorText(_ index: Int32) -> String {
        switch type(index) {
        case .string: return string(index) ?? ""
        case .number: return describedText(index) ?? "a number"
        case .table, .userdata:
            let index = absolute(index)
            guard ensureSpace(4) else { break }
            if type(index) == .userdata {
                getUserValue(index)
                defer { pop() }
                if metatableIdentity(index) == context.pointee.error_metatable, let text = string(-1) {
                    return text
                }
            }
            guard pushMetatable(index) else { break }
            defer { pop() }
            let hasText = rawGet(-1, "__tostring") != .nil
            pop()
            if hasText, let text = describedText(index) { return text }
        default: break
        }
        return "(error object is a \(type(index).name) value)"
    }

    /// The result of `tostring`; nil if it raises, since the text of that error may raise again. [-0, +0, -]
    private func describedText(_ index: Int32) -> String? {
        defer { pop() }
        return clua_describe(raw, index) == LUA_OK ? string(-1) : nil
    }
}
