/// The queues that may have something to start: a ring for each lane, class and kind of width.
///
/// Queues of one ring take turns. One bit per ring says whether it holds any, so that a search needs no walk.
struct RoundRobin: ~Copyable {
    /// One of the rings.
    struct Place: Equatable {
        var lane: ExecutionLane
        var quality: Int
        /// Whether it is for queues without a width, which share the cores.
        var isShared: Bool

        var bit: UInt64 { 1 << UInt64(quality * 8 + Int(lane.rawValue)) }
        fileprivate var index: Int { (quality * 8 + Int(lane.rawValue)) * 2 + (isShared ? 1 : 0) }
    }

    private static let ringCount = 5 * 8 * 2
    private let rings = UnsafeMutablePointer<IndexRing>.allocate(capacity: ringCount)
    /// Bit 8 · class + lane: queues with a width may have something there.
    private(set) var limited: UInt64 = 0
    /// The same for queues without a width.
    private(set) var shared: UInt64 = 0

    init() {
        rings.initialize(repeating: IndexRing(), count: Self.ringCount)
    }

    deinit {
        rings.deinitialize(count: Self.ringCount)
        rings.deallocate()
    }

    /// The bits of one lane in all classes.
    static func bits(_ lane: ExecutionLane) -> UInt64 { 0x01_0101_0101 << UInt64(lane.rawValue) }
    /// The bits of all lanes with threads, in all classes.
    static let workerBits: UInt64 = 0xf8_f8f8_f8f8

    mutating func append(_ queue: UInt32, to place: Place) {
        rings[place.index].append(queue)
        setBit(place, true)
    }

    /// The queue whose turn it is; it stays the first.
    func first(_ place: Place) -> UInt32? { rings[place.index].first }

    mutating func removeFirst(_ place: Place) {
        _ = rings[place.index].popFirst()
        if rings[place.index].isEmpty { setBit(place, false) }
    }

    /// The first queue had its turn and becomes the last.
    mutating func rotate(_ place: Place) {
        guard !rings[place.index].hasOne, let first = rings[place.index].popFirst() else { return }
        rings[place.index].append(first)
    }

    /// - Complexity: O(number of queues in the ring).
    mutating func remove(_ queue: UInt32, from place: Place) {
        rings[place.index].remove(queue)
        if rings[place.index].isEmpty { setBit(place, false) }
    }

    func contains(_ queue: UInt32, at place: Place) -> Bool { rings[place.index].contains(queue) }

    /// All queues at a place, in the order of their turns.
    ///
    /// For checks.
    func queues(at place: Place) -> [UInt32] { rings[place.index].all }

    private mutating func setBit(_ place: Place, _ isSet: Bool) {
        if place.isShared {
            shared = isSet ? shared | place.bit : shared & ~place.bit
        } else {
            limited = isSet ? limited | place.bit : limited & ~place.bit
        }
    }
}

/// A number for each lane.
struct LaneCounts: ~Copyable {
    private let counts = UnsafeMutablePointer<UInt64>.allocate(capacity: ExecutionLane.count)

    init() { counts.initialize(repeating: 0, count: ExecutionLane.count) }

    deinit { counts.deallocate() }

    @inline(__always)
    subscript(lane: ExecutionLane) -> UInt64 { counts[Int(lane.rawValue)] }

    @inline(__always)
    mutating func add(_ lane: ExecutionLane, _ number: Int = 1) {
        counts[Int(lane.rawValue)] &+= UInt64(number)
    }
}

/// Indices in first-in first-out order; the first one is stored inline, since most rings have at most one.
struct IndexRing {
    /// `.max`: empty.
    private var head: UInt32 = .max
    private var rest: [UInt32] = []
    private var restHead = 0

    @inline(__always)
    var isEmpty: Bool { head == .max }
    @inline(__always)
    var hasOne: Bool { restHead == rest.count }
    var count: Int { isEmpty ? 0 : 1 + rest.count - restHead }
    @inline(__always)
    var first: UInt32? { head == .max ? nil : head }

    @inline(__always)
    mutating func append(_ index: UInt32) {
        if head == .max { head = index } else { rest.append(index) }
    }

    @inline(__always)
    mutating func popFirst() -> UInt32? {
        guard head != .max else { return nil }
        let first = head
        if restHead == rest.count { head = .max } else { takeNext() }
        return first
    }

    private mutating func takeNext() {
        head = rest[restHead]
        restHead += 1
        if restHead == rest.count {
            rest.removeAll(keepingCapacity: true)
            restHead = 0
        } else if restHead > 64, restHead * 2 > rest.count {
            rest.removeSubrange(..<restHead)
            restHead = 0
        }
    }

    mutating func remove(_ index: UInt32) {
        rest.removeSubrange(..<restHead)
        restHead = 0
        rest.removeAll { $0 == index }
        if head == index { _ = popFirst() }
    }

    /// For checks.
    var all: [UInt32] { isEmpty ? [] : [head] + rest[restHead...] }

    func contains(_ index: UInt32) -> Bool { head == index || rest[restHead...].contains(index) }
}
