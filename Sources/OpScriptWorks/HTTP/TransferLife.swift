#if HTTP
/// Decides about one transfer, from its submission to its end: inputs are facts, results are actions.
///
/// It knows no library, no file and no clock.
struct TransferLife {
    /// How a transfer ended.
    enum Ending: Equatable {
        /// The whole answer has arrived.
        case answered
        /// The body belongs into a file, and the status is not one of success.
        case statusRefused
        /// The server has nothing behind the bytes that are in the file already.
        case alreadyWhole
        /// The server refuses the rest of the body, or sends another part of it.
        case restRefused
        case excess(LimitedBytes.Excess)
        /// The body could not be written, with the system's error number.
        case unwritable(Int32)
        /// The body of the request could not be read, with the system's error number.
        case unreadable(Int32)
        case cancelled
        /// The library gave up, with its code.
        case failed(UInt32)
    }

    /// The destination of a body.
    enum Destination: Equatable {
        case memory
        /// A file in which so many bytes of an earlier attempt are kept.
        case file(kept: Int)
    }

    /// The action for the first bytes of a body.
    enum BodyAction: Equatable {
        /// Appends them to the bytes that are there.
        case append
        /// Discards the bytes that are there, and keeps these.
        case replace
        /// Ends the transfer.
        case stop
    }

    private enum Phase: Equatable { case waiting, running, stopping(Ending), ended }

    private let destination: Destination
    private let validator: String?
    private var phase = Phase.waiting
    private(set) var head = ResponseHead()

    /// - Parameter validator: The server's text for the bytes that are in the file already.
    init(_ destination: Destination, validator: String? = nil) {
        self.destination = destination
        self.validator = validator
    }

    /// The thread of the transfers has taken it over: whether it begins. Otherwise, it has ended.
    mutating func taken(isCancelled: Bool) -> Bool {
        guard phase == .waiting else { preconditionFailure("\(phase) received taken") }
        phase = isCancelled ? .ended : .running
        return !isCancelled
    }

    /// Its end is requested: whether it ends now.
    mutating func cancelled() -> Bool {
        switch phase {
        // It is not known yet, or it has ended already: the request came late.
        case .waiting, .ended: return false
        case .running, .stopping:
            phase = .ended
            return true
        }
    }

    /// A line of the head has arrived.
    mutating func headArrived(_ line: some BidirectionalCollection<UInt8>) { head.take(line) }

    /// The first bytes of a body have arrived.
    mutating func bodyBegan() -> BodyAction {
        switch destination {
        case .memory: return .append
        case .file(let kept):
            if head.status == 206, kept > 0 {
                // A server may overlook the header `If-Range`.
                let isSame = validator == nil || head.validator == nil || head.validator == validator
                return head.firstByte == kept && isSame ? .append : stop(.restRefused)
            }
            if head.isSuccess { return .replace }
            return stop(refusal(kept: kept))
        }
    }

    private mutating func stop(_ ending: Ending) -> BodyAction {
        partFailed(ending)
        return .stop
    }

    /// Something of ours failed while bytes were exchanged: the library will report the end. The first reason counts.
    mutating func partFailed(_ ending: Ending) {
        if phase == .running { phase = .stopping(ending) }
    }

    /// The library has ended the transfer, with a code; 0 if all of the answer has arrived.
    mutating func libraryEnded(_ code: UInt32) -> Ending {
        switch phase {
        case .waiting, .ended: preconditionFailure("\(phase) received libraryEnded(\(code))")
        case .stopping(let ending):
            phase = .ended
            return ending
        case .running:
            phase = .ended
            if code != 0 { return .failed(code) }
            // An answer without a body.
            if case .file(let kept) = destination, !head.isSuccess { return refusal(kept: kept) }
            return .answered
        }
    }

    /// The reason why the body of a status that is not one of success is not kept.
    private func refusal(kept: Int) -> Ending {
        guard head.status == 416, kept > 0 else { return .statusRefused }
        return head.wholeSize == kept ? .alreadyWhole : .restRefused
    }
}
#endif
