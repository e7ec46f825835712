internal import Scheduling

/// One step in a chain of waits: an operation waits for another one.
struct WaitLink {
    enum How {
        case dependency
        /// A group waits for the operations inside it.
        case inside
        /// An operation inside a group waits for the start of the group.
        case unstartedGroup
        case barrier
        /// One of several operations has the slot, or holds the resource.
        case slot(QueueID, holders: Int)
        case resource(String, holders: Int)
        case resourceKept(String)
        /// A body waits for an operation, or for a queue with the operation in it.
        case awaits
        case queue(ScriptQueue)
    }

    /// The operation that waits.
    let waiter: OperationID
    /// The operation that it waits for.
    let target: OperationID
    let how: How

    init(_ waiter: OperationID, _ target: OperationID, _ how: How) {
        self.waiter = waiter
        self.target = target
        self.how = how
    }
}
