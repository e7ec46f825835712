/// An operation that belongs to another scheduler, and that a script gets as an operation of its own.
///
/// Handed to a script in any way (an argument, a result, a global), it can be named there, waited for, depended on,
/// observed, cancelled, and added to a queue. Everything here is called on any thread. `OpScriptFoundation` makes
/// Foundation's `Operation` one.
public protocol ForeignOperation: ScriptObject {
    /// Its name, if it has one.
    var foreignName: String? { get }

    /// Has `body` called once, on any thread, when the operation has finished; soon, if it already has.
    func whenForeignFinished(_ body: @escaping @Sendable (ForeignOutcome) -> Void)

    /// Why it cannot be run by a script's queue, in words (`it is in a queue already`); nil where it can.
    var foreignObstacle: String? { get }

    /// Runs it to its end, on a thread of the queue that a script put it into, and returns then.
    ///
    /// - Returns: How it ended.
    /// - Throws: What kept it from running; the operation fails with it.
    func runForeign() throws -> ForeignOutcome

    /// Cancels it.
    func cancelForeign()
}

/// How a ``ForeignOperation`` ended.
public enum ForeignOutcome: Sendable {
    /// It ran.
    case succeeded
    /// It was cancelled.
    case cancelled
}

extension ForeignOperation {
    /// What a script calls it.
    public static var scriptTypeName: String { "operation" }

    /// None: a script sees an operation's properties.
    public static var scriptPropertyNames: [String] { [] }

    /// None: a script sees an operation's properties.
    public func scriptProperty(_ name: String) -> ScriptValue? { nil }
}
