/// The reader of events: the inputs whose effects it shows at once, and the operations that it holds back.
extension SchedulerMachine {
    /// An input of the reader that is being carried out.
    struct ReaderInput {
        /// How many events there were before it, taken ones included.
        fileprivate let firstEvent: UInt64
        /// The number of held skips before it.
        fileprivate let firstSkip: Int
        /// How many events the reader had seen.
        fileprivate let seenEvents: UInt64
    }

    /// How many events there were, taken ones included.
    var eventCount: UInt64 { takenEvents + UInt64(effects.events.count) }

    /// The reader takes the events, in exchange for an empty buffer.
    mutating func eventsTaken(_ events: borrowing PlainBuffer<SchedulerEvent>) {
        takenEvents = eventCount
        effects.events.exchange(with: events)
    }

    /// - Parameter seenEvents: How many events the reader has seen, since the beginning.
    mutating func readerInputBegins(seenEvents: UInt64) -> ReaderInput {
        isReaderInput = true
        return ReaderInput(firstEvent: eventCount, firstSkip: heldSkips.count, seenEvents: seenEvents)
    }

    /// An input of the reader is over. The reader shows at once what follows from the input and from ends that it has
    /// seen. Effects that need other ends, too, are shown after these.
    ///
    /// - Parameter shown: Receives those of the input's events that the reader shows at once.
    mutating func readerInputEnded(_ input: ReaderInput, _ shown: inout [ReaderEffect]) {
        var place = Int(input.firstEvent - takenEvents)
        while true {
            while place < effects.events.count {
                showIfSeen(place, input, &shown)
                place += 1
            }
            decideSkips(after: input)
            if place == effects.events.count { break }
        }
        isReaderInput = false
    }

    private mutating func showIfSeen(_ place: Int, _ input: ReaderInput, _ shown: inout [ReaderEffect]) {
        let event = effects.events[place]
        let record = store.pointer(event.slot)
        switch event.kind {
        case .ready: guard followsFromSeen(record, input) else { return }
        case .finished:
            if record.pointee.lane == .group, event.wasExecuting, endsUnseenInside(record, input) {
                noteEndInside(record)
                return
            }
            record.pointee.endEvent = 0
        case .notReady, .cancelled: break
        case .started, .attemptFailed, .retrying, .timedOut, .readerTicket, .externalTicket: return
        }
        shown.append(ReaderEffect(event: event, fact: log.map { $0.facts[place] }))
        effects.events[place].markShown()
    }

    /// Whether the reader sees the ends of all dependencies of an operation that has none left.
    private func followsFromSeen(_ record: UnsafeMutablePointer<OperationRecord>, _ input: ReaderInput)
        -> Bool
    {
        if record.pointee.flags.contains(.cancelled) { return true }
        var index = record.pointee.firstDependency
        while index != .max {
            let edge = edges.pointer(index)
            if edge.pointee.outcome != nil {
                let origin = edges.origin(edge, in: store)
                // The reader has released the others.
                if let other = store.live(origin), other.pointee.flags.contains(.reports),
                    other.pointee.endEvent > input.seenEvents
                {
                    return false
                }
            }
            index = edge.pointee.nextDependency
        }
        return true
    }

    private func endsUnseenInside(_ record: UnsafeMutablePointer<OperationRecord>, _ input: ReaderInput)
        -> Bool
    {
        guard let inner = extras(of: record)?.innerQueue, inner != .max else { return false }
        return queues[Int(inner)].lastEndUnshown > input.seenEvents
    }

    /// An operation has ended, and the reader does not show that at once.
    @inline(__always)
    mutating func noteEndInside(_ record: UnsafeMutablePointer<OperationRecord>) {
        let queue = record.pointee.queue
        guard queue != .max, queues[Int(queue)].kind == .inner else { return }
        queues[Int(queue)].lastEndUnshown = record.pointee.endEvent
    }

    // MARK: Skips

    /// Holds the skip of an operation until the reader sees the ends that lead to it: before, it may change them.
    ///
    /// Returns false if the skip is decided now.
    mutating func holdSkip(_ slot: UInt32) -> Bool {
        let record = store.pointer(slot)
        guard readerDecidesSkips, !isDecidingSkips, record.pointee.flags.contains(.reports) else {
            return false
        }
        record.pointee.phase = .ending
        heldSkips.append(store.id(slot))
        return true
    }

    /// The dependencies of an operation change whose skip is held: it is decided once more. Returns false for others.
    mutating func reopenSkip(_ id: OperationID) -> Bool {
        guard !heldSkips.isEmpty, let record = store.live(id), record.pointee.phase == .ending,
            !record.pointee.flags.contains(.cancelled), let place = heldSkips.firstIndex(of: id)
        else { return false }
        heldSkips.remove(at: place)
        record.pointee.phase = .waiting
        return true
    }

    /// The dependencies of such an operation have changed.
    mutating func settleReopened(_ slot: UInt32) {
        let record = store.pointer(slot)
        guard record.pointee.unfinishedDependencies == 0, record.pointee.phase == .waiting else { return }
        settle(slot)
        drainEndings()
    }

    /// The reader takes the events, and so knows all ends: decides about the operations that are to be skipped.
    mutating func decideSkips() {
        guard !heldSkips.isEmpty, !isDecidingSkips else { return }
        isDecidingSkips = true
        for id in heldSkips { decideSkip(id) }
        heldSkips.removeAll()
        isDecidingSkips = false
    }

    /// The same for those that an input of the reader has decided, together with ends that the reader sees.
    private mutating func decideSkips(after input: ReaderInput) {
        guard heldSkips.count > input.firstSkip, !isDecidingSkips else { return }
        let candidates = heldSkips[input.firstSkip...]
        heldSkips.removeSubrange(input.firstSkip...)
        for id in candidates {
            if let record = store.live(id), !followsFromSeen(record, input) {
                heldSkips.append(id)
            } else {
                decideSkip(id)
            }
        }
    }

    private mutating func decideSkip(_ id: OperationID) {
        guard let record = store.live(id), record.pointee.phase == .ending else { return }
        record.pointee.phase = .waiting
        if record.pointee.flags.contains(.cancelled) {
            end(id.slot, .cancelled)
        } else {
            let wasDeciding = isDecidingSkips
            isDecidingSkips = true
            settle(id.slot)
            isDecidingSkips = wasDeciding
        }
        drainEndings()
    }

    // MARK: Starts

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
