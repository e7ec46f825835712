/// The bodies of operations, and the errors that they threw.
extension SchedulerCore {
    /// For each slot: the error that the body of the last attempt threw.
    package var failures: [UInt32: any Error] {
        get { shell.failures }
        _modify { yield &shell.failures }
    }

    /// Keeps the error of an attempt for the reader, since the next attempt may end before the reader asks.
    func keepFailure(_ id: OperationID, of attempt: UInt32) {
        guard let failure = shell.failures.removeValue(forKey: id.slot) else { return }
        shell.earlierFailures[id.slot, default: []].append((attempt, failure))
    }

    /// Takes the error that the body of an attempt threw before another attempt followed; nil if there was none.
    package func takeFailure(_ id: OperationID, of attempt: UInt32) -> (any Error)? {
        guard var kept = shell.earlierFailures.removeValue(forKey: id.slot) else { return nil }
        while let first = kept.first, first.attempt <= attempt {
            kept.removeFirst()
            guard first.attempt == attempt else { continue }
            if !kept.isEmpty { shell.earlierFailures[id.slot] = kept }
            return first.error
        }
        shell.earlierFailures[id.slot] = kept.isEmpty ? nil : kept
        return nil
    }

    @inline(__always)
    package func body(_ id: OperationID) -> (any OperationBody)? {
        id.slot < bodies.count ? bodies.pointer(id.slot).pointee : nil
    }

    @inline(__always)
    package func setBody(_ body: consuming (any OperationBody)?, for id: OperationID) {
        if id.slot < bodies.count {
            bodies.pointer(id.slot).pointee = body
        } else {
            while id.slot > bodies.count { bodies.append(nil) }
            bodies.append(body)
        }
    }

    /// How many bodies are held. For tests.
    var bodyCount: Int { (0..<bodies.count).count { bodies.pointer($0).pointee != nil } }

    /// The body of a live operation, which the core retains.
    @inline(__always)
    func unretainedBody(_ id: OperationID) -> Claim.Member {
        Claim.Member(body: bodies.pointer(id.slot).pointee)
    }

    /// Takes the body out.
    @inline(__always)
    package func takeBody(_ slot: UInt32) -> (any OperationBody)? {
        slot < bodies.count ? bodies.pointer(slot).pointee.take() : nil
    }
}
