/// Nodes in first-in first-out order, in chunks that are reused.
///
/// Its chunks are given back to a ``Memory``, which several runs share and which must outlive them.
/// - Complexity: O(1) for all but ``forEach(_:)`` and ``removeAll(_:)``.
@usableFromInline
struct TimerFIFO {
    @usableFromInline typealias Chunk = UnsafeMutablePointer<TimerNode>

    /// The memory of the nodes of runs. Very many nodes are in large blocks, as ``ChunkedStorage`` describes.
    @usableFromInline
    struct Memory: ~Copyable {
        @usableFromInline let storage = ChunkedStorage<TimerNode>()
        @usableFromInline var free: [Chunk] = []

        @inlinable
        init() {}

        /// A chunk with nothing in it.
        @usableFromInline
        mutating func take() -> Chunk { free.popLast() ?? storage.appendChunk() }

        @usableFromInline
        mutating func give(_ chunk: Chunk) { free.append(chunk) }
    }

    @inlinable static var chunkSize: Int { Int(ChunkedStorage<TimerNode>.chunkSize) }

    /// How many there are.
    @usableFromInline private(set) var count = 0
    /// Those before `firstChunk` have been given back.
    @usableFromInline var chunks: [Chunk] = []
    @usableFromInline var firstChunk = 0
    /// The chunk of the first node, and its place in it.
    @usableFromInline var head: Chunk?
    @usableFromInline var next = 0
    /// The last chunk, and the place after the last node.
    @usableFromInline var tail: Chunk?
    @usableFromInline var end = 0

    @inlinable
    init() {}

    @inlinable var first: TimerNode? { count > 0 ? head?[next] : nil }

    /// True if the node is the only one.
    @inlinable
    mutating func append(_ node: TimerNode, _ memory: inout Memory) -> Bool {
        if end == Self.chunkSize || tail == nil { addChunk(memory.take()) }
        tail?[end] = node
        end += 1
        count += 1
        return count == 1
    }

    @usableFromInline
    mutating func addChunk(_ chunk: Chunk) {
        chunks.append(chunk)
        tail = chunk
        end = 0
        if head == nil { head = chunk }
    }

    @inlinable
    mutating func removeFirst(_ memory: inout Memory) {
        next += 1
        count -= 1
        if count == 0 {
            // The last chunk is kept.
            next = 0
            end = 0
        } else if next == Self.chunkSize {
            leaveChunk(&memory)
        }
    }

    /// All nodes of the first chunk have been taken, and there are others.
    @usableFromInline
    mutating func leaveChunk(_ memory: inout Memory) {
        memory.give(chunks[firstChunk])
        firstChunk += 1
        head = chunks[firstChunk]
        next = 0
        if firstChunk >= 16, firstChunk * 2 >= chunks.count {
            chunks.removeSubrange(0..<firstChunk)
            firstChunk = 0
        }
    }

    @usableFromInline
    mutating func removeAll(_ memory: inout Memory) {
        for chunk in chunks[firstChunk...] { memory.give(chunk) }
        self = TimerFIFO()
    }

    /// Calls a closure with all nodes, the first one first.
    @usableFromInline
    func forEach(_ body: (TimerNode) -> Void) {
        var left = count
        var place = next
        for chunk in chunks[firstChunk...] where left > 0 {
            let taken = min(left, Self.chunkSize - place)
            for node in UnsafeBufferPointer(start: chunk + place, count: taken) { body(node) }
            left -= taken
            place = 0
        }
    }
}
