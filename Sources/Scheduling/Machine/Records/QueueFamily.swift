/// The queues above and below a dispatch queue.
///
/// The operations of a queue run under its target, under the target of that, and so on: a serial target lets only one
/// at a time start of all that is below it, and a suspended one lets none start.
struct QueueFamily {
    /// The queue under which this one's operations run; `.max` for none.
    var target: UInt32 = .max
    /// The queues whose target this is.
    var children: [UInt32] = []
    /// Its place among the target's children.
    var place = 0
    /// How many operations execute in it and in all that is below it.
    var flow = 0
    /// Suspended by itself, and not because its target is.
    var isHeld = false
    /// What is first in it and below it; kept if it is the topmost serial queue.
    var readyLists = FamilyReadyList()
}
