internal import LuaVM
internal import Scheduling

/// A timer of a script.
final class ScriptTimer {
    /// What it does when it fires; the values for it stand in its userdata.
    enum Action {
        case block
        /// `target:selector(timer)`.
        case selector(name: String)
        /// A table: target, method name, arguments.
        case invocation
        /// Makes an operation, which is added to a queue.
        case operation
    }

    var interval: Double
    var repeats: Bool
    var tolerance = 0.0
    var overlaps = false
    var keepsAlive = true
    var action: Action?
    /// What its userdata is to keep, until that is made.
    var values: [(number: Int32, value: LuaReference)] = []
    var isValid = true
    var isScheduled = false
    var fireCount = 0
    /// Tells it apart for subscribers of events; 0 before the first one.
    var number: UInt64 = 0
    var missedCount = 0
    /// The next moment on the grid, on the scheduler's clock.
    var deadline: Int64 = 0
    var handle: TimerHandle?
    /// The calendar that decides about the next fire, instead of the interval.
    var cron: CronSchedule?
    /// The moment of the next fire by the calendar, in seconds since 1970; nil where the script set another.
    var cronMoment: Double?
    /// `deadline` was set by the script.
    var hasFireDate = false
    /// It fires once and has fired; its block still runs.
    var isEnding = false
    /// A block of it waits, or its operation has not finished.
    var busyCount = 0
    /// The operation of the last fire.
    var operation: OperationID?
    /// The userdata, while it is scheduled: a scheduled timer lives without references.
    var anchor: LuaReference?
    /// Where it was made.
    let place: LuaPlace

    init(interval: Double, repeats: Bool, action: Action?, place: LuaPlace) {
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

/// What a timer keeps in its userdata, where Lua's collector sees it; the end of the timer lets go of all of it.
enum TimerValue {
    /// The block, the target, the table of an invocation, or the function that makes an operation.
    static let subject: Int32 = 1
    /// The queue of the operations that it makes.
    static let queue: Int32 = 2
    static let userInfo: Int32 = 3
    static let count: Int32 = 3
}
