/// Memory for elements that doubles when it is full; in huge pages, where it is large and the system has them.
///
/// It does not know how many of the elements there are. Growing moves their bits as they are.
package struct GrowingMemory<Element> {
    package private(set) var start: UnsafeMutablePointer<Element>
    /// How many elements have room.
    package private(set) var capacity: Int
    /// Where it is large.
    private var large: LargeMemory?

    package init(capacity: Int) {
        start = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    /// Makes room for twice as many elements, somewhere else.
    @inline(never)
    package mutating func grow() {
        let byteCount = 2 * capacity * MemoryLayout<Element>.stride
        let newLarge = byteCount >= LargeMemory.hugePage / 4 ? LargeMemory(byteCount: byteCount) : nil
        let newStart =
            newLarge?.start.bindMemory(to: Element.self, capacity: 2 * capacity)
            ?? .allocate(capacity: 2 * capacity)
        newStart.moveInitialize(from: start, count: capacity)
        deallocate()
        start = newStart
        large = newLarge
        capacity *= 2
    }

    /// Gives it back; nothing may use it any more.
    package func deallocate() {
        if let large { large.deallocate() } else { start.deallocate() }
    }
}
