extension WorkerPool {
    /// Runs a part of a stretch, mostly without the lock: tells each end by itself, and reports them together.
    ///
    /// What else may be ready, and what follows from a failure, is the lock's; so is the end of one that the machine has come to know.
    static func perform(
        part handles: UnsafeMutablePointer<Unmanaged<ScheduledOperation>>,
        _ assignment: Assignment,
        _ worker: Worker,
        _ scheduler: Scheduler,
        _ pause: inout Pause
    ) -> Assignment? {
        var current = handles[worker.part.first]
        let isSerial = worker.part.isSerial
        let start = SchedulerClock.systemNow
        var failure: (any Error)?
        var isTold = false
        while true {
            do {
                isTold = try current._withUnsafeGuaranteedRef { operation in
                    try operation.executeOnce()
                    return operation.succeededUnlessKnown(holdsUpOthers: isSerial)
                }
            } catch {
                failure = error
                isTold = false
            }
            guard isTold, !scheduler.hasAdditions, let place = worker.cursor.advance() else { break }
            current.release()
            current = handles[place]
            if place + 3 < assignment.partEnd { handles[place + 3].prefetch() }
        }
        let nanoseconds = SchedulerClock.systemNow - start
        return scheduler.exchange(
            partEndingWith: current,
            isTold ? .told : .open,
            failure,
            after: nanoseconds,
            on: worker,
            &pause
        )
    }

    /// The same for blocks: nobody has a handle, so that going on to the next is all there is to tell.
    static func perform(
        part blocks: UnsafeMutablePointer<StretchBlocks.Block>,
        _ worker: Worker,
        _ scheduler: Scheduler,
        _ pause: inout Pause
    ) -> Assignment? {
        let start = SchedulerClock.systemNow
        var place = worker.part.first
        var failure: (any Error)?
        while true {
            do {
                // Gone before anybody can know that it has run.
                try StretchBlocks.take(blocks + place)()
            } catch {
                failure = error
            }
            guard failure == nil, !scheduler.hasAdditions, let next = worker.cursor.advance() else { break }
            place = next
        }
        return exchangePart(since: start, failure, worker, scheduler, &pause)
    }

    /// The same for operations whose bodies the runner has, of which the event log's reader is told.
    ///
    /// It is told of all of them at the end of the part, and at each step while it sleeps.
    static func perform(
        part identities: UnsafeMutablePointer<OperationID>,
        _ runner: any OperationRunner,
        _ worker: Worker,
        _ scheduler: Scheduler,
        _ pause: inout Pause
    ) -> Assignment? {
        let start = SchedulerClock.systemNow
        var place = worker.part.first
        var failure: (any Error)?
        while true {
            do {
                try runner.execute(identities[place])
            } catch {
                failure = error
            }
            guard failure == nil, !scheduler.hasNewOperations, let next = worker.cursor.advance() else {
                break
            }
            // Whoever goes to sleep says so, and then looks where the worker stands.
            if scheduler.readerSleeps { scheduler.tellOfPart(of: worker, &pause) }
            place = next
        }
        return exchangePart(since: start, failure, worker, scheduler, &pause)
    }

    /// Reports a part of which nobody has handles, and fetches the next body.
    ///
    /// - Parameters:
    ///   - start: When the part began.
    ///   - failure: What the last one that it ran threw.
    private static func exchangePart(
        since start: Int64,
        _ failure: (any Error)?,
        _ worker: Worker,
        _ scheduler: Scheduler,
        _ pause: inout Pause
    ) -> Assignment? {
        scheduler.exchange(
            partEndingWith: nil,
            failure == nil ? .well : .open,
            failure,
            after: SchedulerClock.systemNow - start,
            on: worker,
            &pause
        )
    }
}
