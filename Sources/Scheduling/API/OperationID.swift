/// The identity of an operation: a slot in the scheduler's store, and which use of the slot it is.
///
/// A slot is reused after its operation is gone; the generation distinguishes a stale identity from a live one, so an
/// identity can be kept indefinitely.
public struct OperationID: Hashable, Sendable, BitwiseCopyable {
    @usableFromInline package let slot: UInt32
    @usableFromInline package let generation: UInt32

    @inlinable
    package init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    /// The identity of no operation.
    @inlinable
    package static var none: OperationID { OperationID(slot: .max, generation: 0) }
}

/// The identity of a queue: its place in the scheduler's list of queues.
public struct QueueID: Hashable, Sendable {
    package let index: UInt32

    package init(index: UInt32) {
        self.index = index
    }

    package static let none = QueueID(index: .max)
}
