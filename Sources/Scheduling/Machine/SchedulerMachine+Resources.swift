extension SchedulerMachine {
    /// The total of a resource changed.
    ///
    /// - Parameter term: How many nanoseconds a start keeps its part; 0: until the operation ends.
    mutating func resourceTotalChanged(_ name: String, to total: Int, term: Int64 = 0) {
        resources.setTotal(name, total, term: term)
        for index in resources.queuesByResource.indices {
            for queue in resources.queuesByResource[index] { queueChanged(queue) }
        }
    }

    /// The available amount of some resources changed, or their waiters did: rechecks all queues that may need them.
    mutating func resourcesChanged(_ set: Int) {
        for need in resources.sets[set] {
            for queue in resources.queuesByResource[need.resource] { queueChanged(queue) }
        }
    }

    /// The operations of a queue that wait for resources count, or no longer count, against later ones elsewhere.
    mutating func claimsChanged(in queue: Int) {
        for set in queues[queue].resourceSets where resources.isShared(set) { resourcesChanged(set) }
    }

    /// Operations below a target may have lost their turn, and with it their claims: others may pass them.
    ///
    /// - Complexity: O(queues that need resources).
    mutating func turnsChanged() {
        guard resources.hasShared else { return }
        for index in resources.queuesByResource.indices where !ResourceTable.isPrivate(resources.names[index])
        {
            let waiting = resources.queuesByResource[index]
            guard waiting.contains(where: { queues[Int($0)].family != nil }) else { continue }
            for queue in waiting { queueChanged(queue) }
        }
    }

    /// An operation that starts takes what it needs.
    mutating func takeResources(_ set: Int) {
        resources.take(set)
        for need in resources.sets[set] where resources.terms[need.resource] > 0 {
            let timer = TimerToArm(
                payload: .term(UInt32(need.resource)),
                delay: resources.terms[need.resource]
            )
            for _ in 0..<need.amount { effects.timersToArm.append(timer) }
        }
    }

    /// A start no longer counts against a rate.
    mutating func termPassed(_ resource: Int) {
        resources.termPassed(resource)
        if isLogging { log?.termPassed(resource) }
        for queue in resources.queuesByResource[resource] {
            queueChanged(queue)
            // The reader checks again what it waits for, even if nothing can start after all.
            guard terms.nextDeadline == nil, queues[Int(queue)].count > 0 else { continue }
            queues[Int(queue)].readerTickets += 1
            effects.events.append(.readerTicket(queue))
            if isLogging { noteEvent(.readerTicket) }
        }
    }

    /// Whether an operation will be able to start when the term of an earlier start has passed.
    var waitsForTerm: Bool {
        for index in 0..<queues.count {
            guard !queues[index].resourceSets.isEmpty, !queues[index].isSuspended, queues[index].freeSlots > 0
            else { continue }
            for group in queues[index].groups where group.resources != 0 && group.list.liveCount > 0 {
                let lacking = resources.sets[group.resources].filter {
                    resources.available[$0.resource] < $0.amount
                }
                if !lacking.isEmpty, lacking.allSatisfy({ resources.terms[$0.resource] > 0 }) { return true }
            }
        }
        return false
    }

    /// Checks that the resources that an operation needs exist, and that their totals suffice.
    func checkedNeeds(
        _ id: OperationID,
        _ needs: [(name: String, amount: Int)]
    ) throws(SchedulingFailure) {
        for need in needs {
            guard let index = resources.index(of: need.name) else { throw .unknownResource(id, need.name) }
            let total = resources.totals[index]
            if need.amount > total {
                throw .notEnoughResource(id, need.name, needed: need.amount, total: total)
            }
        }
    }

    /// Notes the resources that an operation being added takes before it starts.
    mutating func noteNeeds(
        _ record: UnsafeMutablePointer<OperationRecord>,
        _ needs: [(name: String, amount: Int)],
        in queue: Int
    ) {
        let set = resources.intern(
            needs.compactMap { need in
                resources.index(of: need.name).map { ResourceTable.Need(resource: $0, amount: need.amount) }
            }
        )
        withExtras(record) { $0.resources = set }
        guard set != 0, !queues[queue].resourceSets.contains(set) else { return }
        queues[queue].resourceSets.append(set)
        resources.note(queue: UInt32(queue), needs: set)
    }
}
