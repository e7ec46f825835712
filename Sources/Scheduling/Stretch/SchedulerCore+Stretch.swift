extension SchedulerCore {
    /// Fewer than so many operations are known one by one.
    static let shortestStretch = 16

    /// Adds operations together as a stretch and takes them out of the buffer; all of them or none. False where they are not plain enough:
    /// then nothing was changed.
    func addStretch(
        _ operations: UnsafeMutableBufferPointer<Unmanaged<ScheduledOperation>?>,
        as members: StretchMembers,
        to queue: QueueID,
        of scheduler: Scheduler
    ) -> Bool {
        guard usesThreads, case .handles(let handles) = members.bodies, let first = operations[0],
            let second = operations[1]
        else { return false }
        let isSerial = second._withUnsafeGuaranteedRef { $0.dependsEarly(on: first) }
        guard machine.takesStretch(in: queue, isSerial: isSerial) else { return false }
        for place in operations.indices {
            if place + 8 < operations.count { operations[place + 8]?.prefetch() }
            guard let operation = operations[place],
                Self.joins(operation, after: isSerial && place > 0 ? operations[place - 1] : nil, scheduler)
            else {
                for joined in 0..<place {
                    let previous = isSerial && joined > 0 ? operations[joined - 1] : nil
                    operations[joined]?._withUnsafeGuaranteedRef { $0.leavesStretch(after: previous) }
                }
                return false
            }
            handles[place] = operation
        }
        operations.update(repeating: nil)
        append(members, to: queue, isSerial: isSerial)
        return true
    }

    /// Adds blocks together as a stretch; false where they have to be known one by one: then nothing was changed.
    func addStretch(blocks members: StretchMembers, to queue: QueueID) -> Bool {
        guard usesThreads, machine.takesStretch(in: queue) else { return false }
        append(members, to: queue, isSerial: false)
        return true
    }

    /// How many operations that are added one by one are known after a stretch of such was dissolved: there may be more questions.
    private static let additionsKnownAfterQuestion = 64

    /// Adds an operation that comes by itself to a stretch; false where it has to be known: then nothing was changed.
    @inline(__always)
    func addToStretch(_ addition: borrowing PlainAddition) -> Bool {
        guard usesThreads, shell.additionsToKnow == 0, machine.takesStretch(addition) else { return false }
        shell.stretchLine.append(addition.id, at: machine.stretch.count)
        machine.stretchAdded(1, to: addition.queue)
        return true
    }

    private func append(_ members: StretchMembers, to queue: QueueID, isSerial: Bool) {
        members.firstPlace = machine.stretch.count
        machine.stretchAdded(members.count, to: queue, isSerial: isSerial)
        shell.stretchLine.append(members)
    }

    @inline(__always)
    private static func joins(
        _ operation: Unmanaged<ScheduledOperation>,
        after previous: Unmanaged<ScheduledOperation>?,
        _ scheduler: Scheduler
    ) -> Bool {
        operation._withUnsafeGuaranteedRef { operation in
            if let previous { return operation.joinsStretch(scheduler, after: previous) }
            return operation.joinsStretch(scheduler)
        }
    }

    // MARK: Workers

    /// Gives a worker some of the stretch: of what nobody was given, else of what another one was given and has not come to.
    func assignPart(to worker: Worker) -> Assignment? {
        guard machine.hasShare, machine.stretch.mayHaveWork else { return nil }
        if let members = shell.stretchLine.first {
            let place = members.takenCount
            let runnerCount =
                machine.stretch.isSerial ? 1 : min(machine.freeWidth, WorkerPool.maximumThreadsPerLane)
            // Towards the end each takes less, so that all come to it at about the same time.
            let fair = max(1, machine.stretch.untakenCount / (runnerCount > 1 ? 2 * runnerCount : 1))
            let number = min(worker.part.size, members.largestPart, members.count - place, fair)
            members.takenCount += number
            if members.takenCount == members.count { shell.stretchLine.removeFirst() }
            machine.stretchRunnerCame(taking: number)
            return begin(members, place..<(place + number), worker)
        }
        for other in shell.lanes[Int(ExecutionLane.worker.rawValue)].workers {
            guard other.part.isHeld, let members = other.part.members else { continue }
            let taken = other.cursor.takeBack { $0 / 2 }
            guard !taken.isEmpty else { continue }
            machine.stretchRunnerCame(taking: 0)
            return begin(members, taken, worker)
        }
        machine.stretch.hasParts = false
        return nil
    }

    private func begin(_ members: StretchMembers, _ range: Range<Int>, _ worker: Worker) -> Assignment {
        worker.assignmentCount &+= 1
        worker.isSharing = true
        worker.part.isHeld = true
        worker.part.members = members
        worker.part.first = range.lowerBound
        worker.part.isSerial = machine.stretch.isSerial
        worker.part.isFirstTold = false
        worker.part.knownID = .none
        worker.cursor.begin(range)
        if range.count > 1, !machine.stretch.isSerial { machine.stretch.hasParts = true }
        if machine.mayHaveWork(.worker) { machine.wakeMask |= 1 << UInt16(ExecutionLane.worker.rawValue) }
        return Assignment(id: .none, part: members.bodies, partEnd: members.count)
    }

    /// A worker comes with the last one that it ran of its part.
    ///
    /// - Parameters:
    ///   - end: How far its end has come.
    ///   - members: Gets the members of the part, which are to be let go of outside the lock.
    /// - Returns: The identity of the last one, where the machine knows it and its end is to be reported.
    func partEnded(_ worker: Worker, with end: StretchPart.End, _ members: inout StretchMembers?)
        -> OperationID?
    {
        // One that failed, or something that is to be done first.
        if worker.part.isHeld, end == .open || worker.cursor.hasMore { dissolveStretch() }
        members = worker.part.members.take()
        if worker.part.isHeld {
            worker.part.isHeld = false
            machine.stretchRunnerLeft()
            if let members { ended(members, until: worker.cursor.next, worker) }
            return nil
        }
        return end == .told ? nil : worker.part.knownID
    }

    /// Those of a worker's part before a place have ended, and well.
    @inline(__always)
    private func ended(_ members: StretchMembers, until end: Int, _ worker: Worker) {
        if case .identities(let identities) = members.bodies {
            for place in worker.part.first..<end {
                let id = identities[place]
                if !worker.part.isFirstTold || place > worker.part.first { machine.stretchMemberStarted(id) }
                machine.stretchMemberEnded(id)
            }
        }
        machine.stretchMembersEnded(end - worker.part.first)
    }

    // MARK: The reader

    /// Tells the reader what has ended of the parts that workers have, and what they run.
    package func tellOfParts() {
        guard machine.stretch.isActive else { return }
        for worker in shell.lanes[Int(ExecutionLane.worker.rawValue)].workers { tellOfPart(worker) }
    }

    /// The same of the part that one worker has.
    func tellOfPart(_ worker: Worker) {
        guard worker.part.isHeld, let members = worker.part.members,
            case .identities(let identities) = members.bodies
        else { return }
        let current = worker.cursor.current()
        if current > worker.part.first {
            ended(members, until: current, worker)
            worker.part.first = current
            worker.part.isFirstTold = false
        }
        if !worker.part.isFirstTold {
            worker.part.isFirstTold = true
            machine.stretchMemberStarted(identities[current])
        }
    }

    // MARK: Asking

    /// How many operations in a queue have not finished, with what workers have not reported yet. Nil where one of those may have been told to
    /// somebody: then all have to be known.
    func countOfUnfinished(in queue: QueueID) -> Int? {
        var count = machine.operationCount(in: queue)
        guard machine.stretch.isActive, machine.stretch.queue == queue.index else { return count }
        for worker in shell.lanes[Int(ExecutionLane.worker.rawValue)].workers where worker.part.isHeld {
            guard case .blocks = worker.part.members?.bodies else { return nil }
            count -= worker.cursor.next - 1 - worker.part.first
        }
        return count
    }

    // MARK: Making known

    /// Makes a stretch known, if there is one.
    @inline(__always)
    func makeStretchKnown() {
        if machine.stretch.isActive { dissolveStretch() }
    }

    /// Makes all that have not ended known to the machine by themselves: somebody may ask of one, or something else is ready.
    ///
    /// - Complexity: O(operations that have not ended), once for each of them.
    @inline(never)
    func dissolveStretch() {
        var rest: [(members: StretchMembers, range: Range<Int>, runner: Worker?)] = []
        for worker in shell.lanes[Int(ExecutionLane.worker.rawValue)].workers where worker.part.isHeld {
            guard let members = worker.part.members else { continue }
            worker.part.isHeld = false
            machine.stretchRunnerLeft()
            let unstarted = worker.cursor.takeBack { _ in 0 }
            let current = unstarted.lowerBound - 1
            let isLeft = members.becomesKnown(current)
            let end = isLeft ? current : current + 1
            if end > worker.part.first {
                ended(members, until: end, worker)
                worker.part.isFirstTold = false
            }
            if isLeft { rest.append((members, current..<(current + 1), worker)) }
            if !unstarted.isEmpty { rest.append((members, unstarted, nil)) }
        }
        while let members = shell.stretchLine.first {
            rest.append((members, members.takenCount..<members.count, nil))
            shell.stretchLine.removeFirst()
        }
        shell.stretchLine.removeAll()
        rest.sort {
            $0.members.firstPlace + $0.range.lowerBound < $1.members.firstPlace + $1.range.lowerBound
        }
        // Each depends on the one before it, unless that has ended.
        var previous = OperationID.none
        for (members, range, runner) in rest {
            if case .identities(let identities) = members.bodies {
                shell.additionsToKnow = Self.additionsKnownAfterQuestion
                for place in range { becomesKnown(identities[place], members.firstPlace + place, runner) }
                continue
            }
            for place in range {
                let handle = members.takeHandle(place, isExecuting: runner != nil)
                let id = machine.stretchMemberKnown(
                    members.firstPlace + place,
                    isExecuting: runner != nil,
                    after: previous
                )
                if machine.stretch.isSerial { previous = id }
                handle.setKnown(as: id)
                setBody(handle, for: id)
                runner?.part.knownID = id
            }
        }
        machine.stretchDissolved()
        machine.wakeMask |= 1 << UInt16(ExecutionLane.worker.rawValue)
    }

    /// One with an identity is known by itself.
    private func becomesKnown(_ id: OperationID, _ place: Int, _ runner: Worker?) {
        machine.stretchMemberKnown(
            id,
            place,
            isExecuting: runner != nil,
            waits: false,
            wasToldOf: runner?.part.isFirstTold ?? false
        )
        runner?.part.knownID = id
    }
}
