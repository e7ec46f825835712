/// How an operation is added to a queue.
package struct AdditionSpec: Sendable {
    package var id: OperationID
    package var isBarrier = false
    /// Nanoseconds before it may start; nil for none.
    package var delay: Int64?
    /// Names and amounts.
    package var resources: [(name: String, amount: Int)] = []
    /// Nanoseconds that it is expected to take; nil if that is not known.
    ///
    /// Among the ready operations of its queue that have the same priority, those with nil start first, then those
    /// that are expected to take longer. It has no effect in a queue that is first in, first out, or that has a
    /// target.
    package var expectedDuration: Int64?

    package init(_ id: OperationID) { self.id = id }
}
