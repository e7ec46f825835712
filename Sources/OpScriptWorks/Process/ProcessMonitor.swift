internal import Glibc
internal import CLinux
internal import OpScript
internal import Scheduling
internal import Synchronization

/// Waits for the ends and the output of all processes, on one thread of its own.
///
/// The kernel wakes the thread when there is something; it never polls.
final class ProcessMonitor: Sendable {
    /// An event of a process.
    enum Event: UInt64 {
        /// It has ended.
        case ended
        /// There is output, or its end.
        case output
        /// The same for its error output.
        case errorOutput
        /// A process of its group has ended.
        case memberEnded
    }

    /// The listener; called on the monitor's thread, outside any lock.
    protocol Listener: AnyObject, Sendable {
        /// - Parameter scratch: Memory to read into, for the time of the call.
        func happened(_ event: Event, _ scratch: UnsafeMutableRawBufferPointer)
        /// The alarm that was set last.
        func timeReached(_ now: ContinuousClock.Instant)
        /// Some child of this process has stopped or ended.
        func childMayHaveStopped()
    }

    /// The identity of a listener.
    struct Token: Hashable {
        fileprivate let number: UInt64
    }

    private struct State {
        var nextNumber: UInt64 = 0
        var listeners: [UInt64: any Listener] = [:]
        var alarms: [UInt64: ContinuousClock.Instant] = [:]
        /// When all listeners are to look for stopped processes.
        var stopCheck: ContinuousClock.Instant?
    }

    /// `/dev/null`, for reading, for processes without input.
    let nothing: SharedDescriptor
    private let poll: SharedDescriptor
    private let wakeEvent: SharedDescriptor
    private let state = Mutex(State())

    private static let wakeNumber = UInt64.max
    private static let bellNumber = UInt64.max - 1
    /// Ends and stops of children are counted together, and ends are frequent: so long after one, stops are looked for.
    private static let stopDelay = Duration.milliseconds(50)

    /// Whether stops are noticed, if there is a terminal that could cause them. It takes the signal SIGCHLD, so a host
    /// does without. Set before the monitor is made.
    static let noticesStops = Atomic<Bool>(false)

    private static let made = Mutex<ProcessMonitor?>(nil)

    /// The monitor of this process, created when first needed.
    static func shared() throws(ScriptError) -> ProcessMonitor {
        let result = made.withLock { made -> Result<ProcessMonitor, ScriptError> in
            if let made { return .success(made) }
            do throws(SystemCallError) {
                let monitor = try ProcessMonitor()
                guard SystemThread.start(name: "processes", { monitor.run() }) else {
                    throw SystemCallError(code: EAGAIN)
                }
                made = monitor
                return .success(monitor)
            } catch {
                return .failure(
                    ScriptError(.failed, "cannot watch processes: \(ScriptError.describe(error.code))")
                )
            }
        }
        return try result.get()
    }

