/// Plain elements in contiguous memory.
///
/// All mutable state is behind one pointer, so that Swift has no exclusive access to check at each use. Not
/// thread-safe.
@usableFromInline
package struct PlainBuffer<Element: BitwiseCopyable>: ~Copyable {
    @usableFromInline
    struct Header {
        @usableFromInline var start: UnsafeMutablePointer<Element>
        /// The number of elements for which there is room.
        @usableFromInline var capacity: Int
        @usableFromInline var count = 0
    }

    @usableFromInline let header: UnsafeMutablePointer<Header>

    package init(capacity: Int = 64) {
        header = .allocate(capacity: 1)
        header.initialize(to: Header(start: .allocate(capacity: capacity), capacity: capacity))
    }

    deinit {
        header.pointee.start.deallocate()
        header.deinitialize(count: 1)
        header.deallocate()
    }

    /// How many elements there are.
    @inlinable
    package var count: Int { header.pointee.count }

    @inlinable
    package var isEmpty: Bool { header.pointee.count == 0 }

    /// The element at `index`, which must be below `count`.
    @inlinable
    package subscript(index: Int) -> Element {
        get { header.pointee.start[index] }
        nonmutating set { header.pointee.start[index] = newValue }
    }

    @inlinable
    package func append(_ element: Element) {
        let count = header.pointee.count
        if count == header.pointee.capacity { grow() }
        (header.pointee.start + count).initialize(to: element)
        header.pointee.count = count + 1
    }

    /// Removes and returns the last element.
    @inlinable
    package func popLast() -> Element? {
        guard header.pointee.count > 0 else { return nil }
        header.pointee.count -= 1
        return header.pointee.start[header.pointee.count]
    }

    /// Drops all but the first elements; the memory stays.
    @inlinable
    package func truncate(to count: Int = 0) { header.pointee.count = count }

    /// Exchanges the elements with those of another buffer, without copying them.
    package func exchange(with other: borrowing PlainBuffer) { swap(&header.pointee, &other.header.pointee) }

    /// All elements, for access in place.
    @inlinable
    package var elements: UnsafeMutableBufferPointer<Element> {
        UnsafeMutableBufferPointer(start: header.pointee.start, count: header.pointee.count)
    }

    @usableFromInline
    @inline(never)
    func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: 2 * header.pointee.capacity)
        larger.moveInitialize(from: header.pointee.start, count: header.pointee.count)
        header.pointee.start.deallocate()
        header.pointee.start = larger
        header.pointee.capacity *= 2
    }
}
