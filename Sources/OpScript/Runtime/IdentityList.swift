internal import Scheduling

/// Identities of operations in plain memory, on their way to and from the scheduler.
final class IdentityList {
    private let identities = PlainBuffer<OperationID>()

    var count: Int { identities.count }

    @inline(__always)
    func push(_ id: OperationID) { identities.append(id) }

    /// Takes the last one.
    @inline(__always)
    func pop() -> OperationID? { identities.popLast() }

    /// Removes an identity, if it is the last one.
    @inline(__always)
    func removeLast(_ id: OperationID) {
        let last = identities.count - 1
        if last >= 0, identities[last] == id { identities.truncate(to: last) }
    }

    /// One that will be taken soon: after `distance` others.
    @inline(__always)
    func later(_ distance: Int) -> OperationID? {
        distance < identities.count ? identities[identities.count - 1 - distance] : nil
    }

    /// Takes all events in exchange for the identities, and gets as many new ones for the list of free ones, or more, so that it has as many
    /// as are needed; false, and nothing happens, where others are at the scheduler.
    func exchange(
        for events: borrowing PlainBuffer<SchedulerEvent>,
        of scheduler: Scheduler,
        letGo bodies: inout [any OperationBody],
        free: IdentityList,
        needed: Int
    ) -> Bool {
        let more = max(0, needed - free.count - count)
        guard scheduler.exchange(events, identities, more: more, letGo: &bodies) else { return false }
        while let id = identities.popLast() { free.push(id) }
        return true
    }

    func reverse() {
        var all = identities.elements
        all.reverse()
    }
}