    private init() throws(SystemCallError) {
        nothing = try SharedDescriptor { open("/dev/null", O_RDONLY | O_CLOEXEC) }.aboveStandard()
        poll = try SharedDescriptor { epoll_create1(CInt(EPOLL_CLOEXEC)) }
        wakeEvent = try SharedDescriptor { eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)) }
        try control(wakeEvent.number, EPOLLIN.rawValue, Self.wakeNumber)
        guard Self.noticesStops.load(ordering: .acquiring), Self.hasTerminal, SignalRelay.begin(SIGCHLD) == 0
        else {
            return
        }
        try control(SignalRelay.bell, EPOLLIN.rawValue | EPOLLET.rawValue, Self.bellNumber)
    }

    private static var hasTerminal: Bool {
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        if terminal >= 0 { close(terminal) }
        return terminal >= 0
    }

    // MARK: From any thread

    func add(_ listener: some Listener) -> Token {
        state.withLock { state in
            let number = state.nextNumber
            state.nextNumber += 1
            state.listeners[number] = listener
            return Token(number: number)
        }
    }

    /// Sends it no more events, except one that is being delivered now.
    func remove(_ token: Token) {
        state.withLock { state in
            state.listeners[token.number] = nil
            if !state.alarms.isEmpty { state.alarms[token.number] = nil }
        }
    }

    /// Watches a descriptor for it: a pipe is reported whenever it can be read, a process once. Ends when the
    /// descriptor is closed.
    func watch(_ descriptor: CInt, _ event: Event, for token: Token) throws(SystemCallError) {
        let isPipe = event == .output || event == .errorOutput
        let events = EPOLLIN.rawValue | (isPipe ? 0 : EPOLLONESHOT.rawValue)
        try control(descriptor, events, token.number << 2 | event.rawValue)
    }

    /// Stops watching a pipe for it.
    ///
    /// Closing the pipe is not enough, since another process that is being started may hold the pipe for a
    /// moment, too.
    func unwatch(_ pipe: CInt) {
        var event = epoll_event()
        _ = epoll_ctl(poll.number, EPOLL_CTL_DEL, pipe, &event)
    }

    /// Sets an alarm for it, which replaces an earlier one.
    func setAlarm(_ deadline: ContinuousClock.Instant, for token: Token) {
        state.withLock { state in
            if state.listeners[token.number] != nil { state.alarms[token.number] = deadline }
        }
        var one: UInt64 = 1
        _ = write(wakeEvent.number, &one, 8)
    }

    private func control(_ descriptor: CInt, _ events: UInt32, _ number: UInt64) throws(SystemCallError) {
        var event = epoll_event()
        event.events = events
        event.data.u64 = number
        try systemCall { epoll_ctl(poll.number, EPOLL_CTL_ADD, descriptor, &event) }
    }

    // MARK: On its thread

    private func run() -> Never {
        // Signals are for the threads that the host has for them.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 64)
        guard let first = events.baseAddress else { preconditionFailure("an empty allocation") }
        while true {
            let count = linux_wait(poll.number, first, CInt(events.count), timeout())
            for index in 0..<max(0, Int(count)) { tell(events[index].data.u64, scratch) }
            tellTime()
        }
    }

    private func tell(_ number: UInt64, _ scratch: UnsafeMutableRawBufferPointer) {
        guard number != Self.wakeNumber else {
            var count: UInt64 = 0
            _ = read(wakeEvent.number, &count, 8)
            return
        }
        if number == Self.bellNumber {
            state.withLock { state in
                if state.stopCheck == nil, !state.listeners.isEmpty {
                    state.stopCheck = .now + Self.stopDelay
                }
            }
            return
        }
        guard let event = Event(rawValue: number & 3) else { return }
        state.withLock { $0.listeners[number >> 2] }?.happened(event, scratch)
    }

    /// Nanoseconds until the next alarm; below 0 if there is none.
    private func timeout() -> Int64 {
        let next = state.withLock { state in
            (state.stopCheck.map { [$0] } ?? []).reduce(state.alarms.values.min()) { min($0 ?? $1, $1) }
        }
        guard let next else { return -1 }
        let (seconds, attoseconds) = (next - .now).components
        return max(0, seconds &* 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    private func tellTime() {
        let now: ContinuousClock.Instant
        let due: [any Listener]
        (now, due) = state.withLock { state in
            guard !state.alarms.isEmpty else { return (.now, []) }
            let now = ContinuousClock.now
            let numbers = state.alarms.filter { $0.value <= now }.keys.sorted()
            for number in numbers { state.alarms[number] = nil }
            return (now, numbers.compactMap { state.listeners[$0] })
        }
        for listener in due { listener.timeReached(now) }
        let concerned = state.withLock { state -> [any Listener] in
            guard let check = state.stopCheck, check <= .now else { return [] }
            state.stopCheck = nil
            return Array(state.listeners.values)
        }
        for listener in concerned { listener.childMayHaveStopped() }
    }
}

extension ProcessMonitor.Listener {
    func childMayHaveStopped() {}
}
