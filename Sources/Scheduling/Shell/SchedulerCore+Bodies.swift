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

    /// The place of the body of an operation of the reader. It never moves.
    ///
    /// It is the only holder of the body. The reader writes it while the operation is in no queue, and again once it
    /// knows of the end; neither needs the lock. In between, the body is only read, under the lock.
    package func bodyPlace(_ slot: UInt32) -> UnsafeMutablePointer<(any OperationBody)?> {
        bodies.pointer(slot)
    }

    /// Makes the place of the body of a new operation.
    @inline(__always)
    func withBodyPlace(_ id: OperationID) -> OperationID {
        while id.slot >= bodies.count { bodies.append(nil) }
        return id
    }

    @inline(__always)
    package func body(_ id: OperationID) -> (any OperationBody)? {
        if id.slot < bodies.count, let body = bodies.pointer(id.slot).pointee { return body }
        return id.slot < blocks.count ? blocks.pointer(id.slot).pointee.map(BlockBody.init) : nil
    }

    @inline(__always)
    func setBody(_ body: consuming (any OperationBody)?, for id: OperationID) {
        if id.slot < bodies.count {
            bodies.pointer(id.slot).pointee = body
        } else {
            while id.slot > bodies.count { bodies.append(nil) }
            bodies.append(body)
        }
    }

    /// The body of an operation without a handle.
    @inline(__always)
    func setBlock(_ block: consuming Block, for id: OperationID) {
        if id.slot < blocks.count {
            blocks.pointer(id.slot).pointee = block
        } else {
            while id.slot > blocks.count { blocks.append(nil) }
            blocks.append(block)
        }
    }

    /// How many bodies are held. For tests.
    var bodyCount: Int {
        (0..<bodies.count).count { bodies.pointer($0).pointee != nil }
            + (0..<blocks.count).count { blocks.pointer($0).pointee != nil }
    }

    /// The member of a claim for an operation: a body, which the core retains, or a block, which it gives
    /// away.
    @inline(__always)
    func takeMember(_ id: OperationID) -> Claim.Member {
        if let block = takeBlock(id.slot) {
            blockMoved(id, toWorker: true)
            return Claim.Member(block: block)
        }
        return Claim.Member(body: bodies.pointer(id.slot).pointee)
    }

    /// A worker gives an operation back that it has claimed and not begun.
    func putBack(_ member: borrowing Claim.Member, _ id: OperationID) {
        guard let block = member.block else { return }
        setBlock(block, for: id)
        blockMoved(id, toWorker: false)
    }

    /// Takes the body out.
    @inline(__always)
    func takeBody(_ slot: UInt32) -> (any OperationBody)? {
        if slot < bodies.count, let body = bodies.pointer(slot).pointee.take() { return body }
        return takeBlock(slot).map(BlockBody.init)
    }

    @inline(__always)
    private func takeBlock(_ slot: UInt32) -> Block? {
        slot < blocks.count ? blocks.pointer(slot).pointee.take() : nil
    }
}
