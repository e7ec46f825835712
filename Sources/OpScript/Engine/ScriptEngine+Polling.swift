extension ScriptEngine {
    /// What a call of ``ScriptEngine/poll(budget:)`` left behind.
    public enum PollResult: Sendable, Equatable {
        /// There is more to do: the budget was used up.
        case busy
        /// Something waits: for Swift closures, or for a time from now, where there is one.
        ///
        /// To be polled again in a while; what ends elsewhere does not announce itself.
        case waiting(Duration?)
        /// Nothing was asked of the engine, and nothing is left that could run.
        case idle
    }

    /// Lets scripts go on, on the calling thread, for an engine whose ``Configuration/scriptExecutor`` is `.manual`.
    ///
    /// Requests (`run`, `call`, …) come from other tasks, and go on only inside of this call; their results arrive
    /// there. From any thread, but one at a time.
    ///
    /// ```swift
    /// let job = Task { try await engine.run(file: "level.lua") }
    /// while !isOver {
    ///     try engine.poll(budget: .milliseconds(4))
    ///     drawFrame()
    /// }
    /// ```
    /// - Parameter budget: When it returns at the latest, as soon as the piece of script that runs then waits or ends.
    /// - Throws: ``ScriptError`` with code `misuse` for an engine that needs no polling, and where it is polled
    ///   already: by another thread, or by something that it has called; `host` after its end.
    @discardableResult
    public func poll(budget: Duration = .milliseconds(4)) throws -> PollResult {
        guard let result = try runner.poll(budget: budget.nanoseconds) else {
            throw ScriptError(.misuse, "only an engine whose scriptExecutor is .manual is polled")
        }
        return result
    }
}

extension Duration {
    /// Rounded down; the largest number where it is longer than that.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds > 0 ? .max : .min }
        let (sum, isTooLong) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLong ? .max : sum
    }
}
