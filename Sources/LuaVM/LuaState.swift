public import CLua

/// A Lua stack: the main one of a universe, or that of a coroutine.
///
/// A thin pointer, as fast as Lua's C interface. It has only functions that cannot raise inside a Swift
/// frame. While Swift code runs, an allocation never fails (a memory limit is noted and raised at the return
/// to Lua), so the functions marked `m` in Lua's manual are safe here. A function that may call metamethods
/// is protected and throws. The documentation of each function has its effect on the stack, in the manual's
/// notation. Before pushing more than 20 values, call `ensureSpace`. Confined to the thread of its `LuaVM`.
@frozen
public struct LuaState {
    /// The `lua_State`.
    public let raw: OpaquePointer

    /// Wraps the state that a host function was called with.
    @inlinable
    @inline(__always)
    public init(_ raw: OpaquePointer) { self.raw = raw }

    /// The virtual machine this stack belongs to.
    public var vm: LuaVM { LuaVM.of(self) }

    /// The word that the host stored in `LuaVM.host`.
    @inlinable
    public var host: UnsafeMutableRawPointer? { clua_of(raw).pointee.host }

    /// The context shared by all coroutines of this universe.
    @inlinable
    @inline(__always)
    package var context: UnsafeMutablePointer<clua_context> { clua_of(raw) }
}

/// A host function: reads its arguments from index 1 on, pushes results, returns their number or a `LuaReply`.
///
/// Must be a named `nonisolated` function or a literal that captures nothing, outside of any actor's isolation.
public typealias LuaFunction = @convention(c) (OpaquePointer) -> Int32

/// Continues after a wait or a call; `base` is the index of a boolean "succeeded"; the values (or the error)
/// are above it.
public typealias LuaContinuation = @convention(c) (_ raw: OpaquePointer, _ base: Int32) -> Int32

/// Reads or writes the property with a number; the object is at index 1 and, for a setter, the value at index 3.
public typealias LuaAccessor = @convention(c) (_ raw: OpaquePointer, _ property: Int32) -> Int32

/// A request of a host function to its trampoline, instead of a number of results.
public enum LuaReply {
    /// Raises the value on top.
    public static let raise: Int32 = -1
    /// Waits: the coroutine sleeps until its root receives a delivery. Its values are the results, or its error is
    /// raised.
    public static let wait: Int32 = -2
    /// Waits, and passes the delivery to the continuation on top (`push(continuation:)`).
    public static let waitThen: Int32 = -3

    /// Calls the function that lies below `arguments` values, and returns all its results.
    ///
    /// It may wait.
    @inlinable
    public static func call(_ arguments: Int) -> Int32 {
        -16 - Int32(truncatingIfNeeded: arguments)
    }

    /// Calls the function below `arguments` values and a continuation on top, protected; it may wait.
    ///
    /// The continuation gets the results or the error; the values below the function are still there (from index 1 to
    /// `base - 2`).
    @inlinable
    public static func callThen(_ arguments: Int) -> Int32 {
        -(1 << 24) - Int32(truncatingIfNeeded: arguments)
    }
}

/// The type of a Lua value.
@frozen
public enum LuaType: Int32, Sendable {
    /// No value at this index.
    case none = -1
    /// `nil`.
    case `nil` = 0
    /// `true` or `false`.
    case boolean = 1
    /// An address without a metatable of its own.
    case lightUserdata = 2
    /// An integer or a float.
    case number = 3
    /// Bytes.
    case string = 4
    /// A table.
    case table = 5
    /// A Lua, C or Swift function.
    case function = 6
    /// A full userdata.
    case userdata = 7
    /// A coroutine.
    case thread = 8

    /// The name that Lua's messages use.
    public var name: String {
        switch self {
        case .none: "no value"
        case .nil: "nil"
        case .boolean: "boolean"
        case .lightUserdata, .userdata: "userdata"
        case .number: "number"
        case .string: "string"
        case .table: "table"
        case .function: "function"
        case .thread: "thread"
        }
    }
}
