internal import LuaVM
internal import Scheduling

/// Names a timer that the table of timers has.
struct TimerID: Equatable {
    let slot: UInt32
    /// Which of the timers that had the slot, one after the other.
    let generation: UInt32

    static let none = TimerID(slot: .max, generation: 0)
}

/// The timers that live without references of the script: they are scheduled, or a block of them has not returned.
///
/// - Complexity: O(1) for all but `all`.
final class TimerTable {
    private struct Entry: BitwiseCopyable {
        /// Nil while the slot is free.
        var timer: TimerPointer?
        var generation: UInt32 = 1
        var nextFree: UInt32
    }

    private let entries = PlainBuffer<Entry>()
    private var firstFree = UInt32.max
    private var calendars: [UInt32: CronSchedule] = [:]
    /// Keeps their userdata, by slot.
    let anchors: LuaReference
    /// How many are scheduled and keep the run going.
    var aliveCount = 0

    init(anchors: LuaReference) { self.anchors = anchors }

    /// The timer with a name; nil where it was removed.
    subscript(id: TimerID) -> TimerPointer? {
        guard id.slot < UInt32(entries.count), entries[Int(id.slot)].generation == id.generation else {
            return nil
        }
        return entries[Int(id.slot)].timer
    }

    /// All of them, in no order.
    var all: [TimerPointer] { entries.elements.compactMap(\.timer) }

    /// Takes the timer at an index in, unless it has it.
    func add(_ timer: TimerPointer, at index: Int32, _ state: LuaState) {
        guard timer.pointee.id == .none else { return }
        let slot: UInt32
        if firstFree == .max {
            slot = UInt32(entries.count)
            entries.append(Entry(timer: timer, nextFree: .max))
        } else {
            slot = firstFree
            firstFree = entries[Int(slot)].nextFree
            entries[Int(slot)].timer = timer
        }
        timer.pointee.id = TimerID(slot: slot, generation: entries[Int(slot)].generation)
        let index = state.absolute(index)
        anchors.push(state)
        state.pushValue(index)
        state.rawSet(-2, Int(slot) + 1)
        state.pop()
    }

    /// Leaves the timer to the script.
    func remove(_ timer: TimerPointer, _ state: LuaState) {
        let slot = timer.pointee.id.slot
        guard timer.pointee.id != .none else { return }
        timer.pointee.id = .none
        if timer.pointee.hasCalendar { calendars[slot] = nil }
        entries[Int(slot)].timer = nil
        entries[Int(slot)].generation &+= 1
        entries[Int(slot)].nextFree = firstFree
        firstFree = slot
        anchors.push(state)
        // Not nil, so that the table stays as large as it is.
        state.push(false)
        state.rawSet(-2, Int(slot) + 1)
        state.pop()
    }

    /// Pushes the timer with a name. [-0, +1, -]
    func push(_ id: TimerID, _ state: LuaState) {
        anchors.push(state)
        _ = state.rawGet(-1, Int(id.slot) + 1)
        state.remove(-2)
    }

    /// Has a timer fetched that will be needed soon: where very many are due, most of the time goes to waiting for their memory.
    @inline(__always)
    func prefetch(_ id: TimerID) {
        guard let timer = self[id] else { return }
        CacheLine.prefetch(timer)
        CacheLine.prefetch(UnsafeRawPointer(timer) + 64)
        // Its user values lie in front of it.
        CacheLine.prefetch(UnsafeRawPointer(timer) - 64)
    }

    /// The calendar of a timer that the table has.
    subscript(calendarOf id: TimerID) -> CronSchedule? {
        get { calendars[id.slot] }
        set { calendars[id.slot] = newValue }
    }
}
