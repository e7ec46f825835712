/// The reader of events: the inputs whose effects it shows at once, and the operations that it holds back.
extension SchedulerMachine {
    /// The place in the events and in the held skips at which an input of the reader began.
    struct ReaderInput {
        fileprivate let firstEvent: Int
        fileprivate let firstSkip: Int
    }

    func readerInputBegins() -> ReaderInput {
        ReaderInput(firstEvent: effects.events.count, firstSkip: heldSkips.count)
    }

    /// - Parameter shown: Receives those of the input's events that the reader shows at once.
    mutating func readerInputEnded(since begin: ReaderInput, _ shown: inout [ReaderEffect]) {
        decideSkips(from: begin.firstSkip)
        for place in begin.firstEvent..<effects.events.count {
            switch effects.events[place].kind {
            case .ready, .notReady, .cancelled, .finished:
                shown.append(ReaderEffect(event: effects.events[place], fact: log.map { $0.facts[place] }))
                effects.events[place].markShown()
            case .started, .attemptFailed, .retrying, .timedOut, .readerTicket, .externalTicket: break
            }
        }
    }

    /// Whether the reader holds the best operation of a queue back.
    ///
    /// - Parameter mayHold: Whether it may do so although no operation has become ready since it took the events.
    mutating func readerHolds(_ queue: QueueID, mayHold: Bool, _ mayStart: (OperationID) -> Bool) -> Bool {
        var mayHold = mayHold
        for event in effects.events.elements {
            if event.kind == .ready { mayHold = true }
            // Once the reader has seen the failure, the operation may be cancelled.
            if event.kind == .finished, event.outcome == .failed, failsFast(event.slot, in: queue) {
                return true
            }
        }
        guard mayHold, let best = startable(Int(queue.index), .reader) else { return false }
        return !mayStart(best)
    }
}
