extension ScriptEngine {
    /// The state in which a call of ``ScriptEngine/poll(budget:)`` left the engine.
    public enum PollResult: Sendable, Equatable {
        /// There is more to do: the budget was used up.
        case busy
        /// Scripts wait for Swift closures, or for a time from now, if there is one.
        ///
        /// Poll again after a while; nothing announces the end of work that runs elsewhere.
        case waiting(Duration?)
        /// The engine has no request, and nothing is left that could run.
        case idle
    }

    /// Lets scripts continue on the calling thread, for an engine whose ``Configuration/scriptExecutor`` is
    /// `.manual`.
    ///
    /// Requests (`run`, `call`, …) come from other tasks and make progress only during this call; their results arrive
    /// in those tasks. Call it from any thread, but from one at a time.
    ///
    /// ```swift
    /// let job = Task { try await engine.run(file: "level.lua") }
    /// while !isOver {
    ///     try engine.poll(budget: .milliseconds(4))
    ///     drawFrame()
    /// }
    /// ```
    /// - Parameter budget: The time until the call returns, once the piece of script that then runs waits or ends.
    /// - Throws: ``ScriptError`` with code `misuse` if the engine needs no polling, or if another thread or a
    ///   closure of the engine polls it already; `host` after its end.
    @discardableResult
    public func poll(budget: Duration = .milliseconds(4)) throws -> PollResult {
        guard let result = try runner.poll(budget: budget.nanoseconds) else {
            throw ScriptError(.misuse, "only an engine whose scriptExecutor is .manual is polled")
        }
        return result
    }
}

extension Duration {
    /// The duration, rounded down; the largest number if the duration is longer.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds > 0 ? .max : .min }
        let (sum, isTooLong) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLong ? .max : sum
    }
}
