/// Elements in chunks of memory that never move, reached by index.
///
/// Growing copies nothing, and a pointer to an element stays valid while others are added. All mutable state is behind
/// one pointer, so that Swift has no exclusive access to check at each use. Not thread-safe.
@usableFromInline
package struct ChunkedStorage<Element: ~Copyable>: ~Copyable {
    /// Large records are those of queues, of which there are few.
    @inlinable static var shift: UInt32 { MemoryLayout<Element>.stride > 192 ? 6 : 10 }
    /// How many elements are contiguous, beginning with one whose index is a multiple of this number.
    @inlinable package static var chunkSize: UInt32 { 1 << shift }

    @usableFromInline
    struct Header {
        /// The table of chunks; moved when it grows, the chunks are not.
        @usableFromInline var chunks: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
        @usableFromInline var tableSize = 16
        @usableFromInline var chunkCount = 0
        @usableFromInline var count: UInt32 = 0
    }

    @usableFromInline let header: UnsafeMutablePointer<Header>

    package init() {
        header = .allocate(capacity: 1)
        header.initialize(to: Header(chunks: .allocate(capacity: 16)))
    }

    deinit {
        var left = Int(header.pointee.count)
        for index in 0..<header.pointee.chunkCount {
            let used = min(left, Int(Self.chunkSize))
            header.pointee.chunks[index].deinitialize(count: used)
            header.pointee.chunks[index].deallocate()
            left -= used
        }
        header.pointee.chunks.deallocate()
        header.deinitialize(count: 1)
        header.deallocate()
    }

    /// How many elements there are.
    @inlinable
    package var count: UInt32 { header.pointee.count }

    /// The element at `index`, which must be below `count`.
    @inlinable
    package func pointer(_ index: UInt32) -> UnsafeMutablePointer<Element> {
        header.pointee.chunks[Int(index >> Self.shift)] + Int(index & (Self.chunkSize - 1))
    }

    /// Adds an element and returns its index.
    @inlinable
    @inline(__always)
    @discardableResult
    package func append(_ element: consuming Element) -> UInt32 {
        let index = header.pointee.count
        if Int(index) == header.pointee.chunkCount << Int(Self.shift) { grow() }
        header.pointee.count = index + 1
        pointer(index).initialize(to: element)
        return index
    }

    /// Adds a whole chunk whose elements have no value yet. Allowed only if all elements are added in this
    /// way.
    @usableFromInline
    func appendChunk() -> UnsafeMutablePointer<Element> where Element: BitwiseCopyable {
        let index = header.pointee.count
        if Int(index) == header.pointee.chunkCount << Int(Self.shift) { grow() }
        header.pointee.count = index + Self.chunkSize
        return pointer(index)
    }

    /// Drops all elements; their memory stays.
    @inlinable
    package func removeAll() where Element: BitwiseCopyable { header.pointee.count = 0 }

    @usableFromInline
    @inline(never)
    func grow() {
        let count = header.pointee.chunkCount
        if count == header.pointee.tableSize {
            let larger = UnsafeMutablePointer<UnsafeMutablePointer<Element>>.allocate(capacity: count * 2)
            larger.moveInitialize(from: header.pointee.chunks, count: count)
            header.pointee.chunks.deallocate()
            header.pointee.chunks = larger
            header.pointee.tableSize = count * 2
        }
        let bytes = Int(Self.chunkSize) * MemoryLayout<Element>.stride
        let alignment = max(64, MemoryLayout<Element>.alignment)
        let chunk = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: alignment)
        (header.pointee.chunks + count).initialize(
            to: chunk.bindMemory(to: Element.self, capacity: Int(Self.chunkSize))
        )
        header.pointee.chunkCount = count + 1
    }
}
