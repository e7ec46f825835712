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
