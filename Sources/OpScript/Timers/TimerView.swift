internal import LuaVM
internal import Scheduling

/// The state of one timer: the memory of its userdata.
///
/// It holds plain numbers only, so that a timer is a single block of Lua's memory without a finalizer. Lua
/// values are in the userdata's user values; values that only few timers have are in the table of timers.
struct TimerView {
    /// Its action when it fires; the values for this are in its user values.
    enum Action: UInt8 {
        /// Nothing any more.
        case none
        case block
        /// `target:selector(timer)`; a table has both.
        case selector
        /// A table: target, method name, arguments.
        case invocation
        /// Makes an operation, which is added to a queue.
        case operation
    }

    /// The identity of the metatable, by which the userdata is recognised; must be the first field.
    let identity: UnsafeRawPointer
    // The fields that are needed to fire are in the first 64 bytes.
    /// `.none` if it lives only as long as the script references it.
    var id = TimerID.none
    /// Its place in the heap of due times; stale, and harmless, once it has been taken out of the heap.
    var handle: TimerHandle?
    var action: Action
    var repeats: Bool
    /// Whether a calendar determines the next fire, instead of the interval.
    var hasCalendar = false
    var overlaps = false
    var keepsAlive = true
    var isValid = true
    var isScheduled = false
    /// Whether the script has set `deadline`.
    var hasFireDate = false
    /// Whether it will not fire again and ends as soon as its block has returned.
    var isEnding = false
    /// How many calls of its block run or wait.
    var busyCount: Int32 = 0
    /// The next moment on the grid, on the scheduler's clock.
    var deadline: Int64 = 0
    /// The operation of the last fire.
    var operation = OperationID.none
    var fireCount = 0
    // The remaining fields are for repeating timers, and for reading properties.
    var missedCount = 0
    var interval: Double
    var tolerance = 0.0
    /// Identifies it for subscribers of events; 0 before its first event.
    var number: UInt64 = 0
    /// The moment of the next fire by the calendar, or the date that the script has set, in seconds since 1970; nil if
    /// the interval determines the next fire.
    var calendarMoment: Double?
    /// The place where it was created.
    let place: LuaPlace

    init(_ metatable: LuaMetatable, interval: Double, repeats: Bool, action: Action, place: LuaPlace) {
        identity = metatable.identity
        self.interval = interval
        self.repeats = repeats
        self.action = action
        self.place = place
    }

    /// Nanoseconds from one fire to the next; 0.1 ms for a repeating timer without a proper interval, as in Foundation.
    var step: Int64 {
        interval > 0 ? max(1, SchedulerClock.nanoseconds(interval)) : (repeats ? 100_000 : 0)
    }
}

/// Valid as long as the userdata lives: while it is on a stack, and while the table of timers has it.
typealias TimerPointer = UnsafeMutablePointer<TimerView>

/// The user values of a timer; the first ``count`` are cleared when it ends.
enum TimerValue {
    /// The block, the table of a selector or an invocation, or the function that makes an operation.
    static let subject: Int32 = 1
    /// The queue of the operations that it makes.
    static let queue: Int32 = 2
    static let userInfo: Int32 = 3
    static let count: Int32 = 3
    /// The five fields of a timer with a calendar, as a text; only such a timer has it, and keeps it after its end.
    static let fields: Int32 = 4
}
