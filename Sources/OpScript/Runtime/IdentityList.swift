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

    /// One that will be taken soon: after `distance` others.
    @inline(__always)
    func later(_ distance: Int) -> OperationID? {
        distance < identities.count ? identities[identities.count - 1 - distance] : nil
    }

    /// Takes all events in exchange for the identities, and gets as many new ones for the list of free ones; false, and nothing happens, where
    /// others are at the scheduler.
    func exchange(
        for events: borrowing PlainBuffer<SchedulerEvent>,
        of scheduler: Scheduler,
        letGo bodies: inout [any OperationBody],
        free: IdentityList
    ) -> Bool {
        guard scheduler.exchange(events, identities, letGo: &bodies) else { return false }
        while let id = identities.popLast() { free.push(id) }
        return true
    }

    func reverse() {
        var all = identities.elements
        all.reverse()
    }
}
