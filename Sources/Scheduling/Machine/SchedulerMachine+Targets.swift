extension SchedulerMachine {
    // MARK: Inputs

    /// A dispatch queue got another target, or none.
    ///
    /// The caller makes sure that this closes no cycle. Executing operations continue.
    mutating func targetChanged(_ queue: QueueID, to target: QueueID?) {
        let index = Int(queue.index)
        let old = above(index)
        joinFamily(index)
        leaveTarget(index)
        if let target {
            let parent = Int(target.index)
            joinFamily(parent)
            queues[index].family?.target = target.index
            queues[index].family?.place = queues[parent].family?.children.count ?? 0
            queues[parent].family?.children.append(queue.index)
            addFlow(queues[index].family?.flow ?? 0, from: parent)
        }
        settleSuspension(below: index)
        let top = topSerial(index)
        forAll(below: index) { machine, queue in
            // The topmost serial queue is the same for all queues below; if there is none, each has its own.
            machine.joinReadyLine(queue, of: top)
            machine.queueChanged(UInt32(queue))
        }
        if let target { joinReadyLine(Int(target.index)) }
        if let old { letOthersGoOn(old) }
        turnsChanged()
        drainEndings()
    }

    /// A dispatch queue was suspended or resumed, and with it all queues below it.
    mutating func suspensionChanged(_ queue: QueueID, to isSuspended: Bool) {
        let index = Int(queue.index)
        guard queues[index].family != nil else { return setSuspended(queue, to: isSuspended) }
        queues[index].family?.isHeld = isSuspended
        settleSuspension(below: index)
        letOthersGoOn(index)
        turnsChanged()
        drainEndings()
    }

    /// The suspended queue that keeps the operations of this one from starting: the queue itself, or one
    /// above it.
    func suspension(of queue: QueueID) -> QueueID? {
        var index: Int? = Int(queue.index)
        while let next = index {
            guard let family = queues[next].family else {
                return queues[next].isSuspended ? QueueID(index: UInt32(next)) : nil
            }
            if family.isHeld { return QueueID(index: UInt32(next)) }
            index = above(next)
        }
        return nil
    }

    // MARK: The tree

    private func above(_ queue: Int) -> Int? {
        guard let target = queues[queue].family?.target, target != .max else { return nil }
        return Int(target)
    }

    /// Whether a queue's operations may execute only one at a time together with those of all queues below
    /// it.
    private func isSerial(_ queue: Int) -> Bool {
        queues[queue].kind == .serial || queues[queue].kind == .main
    }

    /// Whether everything in a queue runs on the reader, including closures.
    func runsOnMain(_ queue: Int) -> Bool {
        var index: Int? = queue
        while let next = index {
            if queues[next].kind == .main { return true }
            index = above(next)
        }
        return false
    }

    private func joinFamily(_ queue: Int) {
        guard queues[queue].family == nil else { return }
        var family = QueueFamily()
        family.flow = queues[queue].executingCount
        family.isHeld = queues[queue].isSuspended
        queues[queue].family = family
    }

    private func leaveTarget(_ queue: Int) {
        guard let parent = above(queue), let family = queues[queue].family else { return }
        addFlow(-family.flow, from: parent)
        let last = queues[parent].family?.children.popLast() ?? UInt32(queue)
        if last != UInt32(queue) {
            queues[parent].family?.children[family.place] = last
            queues[Int(last)].family?.place = family.place
        }
        queues[queue].family?.target = .max
    }

    /// The queue is forgotten.
    mutating func leaveFamily(_ queue: Int) {
        leaveTarget(queue)
        let children = queues[queue].family?.children ?? []
        for child in children { queues[Int(child)].family?.target = .max }
        queues[queue].family = nil
        for child in children {
            forAll(below: Int(child)) { machine, queue in machine.joinReadyLine(queue) }
        }
    }

    private func addFlow(_ count: Int, from queue: Int) {
        var index: Int? = count == 0 ? nil : queue
        while let next = index {
            queues[next].family?.flow += count
            index = above(next)
        }
    }

    /// Calls a closure for a queue and all below it, those above first.
    private mutating func forAll(below queue: Int, _ body: (inout SchedulerMachine, Int) -> Void) {
        // Iterative, not recursive: a chain of targets may be long.
        var open = [UInt32(queue)]
        while let next = open.popLast() {
            body(&self, Int(next))
            open += queues[Int(next)].family?.children ?? []
        }
    }

    /// Suspends or resumes a queue and all below it, depending on their own state and that of the queues above.
    private mutating func settleSuspension(below queue: Int) {
        forAll(below: queue) { machine, queue in
            let isAboveSuspended = machine.above(queue).map { machine.queues[$0].isSuspended } ?? false
            let isSuspended = isAboveSuspended || machine.queues[queue].family?.isHeld ?? false
            machine.setSuspended(QueueID(index: UInt32(queue)), to: isSuspended)
        }
    }

    // MARK: Flow

    func flowChanged(_ queue: Int, by count: Int) { addFlow(count, from: queue) }

    /// An operation no longer executes, so the operations that it kept from starting may start.
    mutating func flowEnded(_ queue: Int, wasBarrier: Bool) {
        if wasBarrier, !isSerial(queue) {
            // Its end lets all queues below start again.
            forAll(below: queue) { machine, queue in machine.queueChanged(UInt32(queue)) }
        }
        var index: Int? = queue
        while let next = index {
            if !isSerial(next), queues[next].family?.flow == 0, queues[next].barriers.firstBarrier != nil {
                queueChanged(UInt32(next))
            }
            index = above(next)
        }
        letOthersGoOn(queue)
    }

    /// An operation was taken out of a ready list without having started.
    mutating func readyOneLeft(_ queue: Int, isBarrier: Bool) {
        if isBarrier, !isSerial(queue) {
            forAll(below: queue) { machine, queue in machine.queueChanged(UInt32(queue)) }
        }
        letOthersGoOn(queue)
    }

    /// Rechecks the first ready operation below the topmost serial queue.
    private mutating func letOthersGoOn(_ queue: Int) {
        guard let top = topSerial(queue), let first = firstReady(below: top) else { return }
        laneChanged(first.queue, queues[Int(first.queue)].groups[first.group].lane)
    }

    /// The topmost serial queue among a queue and those above it.
    private func topSerial(_ queue: Int) -> Int? {
        var top: Int?
        var index: Int? = queue
        while let next = index {
            if isSerial(next) { top = next }
            index = above(next)
        }
        return top
    }

    /// The earliest-added operation among all that are ready in the topmost serial queue and below it.
    /// - Complexity: O(log *n*) amortised, with *n* ready lists below.
    private mutating func firstReady(below top: Int) -> FamilyReadyList.Item? {
        var first: FamilyReadyList.Item?
        while let item = queues[top].family?.readyLists.first {
            lineLookCount += 1
            let actual = readyItem(Int(item.queue), item.group, below: top)
            if let actual, actual.sequence == item.sequence {
                first = item
                break
            }
            queues[top].family?.readyLists.replaceFirst(by: actual)
        }
        // In the main queue, priorities count, so an operation that was added earlier may become its first
        // one.
        if queues[top].kind == .main {
            for group in queues[top].groups.indices {
                guard let item = readyItem(top, group, below: top) else { continue }
                if item.sequence < first?.sequence ?? .max { first = item }
            }
        }
        return first
    }

    /// The first entry of a ready list, unless the list is below another serial queue or its queue is
    /// suspended.
    private mutating func readyItem(_ queue: Int, _ group: Int, below top: Int) -> FamilyReadyList.Item? {
        topSerial(queue) == top ? readyItem(queue, group) : nil
    }

    /// The first entry of a ready list, unless its queue is suspended.
    private mutating func readyItem(_ queue: Int, _ group: Int) -> FamilyReadyList.Item? {
        guard queues[queue].family != nil, !queues[queue].isSuspended,
            queues[queue].groups.indices.contains(group), let (entry, _) = first(queue, group)
        else { return nil }
        return FamilyReadyList.Item(sequence: entry.sequence, queue: UInt32(queue), group: group)
    }

    /// An operation entered a ready list. If other entries are before it there, the family's ready list has
    /// an item for that list already.
    mutating func enteredReadyList(_ queue: Int, _ resources: Int, _ slot: UInt32) {
        defer { turnsChanged() }
        let lane = store.pointer(slot).pointee.lane
        let group = queues[queue].groupIndex(lane: lane, resources: resources, entryPool)
        guard let top = topSerial(queue), let item = readyItem(queue, group),
            item.sequence == store.pointer(slot).pointee.sequence
        else { return }
        queues[top].family?.readyLists.insert(item)
    }

    /// Adds the ready lists of a queue to the family's ready list.
    ///
    /// - Parameter top: The topmost serial queue that it belongs to, if that is known.
    mutating func joinReadyLine(_ queue: Int, of top: Int? = nil) {
        guard !queues[queue].groups.isEmpty, let top = top ?? topSerial(queue) else { return }
        for group in queues[queue].groups.indices {
            guard let item = readyItem(queue, group) else { continue }
            queues[top].family?.readyLists.insert(item)
        }
    }

    /// The same as `firstReady`, by a search through all queues below.
    ///
    /// For tests.
    private mutating func firstReadyByLooking(below top: Int) -> UInt64? {
        var first: UInt64?
        forAll(below: top) { machine, queue in
            for group in machine.queues[queue].groups.indices {
                guard let item = machine.readyItem(queue, group, below: top) else { continue }
                first = min(first ?? .max, item.sequence)
            }
        }
        return first
    }

    /// Whether the queues above and below let an operation of a queue start.
    mutating func mayFlow(_ queue: Int, _ entry: ReadyList.Entry) -> Bool {
        let isBarrier = store.pointer(entry.slot).pointee.flags.contains(.barrier)
        if isBarrier || isSerial(queue), queues[queue].family?.flow ?? 0 > 0 { return false }
        var index = above(queue)
        while let next = index {
            if isSerial(next) {
                if queues[next].family?.flow ?? 0 > 0 { return false }
            } else if let barrier = queues[next].barriers.firstBarrier, let record = store.live(barrier) {
                // The barrier needs the queue to be otherwise idle, and came earlier.
                if record.pointee.phase == .executing { return false }
                if record.pointee.phase == .ready, record.pointee.sequence < entry.sequence { return false }
            }
            index = above(next)
        }
        // Earlier operations have been notified that they may start.
        guard let top = topSerial(queue), let first = firstReady(below: top) else { return true }
        return first.sequence >= entry.sequence
    }

    // MARK: Diagnoses

    /// The inconsistencies between a queue and those above and below it.
    mutating func familyFaults(_ queue: Int) -> [String] {
        guard let family = queues[queue].family else { return [] }
        var faults: [String] = []
        let below = family.children.reduce(queues[queue].executingCount) {
            $0 + (queues[Int($1)].family?.flow ?? 0)
        }
        if below != family.flow {
            faults.append("queue \(queue): \(below) execute in it and below, counted \(family.flow)")
        }
        let isSuspended = family.isHeld || above(queue).map { queues[$0].isSuspended } ?? false
        if isSuspended != queues[queue].isSuspended {
            faults.append("queue \(queue): its suspension is wrong")
        }
        if topSerial(queue) == queue,
            firstReady(below: queue)?.sequence != firstReadyByLooking(below: queue)
        {
            faults.append("queue \(queue): its list of ready lists does not know who is first")
        }
        for (place, child) in family.children.enumerated()
        where queues[Int(child)].family?.target != UInt32(queue)
            || queues[Int(child)].family?.place != place
        {
            faults.append("queue \(queue): its child \(child) is another one's")
        }
        return faults
    }

    /// The queue, this one or one above it, whose executing operation keeps this queue's operations from
    /// starting.
    func busyRelative(of queue: Int) -> Int? {
        var index: Int? = queue
        var busy: Int?
        while let next = index {
            let isBusy = queues[next].family?.flow ?? 0 > 0
            let isHeldByBarrier = queues[next].barriers.firstBarrier != nil
            if isBusy, isSerial(next) || isHeldByBarrier { busy = next }
            index = above(next)
        }
        return busy
    }

    /// The operations that execute in a queue and below it.
    func executing(below queue: Int) -> [OperationID] {
        var open = [UInt32(queue)]
        var result: [OperationID] = []
        while let next = open.popLast() {
            result += operations(in: QueueID(index: next)).filter { state(of: $0) == .executing }
            open += queues[Int(next)].family?.children ?? []
        }
        return result
    }
}
