/// The queues that may have something to start: a ring for each lane, class and kind of width.
///
/// Queues of one ring take turns. Which rings hold any is kept as bits, so that looking costs no walk.
struct TurnTable: ~Copyable {
    /// One of the rings.
    struct Place: Equatable {
        var lane: ExecutionLane
        var quality: Int
        /// Whether it is for queues without a width, which share the cores.
        var isShared: Bool

        var bit: UInt64 { 1 << UInt64(quality * 8 + Int(lane.rawValue)) }
        fileprivate var index: Int { (quality * 8 + Int(lane.rawValue)) * 2 + (isShared ? 1 : 0) }
    }

    private var rings = [IndexRing](repeating: IndexRing(), count: 5 * 8 * 2)
    /// Bit 8 · class + lane: queues with a width may have something there.
    private(set) var limited: UInt64 = 0
    /// The same for queues without a width.
    private(set) var shared: UInt64 = 0

    /// The bits of one lane in all classes.
    static func bits(_ lane: ExecutionLane) -> UInt64 { 0x01_0101_0101 << UInt64(lane.rawValue) }
    /// The bits of all lanes with threads, in all classes.
    static let workerBits: UInt64 = 0xf8_f8f8_f8f8

    mutating func append(_ queue: UInt32, to place: Place) {
        rings[place.index].append(queue)
        setBit(place, true)
    }

    /// Whose turn it is; it stays the first.
    func first(_ place: Place) -> UInt32? { rings[place.index].first }

    mutating func removeFirst(_ place: Place) {
        _ = rings[place.index].popFirst()
        if rings[place.index].isEmpty { setBit(place, false) }
    }

    /// The first had its turn and becomes the last.
    mutating func rotate(_ place: Place) {
        guard rings[place.index].count > 1, let first = rings[place.index].popFirst() else { return }
        rings[place.index].append(first)
    }

    /// - Complexity: O(number of queues in the ring).
    mutating func remove(_ queue: UInt32, from place: Place) {
        rings[place.index].remove(queue)
        if rings[place.index].isEmpty { setBit(place, false) }
    }

    func contains(_ queue: UInt32, at place: Place) -> Bool { rings[place.index].contains(queue) }

    private mutating func setBit(_ place: Place, _ isSet: Bool) {
        if place.isShared {
            shared = isSet ? shared | place.bit : shared & ~place.bit
        } else {
            limited = isSet ? limited | place.bit : limited & ~place.bit
        }
    }
}

/// Indices in first-in first-out order.
struct IndexRing {
    private var items: [UInt32] = []
    private var head = 0

    var isEmpty: Bool { head == items.count }
    var count: Int { items.count - head }
    var first: UInt32? { head < items.count ? items[head] : nil }

    mutating func append(_ index: UInt32) {
        items.append(index)
    }

    mutating func popFirst() -> UInt32? {
        guard head < items.count else { return nil }
        let first = items[head]
        head += 1
        if items.count == 1 {
            items.removeLast()
            head = 0
        } else if head == items.count {
            items.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 64, head * 2 > items.count {
            items.removeSubrange(..<head)
            head = 0
        }
        return first
    }

    mutating func remove(_ index: UInt32) {
        items.removeSubrange(..<head)
        head = 0
        items.removeAll { $0 == index }
    }

    func contains(_ index: UInt32) -> Bool { items[head...].contains(index) }
}
