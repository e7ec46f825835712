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
    /// A piece of the script that still runs when the budget is used up is paused in the middle (``isPaused``), and the
    /// next call continues it at the same place; no other code of the script runs in between. Lua cannot be paused
    /// inside of a function of C: a comparator of `table.sort`, a function that `gsub` calls, a metamethod that such
    /// a function calls, one long `string.rep`. Then it is paused right after that function. A slice limit counts the
    /// time of all calls together.
    ///
    /// Each call begins a frame: it ends the waits for `frame()` and ``nextFrame()`` that began before it.
    /// - Parameter budget: The time until the call returns. A system that refuses a timer (`ulimit -i`) makes it return
    ///   only when the piece of script that then runs waits or ends.
    /// - Throws: ``ScriptError`` with code `misuse` if the engine needs no polling, or if another thread or a
    ///   closure of the engine polls it already; `host` after its end.
    @discardableResult
    public func poll(budget: Duration = .milliseconds(4)) throws -> PollResult {
        guard let result = try runner.poll(budget: budget.nanoseconds) else {
            throw ScriptError(.misuse, "only an engine whose scriptExecutor is .manual is polled")
        }
        return result
    }

    /// Returns when the host calls ``poll(budget:)`` next.
    ///
    /// Scripts use `await(frame())`, which continues in that very call. A Swift task continues on a thread of its own.
    /// - Throws: `CancellationError`; ``ScriptError`` with code `misuse` if the engine needs no polling, `host` after
    ///   its
    ///   end.
    public func nextFrame() async throws {
        guard case .manual = configuration.scriptExecutor else {
            throw ScriptError(.misuse, "only an engine whose scriptExecutor is .manual has frames")
        }
        try await link.frameWaiters.wait()
    }
}

extension ScriptEngine {
    /// Lets time pass, for an engine whose ``Configuration/clock`` is `.manual`.
    ///
    /// What is due happens when the engine runs next: at the next ``poll(budget:)``, or soon on another executor. A
    /// timer that is due several times within one call fires once, as on a machine that was busy meanwhile; so
    /// advance by short steps. Call it from any thread.
    /// - Parameter duration: At least zero.
    /// - Throws: ``ScriptError`` with code `misuse` for another clock, `argument` for a negative duration, `host` after
    ///   the engine's end.
    public func advance(by duration: Duration) throws {
        guard configuration.clock == .manual else {
            throw ScriptError(.misuse, "only an engine whose clock is .manual is advanced by its host")
        }
        guard duration >= .zero else {
            throw ScriptError(
                .argument,
                "a clock is advanced by a duration of at least zero, got \(duration)"
            )
        }
        guard link.advance(by: duration.nanoseconds) else { throw ScriptError.engineIsGone }
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
