/// What a Swift closure does under virtual time, where the clock jumps as soon as nothing runs.
///
/// A script may say otherwise for its run, by `simulate`.
public struct WorkMode: Sendable {
    enum Content: Sendable {
        case real
        case instant
        case modelled(@Sendable ([ScriptValue]) throws -> ModelledRun)
        case sleep
    }

    let content: Content

    /// Runs on a thread, or as a task, and holds the clock meanwhile: for what reaches files, processes, the net.
    public static let real = WorkMode(content: .real)
    /// Runs where the script runs, and takes no time: for what only computes. An `async` closure is real all the same.
    public static let instant = WorkMode(content: .instant)

    /// Does not run: a closure says what it would have given, and how long it would have taken.
    ///
    /// - Parameter model: Gets the arguments of the script. What it throws fails the operation at once.
    public static func modelled(_ model: @escaping @Sendable ([ScriptValue]) throws -> ModelledRun)
        -> WorkMode
    {
        WorkMode(content: .modelled(model))
    }

    /// The closure gives a number of seconds, and the operation takes that long, on any clock.
    static let sleep = WorkMode(content: .sleep)
}

/// What stands for the run of a Swift closure under virtual time.
public struct ModelledRun: Sendable {
    /// What the operation gives.
    public var result: ScriptValue
    /// Virtual seconds that it takes, 0 for none.
    public var duration: Double
    /// What it fails with at its end; nil where it succeeds.
    public var error: (any Error)?

    /// Makes one; the default is one that gives nothing and takes no time.
    public init(result: ScriptValue = .nil, duration: Double = 0, error: (any Error)? = nil) {
        self.result = result
        self.duration = duration
        self.error = error
    }
}
