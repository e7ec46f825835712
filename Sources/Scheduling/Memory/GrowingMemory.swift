/// Memory for elements that doubles when it is full; in huge pages, if it is large and the system has them.
///
/// It does not know how many elements there are. Growing moves their bits as they are; from half a MiB on, it moves
/// pages instead of bits.
package struct GrowingMemory<Element> {
    package private(set) var start: UnsafeMutablePointer<Element>
    /// The number of elements for which there is room.
    package private(set) var capacity: Int
    /// Set if it is large.
    private var large: LargeMemory?

    package init(capacity: Int) {
        start = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    /// Makes room for twice as many elements, somewhere else.
    @inline(never)
    package mutating func grow() {
        let byteCount = 2 * capacity * MemoryLayout<Element>.stride
        if large != nil {
            large?.grow(to: byteCount)
        } else {
            if byteCount >= LargeMemory.hugePage / 4 { large = LargeMemory(byteCount: byteCount) }
            let newStart =
                large?.start.bindMemory(to: Element.self, capacity: capacity)
                ?? .allocate(capacity: 2 * capacity)
            newStart.moveInitialize(from: start, count: capacity)
            start.deallocate()
            start = newStart
        }
        capacity *= 2
        if let large { start = large.start.bindMemory(to: Element.self, capacity: capacity) }
    }

    /// For a caller that fills the memory in order and has reached `count`: how far it may fill before it
    /// calls this again. The memory after that is prefaulted meanwhile.
    package func roomAhead(of count: Int) -> Int {
        guard let large else { return capacity }
        let piece = MemorySupply.piece / MemoryLayout<Element>.stride
        let room = min(count + piece, capacity)
        let bytes =
            room * MemoryLayout<Element>.stride..<min(room + piece, capacity) * MemoryLayout<Element>.stride
        let address = UInt(bitPattern: large.start)
        MemorySupply.shared.touch(address + UInt(bytes.lowerBound)..<address + UInt(bytes.upperBound))
        return room
    }

    /// Gives it back; it must no longer be in use.
    package func deallocate() {
        if let large { large.deallocate() } else { start.deallocate() }
    }
}
