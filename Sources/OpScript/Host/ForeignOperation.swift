/// An operation that belongs to another scheduler, and that a script receives as an operation of its own.
///
/// It may reach a script in any way (an argument, a result, a global). The script can then name it, wait for it, depend
/// on it, observe it, cancel it, and add it to a queue. All requirements may be called on any thread.
/// `OpScriptFoundation` makes Foundation's `Operation` conform.
public protocol ForeignOperation: ScriptObject {
    /// Its name, if it has one.
    var foreignName: String? { get }

    /// Calls `body` once, on any thread, when the operation has finished; soon, if it already has.
    func whenForeignFinished(_ body: @escaping @Sendable (ForeignOutcome) -> Void)

    /// The reason why a script's queue cannot run it, as text (`it is in a queue already`); nil if it can.
    var foreignObstacle: String? { get }

    /// Runs the operation on a thread of the queue that a script added it to, and returns when it has ended.
    ///
    /// - Returns: How it ended.
    /// - Throws: The error that kept it from running; the operation fails with this error.
    func runForeign() throws -> ForeignOutcome

    /// Cancels the operation.
    func cancelForeign()
}

/// How a ``ForeignOperation`` ended.
public enum ForeignOutcome: Sendable {
    /// The operation ran.
    case succeeded
    /// The operation was cancelled.
    case cancelled
}

extension ForeignOperation {
    /// The name of the type in scripts.
    public static var scriptTypeName: String { "operation" }

    /// None: a script sees an operation's properties.
    public static var scriptPropertyNames: [String] { [] }

    /// None: a script sees an operation's properties.
    public func scriptProperty(_ name: String) -> ScriptValue? { nil }
}
