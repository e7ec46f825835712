internal import Synchronization

/// Counts the bodies that ran, and notes whether one ran too early.
///
/// All contestants run the same bodies: calls of this.
final class Tally: Sendable {
    private let count = Atomic<Int>(0)
    private let strayCount = Atomic<Int>(0)

    /// An operation that may run at any moment.
    func add() { count.add(1, ordering: .relaxed) }

    /// An operation before which exactly `others` must have run; each of those has to happen before it.
    func add(after others: Int) {
        if count.load(ordering: .relaxed) != others { strayCount.add(1, ordering: .relaxed) }
        count.add(1, ordering: .relaxed)
    }

    /// Refuses a run in which not all operations ran, or one ran too early.
    func check(_ name: String, expected: Int) throws {
        let (ran, strays) = (count.load(ordering: .acquiring), strayCount.load(ordering: .acquiring))
        if ran != expected { throw BenchError("'\(name)' ran \(ran) operations instead of \(expected)") }
        if strays != 0 { throw BenchError("'\(name)' ran \(strays) operations out of turn") }
    }
}
