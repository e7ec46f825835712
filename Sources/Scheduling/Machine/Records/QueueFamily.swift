/// The queues above and below a dispatch queue.
///
/// What is in a queue runs under its target, under that one's target, and so on: a serial target lets one at a time
/// start of all that is below it, and a suspended one none.
struct QueueFamily {
    /// Where the queue's operations run; `.max` for nowhere in particular.
    var target: UInt32 = .max
    /// The queues whose target this is.
    var children: [UInt32] = []
    /// Its place among the target's children.
    var place = 0
    /// How many operations execute in it and in all that is below it.
    var flow = 0
    /// Suspended by itself, and not because its target is.
    var isHeld = false
    /// What is first in it and below it; kept where it is the highest serial queue.
    var readyLists = FamilyReadyList()
}
