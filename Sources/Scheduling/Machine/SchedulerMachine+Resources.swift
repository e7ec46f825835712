extension SchedulerMachine {
    /// The total of a resource changed.
    mutating func resourceTotalChanged(_ name: String, to total: Int) {
        resources.setTotal(name, total)
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
        for set in queues[queue].resourceSets { resourcesChanged(set) }
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
