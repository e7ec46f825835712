internal import Synchronization

/// The numbers that operations of a kind have given back, since the script has changed their names or versions.
///
/// The number of an operation counts those of its kind, in the order in which the script made them. The script thread
/// gives numbers back before operations begin; the threads of bodies read.
final class PlaceHoles: Sendable {
    /// By kind, in ascending order.
    private let holes = Mutex<[[UInt8]: [Int64]]>([:])
    private let isEmpty = Atomic(true)

    func add(_ place: JournalTicket.Place) {
        isEmpty.store(false, ordering: .releasing)
        holes.withLock { holes in
            let index = Self.countBelow(place.number, holes[place.kind] ?? [])
            holes[place.kind, default: []].insert(place.number, at: index)
        }
    }

    func removeAll() {
        holes.withLock { $0 = [:] }
        isEmpty.store(true, ordering: .releasing)
    }

    /// The number of a place among those that are taken.
    ///
    /// - Complexity: O(log *n*) in the numbers that were given back.
    func number(of place: JournalTicket.Place) -> Int64 {
        if isEmpty.load(ordering: .acquiring) { return place.number }
        return holes.withLock { place.number - Int64(Self.countBelow(place.number, $0[place.kind] ?? [])) }
    }

    private static func countBelow(_ number: Int64, _ holes: [Int64]) -> Int {
        var (low, high) = (0, holes.count)
        while low < high {
            let middle = (low + high) / 2
            if holes[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
