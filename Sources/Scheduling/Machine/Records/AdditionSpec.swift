/// How an operation is added to a queue.
package struct AdditionSpec: Sendable {
    package var id: OperationID
    package var isBarrier = false
    /// Nanoseconds before it may start; nil for none.
    package var delay: Int64?
    /// Names and amounts.
    package var resources: [(name: String, amount: Int)] = []

    package init(_ id: OperationID) { self.id = id }
}
