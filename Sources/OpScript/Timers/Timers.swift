internal import LuaVM

/// `Timer`: when timers are due, and the arguments of their blocks.
///
/// Owns the timers that are scheduled. Called by the binding of `Timer`, and by the loop when one is due.
final class Timers: RuntimePart {
    let virtualTime: VirtualTime
    let reporting: Reporting
    let queues: Queues
    let operations: Operations
    let bodies: Bodies

    let table: TimerTable
    let localTime = LocalTime()
    private var lastNumber: UInt64 = 0

    init(
        _ foundation: RuntimeFoundation,
        virtualTime: VirtualTime,
        reporting: Reporting,
        queues: Queues,
        operations: Operations,
        bodies: Bodies
    ) {
        self.virtualTime = virtualTime
        self.reporting = reporting
        self.queues = queues
        self.operations = operations
        self.bodies = bodies
        table = TimerTable(anchors: AnchorTable(table: foundation.vm.makeTable()))
        super.init(foundation)
    }

    /// The number of a timer in events; assigned on first use.
    func number(of timer: TimerPointer) -> UInt64 {
        if timer.pointee.number == 0 {
            lastNumber += 1
            timer.pointee.number = lastNumber
        }
        return timer.pointee.number
    }
}
