internal import Glibc
internal import CLinux
internal import Synchronization

/// Waits for descriptors, files, processes and signals, all on one thread: the one that calls ``wait(nanoseconds:)``.
///
/// Any thread may add something to wait for, with a closure that is called on the waiting thread when it happens.
/// Nothing is polled: the kernel wakes the thread when there is something.
package final class EventMonitor: Sendable {
    /// An event.
    package enum Event: Equatable, Sendable {
        /// A descriptor can be read, or written; reported once for each ``arm(_:)``.
        case ready
        /// A signal arrived this many times since the last event.
        case signals(Int)
        /// A file changed; if it is gone, this is its last event.
        case changed(FileChange, isGone: Bool)
        /// A process has ended; with its status if the process is a child and the status is known.
        case exited(ProcessStatus?)
    }

    /// Called on the waiting thread, outside any lock.
    package typealias Handler = @Sendable (Event) -> Void

    /// The identity of a watch.
    package struct Token: Hashable, Sendable {
        let number: UInt64
    }

    enum Subject {
        /// With the number under which the kernel knows it: a duplicate for the second watch of one descriptor; -1
        /// before it is armed.
        case descriptor(DescriptorWatch, known: Int32)
        /// The number of the signal, and how many were seen.
        case signal(Int32, seen: UInt64)
        /// The number of the watch.
        case file(Int32)
        /// The descriptor that represents the process.
        case process(Int32, isChild: Bool)
    }

    struct Watch {
        var subject: Subject
        let handler: Handler
    }

    struct State {
        var nextNumber: UInt64 = 16
        var watches: [UInt64: Watch] = [:]
        var signals: [Int32: Set<UInt64>] = [:]
        /// The watch that the kernel knows under a descriptor's own number.
        var owners: [Int32: UInt64] = [:]
        var files = FileWatches()
        var watchesBell = false
    }

    private static let wakeNumber: UInt64 = 0
    private static let bellNumber: UInt64 = 1
    static let filesNumber: UInt64 = 2

    let poll: Int32
    private let wakeEvent: Int32
    let state = Mutex(State())

    /// - Throws: If the system has no descriptor left.
    package init() throws(SystemFailure) {
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard poll >= 0 else { throw .last() }
        wakeEvent = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeEvent >= 0 else {
            let failure = SystemFailure.last()
            close(poll)
            throw failure
        }
        try control(EPOLL_CTL_ADD, wakeEvent, EPOLLIN.rawValue, Self.wakeNumber)
    }

    deinit {
        state.withLock { state in
            for (_, watch) in state.watches { release(watch.subject) }
            state.files.close()
        }
        close(wakeEvent)
        close(poll)
    }

    /// The number of watches.
    package var count: Int { state.withLock { $0.watches.count } }

    // MARK: From any thread

    /// Waits for a descriptor, once it is armed.
    package func add(_ descriptor: DescriptorWatch, _ handler: @escaping Handler) -> Token {
        state.withLock { $0.add(.descriptor(descriptor, known: -1), handler) }
    }

    /// Requests the next readiness of a descriptor, now if it is ready; one that is always ready is never reported.
    package func arm(_ token: Token) throws(SystemFailure) {
        try state.withLock { state in
            Result { () throws(SystemFailure) in
                guard case .descriptor(let descriptor, let known)? = state.watches[token.number]?.subject,
                    descriptor.isStream
                else { return }
                let isReading = descriptor.direction == .read
                let wanted = isReading ? EPOLLIN.rawValue | EPOLLRDHUP.rawValue : EPOLLOUT.rawValue
                let events = wanted | EPOLLONESHOT.rawValue
                if known >= 0 {
                    try control(EPOLL_CTL_MOD, known, events, token.number)
                } else {
                    let number = try introduce(descriptor, events, token.number, &state.owners)
                    state.watches[token.number]?.subject = .descriptor(descriptor, known: number)
                }
            }
        }.get()
    }

    /// Registers a descriptor with the kernel, and returns the number under which it is registered.
    private func introduce(
        _ descriptor: DescriptorWatch,
        _ events: UInt32,
        _ number: UInt64,
        _ owners: inout [Int32: UInt64]
    ) throws(SystemFailure) -> Int32 {
        do throws(SystemFailure) {
            try control(EPOLL_CTL_ADD, descriptor.number, events, number)
            // The descriptor of the watch that was known under this number before has been closed.
            owners[descriptor.number] = number
            return descriptor.number
        } catch {
            guard error.code == EEXIST else { throw error }
        }
        let duplicate = linux_spare(fcntl(descriptor.number, F_DUPFD_CLOEXEC, 3))
        guard duplicate >= 0 else { throw .last() }
        do throws(SystemFailure) {
            try control(EPOLL_CTL_ADD, duplicate, events, number)
        } catch {
            close(duplicate)
            throw error
        }
        return duplicate
    }

    /// Stops reporting readiness until the watch is armed again.
    package func disarm(_ token: Token) {
        state.withLock { state in
            guard case .descriptor(_, let known)? = state.watches[token.number]?.subject, known >= 0 else {
                return
            }
            try? control(EPOLL_CTL_MOD, known, EPOLLONESHOT.rawValue, token.number)
        }
    }

    /// Counts a signal, which has no other effect from now on.
    package func add(signal number: Int32, _ handler: @escaping Handler) throws(SystemFailure) -> Token {
        let code = SignalRelay.begin(number)
        guard code == 0 else { throw SystemFailure(code: code) }
        let seen = SignalRelay.count(of: number)
        let result = state.withLock { state -> Result<Token, SystemFailure> in
            if !state.watchesBell {
                do throws(SystemFailure) {
                    let edges = EPOLLIN.rawValue | EPOLLET.rawValue
                    try control(EPOLL_CTL_ADD, SignalRelay.bell, edges, Self.bellNumber)
                } catch {
                    return .failure(error)
                }
                state.watchesBell = true
            }
            let token = state.add(.signal(number, seen: seen), handler)
            state.signals[number, default: []].insert(token.number)
            return .success(token)
        }
        do {
            return try result.get()
        } catch {
            SignalRelay.end(number)
            throw error
        }
    }

    /// Waits for changes of a file or a directory.
    package func add(file path: [UInt8], _ changes: FileChange, _ handler: @escaping Handler)
        throws(SystemFailure)
        -> Token
    {
        try state.withLock { state in
            Result { () throws(SystemFailure) in
                if try state.files.open() {
                    try control(EPOLL_CTL_ADD, state.files.descriptor, EPOLLIN.rawValue, Self.filesNumber)
                }
                let number = state.nextNumber
                let watch = try state.files.add(path, changes, for: number)
                return state.add(.file(watch), handler)
            }
        }.get()
    }

    /// Waits for the end of a process.
    package func add(process: Int32, _ handler: @escaping Handler) throws(SystemFailure) -> Token {
        let descriptor = linux_spare(linux_open_process(process))
        guard descriptor >= 0 else { throw .last() }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Checked now: later its status may have been taken by another waiter.
        let isChild = ProcessStatus.isChild(descriptor)
        return try state.withLock { state in
            Result { () throws(SystemFailure) in
                let number = state.nextNumber
                do throws(SystemFailure) {
                    try control(EPOLL_CTL_ADD, descriptor, EPOLLIN.rawValue | EPOLLONESHOT.rawValue, number)
                } catch {
                    close(descriptor)
                    throw error
                }
                return state.add(.process(descriptor, isChild: isChild), handler)
            }
        }.get()
    }

    /// Ends a watch. An event that is being reported now may still be delivered.
    package func remove(_ token: Token) {
        state.withLock { state in
            guard let watch = state.watches.removeValue(forKey: token.number) else { return }
            switch watch.subject {
            case .signal(let number, _):
                state.signals[number]?.remove(token.number)
                if state.signals[number]?.isEmpty == true { state.signals[number] = nil }
            case .file(let watch): state.files.remove(watch, token.number)
            case .descriptor(let descriptor, let known):
                if known == descriptor.number, state.owners[known] != token.number { return }
                state.owners[known] = nil
            case .process: break
            }
            release(watch.subject)
        }
    }

    private func release(_ subject: Subject) {
        switch subject {
        case .descriptor(let descriptor, let known):
            guard known >= 0 else { return }
            try? control(EPOLL_CTL_DEL, known, 0, 0)
            if known != descriptor.number { close(known) }
        case .signal(let number, _): SignalRelay.end(number)
        case .file: break
        case .process(let descriptor, _): close(descriptor)
        }
    }

    /// Ends the present wait, or the next one.
    package func wake() {
        var one: UInt64 = 1
        _ = write(wakeEvent, &one, 8)
    }

    private func control(_ operation: Int32, _ descriptor: Int32, _ events: UInt32, _ number: UInt64)
        throws(SystemFailure)
    {
        var event = epoll_event()
        event.events = events
        event.data.u64 = number
        guard epoll_ctl(poll, operation, descriptor, &event) == 0 else { throw .last() }
    }

    // MARK: On the waiting thread

    /// Sleeps until something happens, ``wake()`` is called, or the time is over, and reports the events.
    ///
    /// - Parameter nanoseconds: `.max` for ever.
    package func wait(nanoseconds: Int64) {
        let capacity = 64
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: capacity) { events in
            guard let base = events.baseAddress else { return }
            let count = linux_wait(poll, base, Int32(capacity), nanoseconds == .max ? -1 : nanoseconds)
            for index in 0..<max(0, Int(count)) { tell(events[index].data.u64) }
        }
    }

    private func tell(_ number: UInt64) {
        switch number {
        case Self.wakeNumber:
            var count: UInt64 = 0
            _ = read(wakeEvent, &count, 8)
        case Self.bellNumber: tellSignals()
        case Self.filesNumber: tellFiles()
        default: tellOther(number)
        }
    }

    private func tellOther(_ number: UInt64) {
        let told = state.withLock { state -> (Handler, Event)? in
            guard let watch = state.watches[number] else { return nil }
            switch watch.subject {
            case .descriptor: return (watch.handler, .ready)
            case .process(let descriptor, let isChild):
                return (watch.handler, .exited(isChild ? ProcessStatus(descriptor: descriptor) : nil))
            case .signal, .file: return nil
            }
        }
        if let (handler, event) = told { handler(event) }
    }

    private func tellSignals() {
        let told = state.withLock { state -> [(Handler, Event)] in
            var told: [(Handler, Event)] = []
            for (signal, numbers) in state.signals {
                let count = SignalRelay.count(of: signal)
                for number in numbers.sorted() {
                    guard case .signal(_, let seen)? = state.watches[number]?.subject, seen != count,
                        let handler = state.watches[number]?.handler
                    else { continue }
                    state.watches[number]?.subject = .signal(signal, seen: count)
                    told.append((handler, .signals(Int(clamping: count &- seen))))
                }
            }
            return told
        }
        for (handler, event) in told { handler(event) }
    }

    private func tellFiles() {
        let told = state.withLock { state in
            state.files.takeChanges().all.compactMap { number, changes, isGone in
                state.watches[number].map { ($0.handler, Event.changed(changes, isGone: isGone)) }
            }
        }
        for (handler, event) in told { handler(event) }
    }
}

extension EventMonitor.State {
    mutating func add(_ subject: EventMonitor.Subject, _ handler: @escaping EventMonitor.Handler)
        -> EventMonitor.Token
    {
        let number = nextNumber
        nextNumber += 1
        watches[number] = EventMonitor.Watch(subject: subject, handler: handler)
        return EventMonitor.Token(number: number)
    }
}
