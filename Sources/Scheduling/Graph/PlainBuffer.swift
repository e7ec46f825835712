/// Plain elements, one after the other, in memory that grows without being touched anew. Not thread-safe.
@usableFromInline
package struct PlainBuffer<Element: BitwiseCopyable>: ~Copyable {
    private var memory: GrowingMemory<Element>
    /// How many elements there are.
    public private(set) var count = 0

    package init(capacity: Int = 64) { memory = GrowingMemory(capacity: capacity) }

    deinit { memory.deallocate() }

    package var isEmpty: Bool { count == 0 }

    /// The element at `index`, which must be below `count`.
    package subscript(index: Int) -> Element {
        @inline(__always) get { memory.start[index] }
        @inline(__always) nonmutating set { memory.start[index] = newValue }
    }

    @inline(__always)
    package mutating func append(_ element: Element) {
        if count == memory.capacity { memory.grow() }
        (memory.start + count).initialize(to: element)
        count += 1
    }

    /// Takes the last one.
    @inline(__always)
    package mutating func popLast() -> Element? {
        guard count > 0 else { return nil }
        count -= 1
        return memory.start[count]
    }

    /// Drops all but the first ones; the memory stays.
    package mutating func truncate(to count: Int = 0) { self.count = count }

    /// All of them, to be looked at in place.
    package var elements: UnsafeMutableBufferPointer<Element> {
        UnsafeMutableBufferPointer(start: memory.start, count: count)
    }
}
