/// Plain elements in pieces of memory that never move: growing copies nothing but a table of pieces.
///
/// All mutable state is behind one pointer, so that Swift neither counts references nor checks exclusive
/// access at each use. Not thread-safe; its owner determines which thread uses it.
final class ChunkedList<Element: BitwiseCopyable> {
    struct Header {
        fileprivate var chunks: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
        fileprivate var chunkCount = 0
        fileprivate var chunkCapacity: Int
        fileprivate(set) var count = 0

        /// The element at a place below `count`, in its memory.
        @inline(__always)
        func pointer(_ place: Int) -> UnsafeMutablePointer<Element> {
            chunks[place >> ChunkedList.chunkBits] + (place & (ChunkedList.chunkSize - 1))
        }

        @inline(__always)
        mutating func append(_ element: Element) {
            if count == chunkCount << ChunkedList.chunkBits { grow() }
            count += 1
            pointer(count - 1).initialize(to: element)
        }

        @inline(never)
        private mutating func grow() {
            if chunkCount == chunkCapacity {
                let larger = UnsafeMutablePointer<UnsafeMutablePointer<Element>>.allocate(
                    capacity: 2 * chunkCapacity
                )
                larger.initialize(from: chunks, count: chunkCount)
                chunks.deallocate()
                chunks = larger
                chunkCapacity *= 2
            }
            (chunks + chunkCount).initialize(to: .allocate(capacity: ChunkedList.chunkSize))
            chunkCount += 1
        }
    }

    private static var chunkBits: Int { 12 }
    private static var chunkSize: Int { 1 << chunkBits }

    /// The memory that it owns; valid as long as the list lives.
    let header: UnsafeMutablePointer<Header>

    init() {
        header = .allocate(capacity: 1)
        header.initialize(to: Header(chunks: .allocate(capacity: 16), chunkCapacity: 16))
    }

    deinit {
        for place in 0..<header.pointee.chunkCount { header.pointee.chunks[place].deallocate() }
        header.pointee.chunks.deallocate()
        header.deallocate()
    }

    var count: Int { header.pointee.count }

    func append(_ element: Element) { header.pointee.append(element) }

    /// The element at a place below `count`, in its memory.
    @inline(__always)
    func pointer(_ place: Int) -> UnsafeMutablePointer<Element> { header.pointee.pointer(place) }

    @inline(__always)
    subscript(place: Int) -> Element { pointer(place).pointee }
}
