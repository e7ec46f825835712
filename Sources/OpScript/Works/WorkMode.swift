/// The behaviour of a Swift closure under virtual time, where the clock jumps as soon as nothing runs.
///
/// A script may override the mode for its run with `simulate`.
public struct WorkMode: Sendable {
    enum Content: Sendable {
        case real
        case instant
        case modelled(@Sendable ([ScriptValue]) throws -> ModelledRun)
        case sleep
    }

    let content: Content

    /// Runs on a thread, or as a task, and holds the clock meanwhile; for closures that reach files,
    /// processes or the network.
    public static let real = WorkMode(content: .real)
    /// Runs where the script runs, and takes no time; for closures that only compute. An `async` closure
    /// still runs for real.
    public static let instant = WorkMode(content: .instant)

    /// Does not run: a model determines the closure's result, and how long the closure would have taken.
    ///
    /// - Parameter model: Receives the script's arguments. If it throws, the operation fails at once with that error.
    public static func modelled(_ model: @escaping @Sendable ([ScriptValue]) throws -> ModelledRun)
        -> WorkMode
    {
        WorkMode(content: .modelled(model))
    }

    /// The closure returns a number of seconds, and the operation takes that long, on any clock.
    static let sleep = WorkMode(content: .sleep)
}

/// The replacement for a call of a Swift closure under virtual time.
public struct ModelledRun: Sendable {
    /// The operation's result.
    public var result: ScriptValue
    /// Virtual seconds that it takes, 0 for none.
    public var duration: Double
    /// The error with which the operation fails at its end; nil if it succeeds.
    public var error: (any Error)?

    /// Makes a run; by default it returns nil and takes no time.
    public init(result: ScriptValue = .nil, duration: Double = 0, error: (any Error)? = nil) {
        self.result = result
        self.duration = duration
        self.error = error
    }
}
