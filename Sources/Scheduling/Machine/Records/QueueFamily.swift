/// The queues above and below a dispatch queue.
///
/// The operations of a queue run under its target, under the target of that, and so on. Of all operations
/// below it, a serial target lets one at a time start, and a suspended target none.
struct QueueFamily {
    /// The queue under which this one's operations run; `.max` for none.
    var target: UInt32 = .max
    /// The queues whose target this is.
    var children: [UInt32] = []
    /// Its place among the target's children.
    var place = 0
    /// How many operations execute in it and in all queues below it.
    var flow = 0
    /// Suspended by its own owner, and not because its target is.
    var isHeld = false
    /// The first operation in it and below it; kept only in the topmost serial queue.
    var readyLists = FamilyReadyList()
}
