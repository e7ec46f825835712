internal import LuaVM
internal import Scheduling

/// What there is to know of one timer: the memory of its userdata.
///
/// It holds plain numbers only, so that a timer is one piece of Lua's memory without a finalizer; Lua values stand in
/// the userdata's user values, and what only few timers have stands in the table of timers.
struct TimerView {
    /// What it does when it fires; the values for it stand in its user values.
    enum Action: UInt8 {
        /// Nothing any more.
        case none
        case block
        /// `target:selector(timer)`, of a table with both.
        case selector
        /// A table: target, method name, arguments.
        case invocation
        /// Makes an operation, which is added to a queue.
        case operation
    }

    /// That of the metatable, by which the userdata is recognised; has to come first.
    let identity: UnsafeRawPointer
    // What is needed to fire lies in the first 64 bytes.
    /// `.none` where it lives only as long as the script has it.
    var id = TimerID.none
    /// Its place among what is to come; of no use, and harmless, once it has come out there.
    var handle: TimerHandle?
    var action: Action
    var repeats: Bool
    /// A calendar decides about the next fire, instead of the interval.
    var hasCalendar = false
    var overlaps = false
    var keepsAlive = true
    var isValid = true
    var isScheduled = false
    /// `deadline` was set by the script.
    var hasFireDate = false
    /// It fires once and has fired; its block still runs.
    var isEnding = false
    /// How many blocks of it wait, or run.
    var busyCount: Int32 = 0
    /// The next moment on the grid, on the scheduler's clock.
    var deadline: Int64 = 0
    /// The operation of the last fire.
    var operation = OperationID.none
    var fireCount = 0
    // The rest is for those that repeat, and for who asks.
    var missedCount = 0
    var interval: Double
    var tolerance = 0.0
    /// Tells it apart for subscribers of events; 0 before the first one.
    var number: UInt64 = 0
    /// The moment of the next fire by the calendar, in seconds since 1970; nil where the script set another.
    var calendarMoment: Double?
    /// Where it was made.
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

/// Valid as long as the userdata lives: while it lies on a stack, and while the table of timers has it.
typealias TimerPointer = UnsafeMutablePointer<TimerView>

/// The user values of a timer; its end lets go of all of them.
enum TimerValue {
    /// The block, the table of a selector or an invocation, or the function that makes an operation.
    static let subject: Int32 = 1
    /// The queue of the operations that it makes.
    static let queue: Int32 = 2
    static let userInfo: Int32 = 3
    static let count: Int32 = 3
}
