internal import Scheduling

/// Identities of operations in plain memory, on their way to and from the scheduler.
final class IdentityList {
    private let identities = PlainBuffer<OperationID>()

    var count: Int { identities.count }

    @inline(__always)
    func push(_ id: OperationID) { identities.append(id) }

    /// Takes the last identity.
    @inline(__always)
    func pop() -> OperationID? { identities.popLast() }

    /// Removes an identity if it is the last one.
    @inline(__always)
    func removeLast(_ id: OperationID) {
        let last = identities.count - 1
        if last >= 0, identities[last] == id { identities.truncate(to: last) }
    }

    func reverse() {
        var all = identities.elements
        all.reverse()
    }
}
