public import CLua

extension LuaState {
    /// The number of results that takes all results of a call.
    public static let allResults: Int32 = -1

    /// Calls the function below `arguments` values; no wait is possible inside. [-(arguments + 1), +results, -]
    ///
    /// - Throws: The error that was raised, with the frames of its origin; the stack is then as before
    ///   function and arguments were pushed.
    public func call(arguments: Int32 = 0, results: Int32 = 0) throws(LuaError) {
        try check(clua_call(raw, arguments, results))
    }

    // MARK: replies

    /// Pushes an error, and the reply that raises it: `return state.raise(error)`. [-0, +1, m]
    ///
    /// A `LuaError` that came from a script raises the same value again; other errors are carried in a userdata and
    /// come out as the same object.
    public func raise(_ error: any Error) -> Int32 {
        push(error: error)
        return LuaReply.raise
    }

    /// Pushes a message with the position of the caller in front, and the reply that raises it. [-0, +1, m]
    public func raise(message: String, level: Int32 = 1) -> Int32 {
        clua_push_where(raw, level)
        push((string(-1) ?? "") + message)
        remove(-2)
        return LuaReply.raise
    }

    /// Pushes the position of the script's function that has called the program's own Lua code, as `job.lua:7: `; an
    /// empty text if the caller is a function in C. [-0, +1, m]
    public func pushCallerOfOwnCode() { clua_push_caller_of_own_code(raw) }

    /// Pushes `bad argument #1 to 'f' (text)`, and the reply that raises it. [-0, +1, m]
    public func raise(argument: Int32, _ text: String) -> Int32 {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                if let start = characters.baseAddress {
                    clua_push_argument_error(raw, argument, start, characters.count)
                } else {
                    clua_push_argument_error(raw, argument, "", 0)
                }
            }
        }
        return LuaReply.raise
    }

    /// Pushes `bad argument #1 to 'f' (table expected, got nil)`, and the reply that raises it. [-0, +1, m]
    public func raise(argument: Int32, expected: String) -> Int32 {
        raise(argument: argument, "\(expected) expected, got \(typeName(argument))")
    }

    /// Whether the host function that runs on this stack could wait now. [-0, +0, -]
    @inlinable
    public var canWait: Bool { clua_can_wait(raw) != 0 }

    /// Whether the host function that runs on this stack was called by a close variable that is left normally.
    /// [-0, +0, -]
    public var isClosingVariable: Bool { clua_is_closing(raw) != 0 }

    /// Whether this stack, whose coroutine may wait, has a close variable that is left normally. [-0, +0, -]
    public var hasClosingVariable: Bool { clua_closes(raw) != 0 }

    // MARK: places

    /// The place of the first Lua function at or above a level (1: the caller of the host function), outside the
    /// program's own chunks (`=[opscript]`) if there is one. [-0, +0, -]
    @inlinable
    public func place(level: Int32 = 1) -> LuaPlace {
        var line: Int32 = 0
        let source = clua_where(raw, level, &line)
        return LuaPlace(source: source, line: line)
    }
}

/// A line of a script, as two numbers; `LuaVM.describe(_:)` converts it to text.
@frozen
public struct LuaPlace: Hashable, Sendable {
    /// The identity of the chunk's name; 0 when there is no place.
    public let source: Int32
    /// The line, from 1.
    public let line: Int32

    /// Makes a place from its two numbers.
    @inlinable
    public init(source: Int32, line: Int32) {
        self.source = source
        self.line = line
    }

    /// No place.
    public static let unknown = LuaPlace(source: 0, line: 0)
}
