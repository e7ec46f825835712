#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
internal import CLinux
internal import Synchronization

/// Counts signals of the process for whoever wants to know of them.
///
/// A signal has one handler for the whole process, so this is one for all schedulers. The handler adds one to a number
/// and rings a bell, an `eventfd` that is never read: each ring is an edge for every `epoll` that looks at it. Whoever
/// looks compares the number with the one it saw last, so none is lost and nobody takes another's.
///
/// Signals are not blocked: programs that the process starts would inherit that.
package enum SignalRelay {
    /// How often the system calls the handler for what it has.
    private struct Use {
        var count: Int
        var former: sigaction
    }

    private static let uses = Mutex<[Int32: Use]>([:])

    /// The bell; -1 where the system has no descriptor left.
    static var bell: Int32 { relayBell }

    /// How often a signal has come since the process began to count it.
    package static func count(of number: Int32) -> UInt64 {
        signalCounts[Int(number)].load(ordering: .acquiring)
    }

    /// Has a signal counted from now on, instead of what it did before. 0, or an error number.
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

    /// One who wanted it counted does not any more; after the last one the signal does again what it did before.
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

    /// Sees to it that writing to a pipe that nobody reads is an error, and does not end the process.
    ///
    /// A handler and not `SIG_IGN`, which programs that the process starts would inherit. A program that has decided
    /// about the signal itself keeps what it decided.
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

/// Made once and for good, before a handler is installed: a handler may run at any moment.
private let relayBell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

/// By the signal's number.
// nonisolated(unsafe) because the pointer never changes, and what it points to are atomics.
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
