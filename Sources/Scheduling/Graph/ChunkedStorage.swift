/// Elements in chunks of memory that never move, reached by index.
///
/// Growing copies nothing, and a pointer to an element stays good while others are added.
struct ChunkedStorage<Element>: ~Copyable {
    private static var shift: UInt32 { 10 }
    private static var chunkSize: UInt32 { 1 << shift }

    /// The table of chunks; moved when it grows, the chunks are not.
    private var chunks: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
    private var tableSize = 16
    private var chunkCount = 0
    /// How many elements there are.
    private(set) var count: UInt32 = 0

    init() {
        chunks = .allocate(capacity: tableSize)
    }

    deinit {
        var left = Int(count)
        for index in 0..<chunkCount {
            chunks[index].deinitialize(count: min(left, Int(Self.chunkSize)))
            left -= min(left, Int(Self.chunkSize))
            chunks[index].deallocate()
        }
        chunks.deallocate()
    }

    /// The element at `index`, which must be below `count`.
    @inline(__always)
    func pointer(_ index: UInt32) -> UnsafeMutablePointer<Element> {
        chunks[Int(index >> Self.shift)] + Int(index & (Self.chunkSize - 1))
    }

    /// Adds an element and says where it is.
    mutating func append(_ element: Element) -> UInt32 {
        if Int(count) == chunkCount << Int(Self.shift) { grow() }
        let index = count
        count += 1
        pointer(index).initialize(to: element)
        return index
    }

    private mutating func grow() {
        if chunkCount == tableSize {
            let larger = UnsafeMutablePointer<UnsafeMutablePointer<Element>>.allocate(capacity: tableSize * 2)
            larger.moveInitialize(from: chunks, count: chunkCount)
            chunks.deallocate()
            chunks = larger
            tableSize *= 2
        }
        (chunks + chunkCount).initialize(to: .allocate(capacity: Int(Self.chunkSize)))
        chunkCount += 1
    }
}
