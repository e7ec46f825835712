internal import OpScriptRecord
internal import Scheduling

/// Orders from outside about what is in the record of the run; for the live page of the command.
extension ScriptEngine {
    /// The result of an order.
    package enum OrderResult: Sendable, Equatable {
        case done
        /// Why it could not be followed.
        case refused(String)
    }

    /// Suspends or resumes a queue of the present run, in the script thread's turn.
    ///
    /// While a queue is suspended in this way, a wait for it is no deadlock.
    /// - Parameters:
    ///   - queue: Its index in the record.
    ///   - answer: Receives the result, on any thread.
    package func setSuspended(
        _ isSuspended: Bool,
        queue index: Int,
        answer: @escaping @Sendable (OrderResult) -> Void
    ) {
        order(answer) { $0.setSuspended(isSuspended, queueAt: index) }
    }

    /// Cancels an operation of the present run, as `op:cancel()` does, in the script thread's turn.
    ///
    /// - Parameters:
    ///   - number: Its number in the record.
    ///   - answer: Receives the result, on any thread.
    package func cancelOperation(_ number: Int, answer: @escaping @Sendable (OrderResult) -> Void) {
        order(answer) { $0.cancelOperation(number) }
    }

    private func order(
        _ answer: @escaping @Sendable (OrderResult) -> Void,
        _ perform: @escaping @Sendable (RunRecording) -> OrderResult
    ) {
        link.post(refuse: { answer(.refused($0.message)) }) { runtime in
            guard case .run = runtime.run.session, let recording = runtime.reporting.recording else {
                return answer(.refused("the run has ended"))
            }
            guard case .refused(let reason) = perform(recording) else { return answer(.done) }
            answer(.refused(runtime.link.secrets.hidden(in: reason)))
        }
    }
}

extension RunRecording {
    fileprivate func setSuspended(_ isSuspended: Bool, queueAt index: Int) -> ScriptEngine.OrderResult {
        guard let queue = queue(at: index) else { return .refused("there is no such queue any more") }
        guard queue.canBeSuspended else {
            return .refused("queue '\(queue.name)' cannot be suspended or resumed")
        }
        // Before the change: it is the owner of the suspension who could still resume the queue.
        if isSuspended, !runtime.hostObjects.isSuspended(queue) { holdSuspension(of: queue) }
        if let native = queue.native {
            do throws(LuaRaise) {
                try runtime.hostObjects.setNativeSuspended(queue, native, isSuspended)
            } catch {
                releaseSuspension(of: queue)
                return .refused(error.text)
            }
        } else {
            runtime.queues.setSuspended(queue, isSuspended)
        }
        return .done
    }

    fileprivate func cancelOperation(_ number: Int) -> ScriptEngine.OrderResult {
        guard number >= 0, number < recorder.count else { return .refused("there is no such operation") }
        let recorded = recorder.operation(UInt32(number))
        let id = OperationID(
            slot: UInt32(truncatingIfNeeded: recorded.identity),
            generation: UInt32(truncatingIfNeeded: recorded.identity >> 32)
        )
        guard recorded.outcome == nil, let view = runtime.operations.liveView(id) else {
            return .refused("'\(recorded.name)' has ended")
        }
        runtime.operations.cancel(view)
        return .done
    }
}
