internal import Scheduling

/// Identities of operations in plain memory: on their way to and from the scheduler, or in a queue.
final class IdentityList {
    private let identities = PlainBuffer<OperationID>()

    var count: Int { identities.count }

    @inline(__always)
    func push(_ id: OperationID) { identities.append(id) }

    /// Takes the last one.
    @inline(__always)
    func pop() -> OperationID? { identities.popLast() }

    func reverse() {
        var all = identities.elements
        all.reverse()
    }

    /// Keeps those that fulfil a condition, in their order.
    func keep(_ condition: (OperationID) -> Bool) {
        var kept = 0
        for id in identities.elements where condition(id) {
            identities[kept] = id
            kept += 1
        }
        identities.truncate(to: kept)
    }

    func compactMap(_ change: (OperationID) -> OperationID?) -> [OperationID] {
        identities.elements.compactMap(change)
    }
}
