internal import LuaVM
internal import Scheduling

/// Identifies a timer in the table of timers.
struct TimerID: Equatable {
    /// The place where it is anchored.
    let place: UInt32
    /// Distinguishes the timers that had the place one after the other.
    let generation: UInt32

    static let none = TimerID(place: 0, generation: 0)
}

/// The timers that live without references from the script: they are scheduled, or have a block that has not returned.
///
/// - Complexity: O(1) for all but `all`.
final class TimerTable {
    private struct Entry: BitwiseCopyable {
        /// Nil while the place is free.
        var timer: TimerPointer?
        var generation: UInt32 = 1
    }

    /// By place; the first one is 1.
    private let entries = PlainBuffer<Entry>()
    private var calendars: [UInt32: CronSchedule] = [:]
    /// Keeps the timers' userdata.
    let anchors: AnchorTable
    /// How many timers are scheduled and keep the run alive.
    var aliveCount = 0
    /// How many timers are scheduled.
    private(set) var count = 0

    init(anchors: AnchorTable) {
        self.anchors = anchors
        entries.append(Entry(timer: nil))
    }

    /// The timer with an identity; nil if it was removed.
    subscript(id: TimerID) -> TimerPointer? {
        guard id.place < UInt32(entries.count), entries[Int(id.place)].generation == id.generation else {
            return nil
        }
        return entries[Int(id.place)].timer
    }

    /// All timers, in no particular order.
    var all: [TimerPointer] { entries.elements.compactMap(\.timer) }

    /// Adds the timer at an index, unless the table has it. [-0, +0, m]
    func add(_ timer: TimerPointer, at index: Int32, _ state: LuaState) {
        guard timer.pointee.id == .none else { return }
        let place = anchors.add(at: index, state)
        while entries.count <= Int(place) { entries.append(Entry(timer: nil)) }
        entries[Int(place)].timer = timer
        count += 1
        timer.pointee.id = TimerID(place: place, generation: entries[Int(place)].generation)
    }

    /// Removes a timer: from now on, only the script's references keep it alive. [-0, +0, -]
    func remove(_ timer: TimerPointer, _ state: LuaState) {
        let place = timer.pointee.id.place
        guard timer.pointee.id != .none else { return }
        timer.pointee.id = .none
        if timer.pointee.hasCalendar { calendars[place] = nil }
        entries[Int(place)].timer = nil
        count -= 1
        entries[Int(place)].generation &+= 1
        anchors.remove(place, state)
    }

    /// Pushes a timer in the table. [-0, +1, -]
    @inline(__always)
    func push(_ timer: TimerPointer, _ state: LuaState) {
        anchors.push(timer.pointee.id.place, state)
    }

    /// The calendar of a timer in the table.
    subscript(calendarOf id: TimerID) -> CronSchedule? {
        get { calendars[id.place] }
        set { calendars[id.place] = newValue }
    }
}
