internal import Scheduling

/// One step in a chain of what waits for what: an operation waits for another one.
struct WaitLink {
    enum How {
        case dependency
        /// A group waits for what is inside it.
        case inside
        /// What is inside a group waits for the start of the group.
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

    /// The one that waits.
    let waiter: OperationID
    /// The one that is waited for.
    let target: OperationID
    let how: How

    init(_ waiter: OperationID, _ target: OperationID, _ how: How) {
        self.waiter = waiter
        self.target = target
        self.how = how
    }
}
