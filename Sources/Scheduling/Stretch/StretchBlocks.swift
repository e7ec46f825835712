/// Blocks that were added together, of which nobody has a handle.
///
/// They lie where whoever made them put them: in the array's own memory. Each is moved out by whoever runs it, and is gone as soon as it
/// has run.
struct StretchBlocks {
    typealias Block = @Sendable () throws -> Void
    typealias BlockThatCannotThrow = @Sendable () -> Void

    /// What the array lets go of in the place of one that was moved out: a closure is a function and what that holds, and this one
    /// holds nothing.
    private typealias Nothing = (function: UInt, held: UInt)

    /// The array, which holds the memory. Nobody else has it, and it is not touched from here on, so that the memory stays where it is.
    private let array: Any
    /// Where the first one lies.
    let first: UnsafeMutablePointer<Block>
    let count: Int

    /// Takes blocks over, at least one; copies them if somebody else has them, too.
    init(_ blocks: consuming [Block]) {
        var blocks = blocks
        count = blocks.count
        first = Self.first(of: &blocks)
        array = blocks
    }

    /// The same. One that cannot throw is called as one that does not: that needs no other closure around it.
    init(_ blocks: consuming [BlockThatCannotThrow]) {
        var blocks = blocks
        count = blocks.count
        first = UnsafeMutableRawPointer(Self.first(of: &blocks)).assumingMemoryBound(to: Block.self)
        array = blocks
    }

    private static func first<T>(of blocks: inout [T]) -> UnsafeMutablePointer<T> {
        blocks.withUnsafeMutableBufferPointer { blocks in
            guard let first = blocks.baseAddress else { preconditionFailure("a batch without a block") }
            return first
        }
    }

    /// Moves a block out, once.
    @inline(__always)
    static func take(_ place: UnsafeMutablePointer<Block>) -> Block {
        let block = place.move()
        UnsafeMutableRawPointer(place).initializeMemory(as: Nothing.self, to: (0, 0))
        return block
    }
}
