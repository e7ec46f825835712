/// The deadline and identity of an entry of a ``TimerHeap``.
@usableFromInline
struct TimerNode: Comparable, BitwiseCopyable {
    @usableFromInline var deadline: Int64
    @usableFromInline var sequence: UInt64
    @usableFromInline var handle: TimerHandle

    @inlinable
    init(deadline: Int64, sequence: UInt64, handle: TimerHandle) {
        self.deadline = deadline
        self.sequence = sequence
        self.handle = handle
    }

    @inlinable
    static func < (left: TimerNode, right: TimerNode) -> Bool {
        left.deadline != right.deadline ? left.deadline < right.deadline : left.sequence < right.sequence
    }
}
