#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
internal import CLinux
internal import Synchronization

/// Counts signals of the process for all observers.
///
/// A signal has one handler for the whole process, so all schedulers share this relay. The handler increments a counter
/// and rings a bell, an `eventfd` that is never read: each ring is an edge for every `epoll` that watches it. Each
/// observer compares the counter with the value it saw last, so no signal is lost and none is taken from another one.
///
/// Signals are not blocked, since programs that the process starts would inherit that.
package enum SignalRelay {
    /// How many observers a signal has, and its former action.
    private struct Use {
        var count: Int
        var former: sigaction
    }

    private static let uses = Mutex<[Int32: Use]>([:])

    /// The bell; -1 if the system has no descriptor left.
    package static var bell: Int32 { relayBell }

    /// How often a signal has come since the process began to count it.
    package static func count(of number: Int32) -> UInt64 {
        signalCounts[Int(number)].load(ordering: .acquiring)
    }

    /// Counts a signal from now on, instead of its former action. Returns 0, or an error number.
    package static func begin(_ number: Int32) -> Int32 {
        guard relayBell >= 0 else { return EMFILE }
        _ = count(of: number)
        return uses.withLock { uses in
            if uses[number] != nil {
                uses[number]?.count += 1
                return 0
            }
            var action = sigaction()
            #if canImport(Glibc)
            action.__sigaction_handler.sa_handler = relaySignal
            #else
            action.__sigaction_u.__sa_handler = relaySignal
            #endif
            action.sa_flags = SA_RESTART
            var former = sigaction()
            guard sigaction(number, &action, &former) == 0 else { return errno }
            uses[number] = Use(count: 1, former: former)
            return 0
        }
    }

    /// An observer of the signal leaves; after the last one, the signal gets its former action back.
    package static func end(_ number: Int32) {
        uses.withLock { uses in
            guard var use = uses[number] else { return }
            use.count -= 1
            if use.count > 0 {
                uses[number] = use
                return
            }
            uses[number] = nil
            sigaction(number, &use.former, nil)
        }
    }

    /// Makes writing to a pipe without a reader an error that does not end the process.
    ///
    /// It installs a handler, not `SIG_IGN`, which programs that the process starts would inherit. A program that has
    /// set its own action for the signal keeps it.
    package static func surviveBrokenPipes() {
        uses.withLock { _ in
            var present = sigaction()
            guard sigaction(SIGPIPE, nil, &present) == 0 else { return }
            #if canImport(Glibc)
            let isDefault = unsafeBitCast(present.__sigaction_handler.sa_handler, to: Int.self) == 0
            #else
            let isDefault = unsafeBitCast(present.__sigaction_u.__sa_handler, to: Int.self) == 0
            #endif
            guard isDefault else { return }
            var action = sigaction()
            #if canImport(Glibc)
            action.__sigaction_handler.sa_handler = { _ in }
            #else
            action.__sigaction_u.__sa_handler = { _ in }
            #endif
            action.sa_flags = SA_RESTART
            sigaction(SIGPIPE, &action, nil)
        }
    }
}

/// Created once and for good, before a handler is installed: a handler may run at any moment.
private let relayBell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

/// How often each signal has arrived. The index is the number of the signal.
// nonisolated(unsafe) because the pointer never changes, and the pointees are atomics.
private nonisolated(unsafe) let signalCounts: UnsafeMutablePointer<Atomic<UInt64>> = {
    let counts = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: 128)
    for number in 0..<128 { (counts + number).initialize(to: Atomic(0)) }
    return counts
}()

/// Safe in a signal handler: an addition, and one system call. It allocates nothing and takes no lock.
private func relaySignal(_ number: Int32) {
    let code = errno
    if number > 0, number < 128 { signalCounts[Int(number)].wrappingAdd(1, ordering: .releasing) }
    var one: UInt64 = 1
    _ = write(relayBell, &one, 8)
    errno = code
}
