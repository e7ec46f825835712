internal import Synchronization

/// The place where the service thread sleeps: a condition, and from the first source on the event monitor.
///
/// ## Why no wake-up is lost when the place changes
///
/// The thread that makes the monitor publishes it first and then wakes both places. If the service thread
/// went to sleep at one place after another thread had woken the other one, it is woken again, and rechecks
/// everything.
final class ServiceSleep: Sendable {
    private let parker = Parker()
    /// The address of the monitor, which is retained; 0 for none.
    private let place = Atomic<UInt>(0)

    deinit {
        if let pointer = UnsafeRawPointer(bitPattern: place.load(ordering: .acquiring)) {
            Unmanaged<EventMonitor>.fromOpaque(pointer).release()
        }
    }

    /// The monitor, once there is one.
    var monitor: EventMonitor? {
        guard let pointer = UnsafeRawPointer(bitPattern: place.load(ordering: .sequentiallyConsistent)) else {
            return nil
        }
        return Unmanaged<EventMonitor>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// The monitor, created if there is none.
    func makeMonitor() throws(SystemFailure) -> EventMonitor {
        if let monitor { return monitor }
        let made = try EventMonitor()
        let pointer = Unmanaged.passRetained(made)
        let (isOurs, _) = place.compareExchange(
            expected: 0,
            desired: UInt(bitPattern: pointer.toOpaque()),
            ordering: .sequentiallyConsistent
        )
        guard isOurs else {
            pointer.release()
            return monitor ?? made
        }
        unpark()
        return made
    }

    /// Wakes the thread, now or when it is about to sleep.
    func unpark() {
        parker.unpark()
        monitor?.wake()
    }

    /// Sleeps until it is woken or this many nanoseconds are over; `.max` for ever.
    func park(nanoseconds: Int64) {
        if let monitor {
            monitor.wait(nanoseconds: nanoseconds)
        } else if nanoseconds == .max {
            parker.park()
        } else {
            _ = parker.park(nanoseconds: nanoseconds)
        }
    }
}
