// @preconcurrency because the C library's `stdout` is a variable, which nothing sets here.
#if canImport(Glibc)
@preconcurrency internal import Glibc
#else
@preconcurrency internal import Darwin
#endif
internal import Scheduling
internal import Synchronization

/// The time of day.
enum WallClock {
    /// The moment at which virtual time begins by default: the 1st of January 2000, in UTC.
    static let virtualEpoch = 946_684_800.0

    /// Seconds since 1970; under virtual time from a fixed date on, or the real time plus the seconds that the
    /// virtual clock has advanced.
    static func now(_ clock: SchedulerClock, _ control: SimulationControl) -> Double {
        let ahead = clock.isVirtual ? Double(clock.now) / 1e9 : 0
        if clock.isVirtual, !control.beginsAtRealDate { return control.startDate + ahead }
        return systemNow + ahead
    }

    /// Seconds since 1970 on the system's clock.
    static var systemNow: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// How many seconds the clock from which the system takes the times of files, and the C library `time()`, may be
    /// behind.
    static let coarseness: Double = {
        #if canImport(Glibc)
        var step = timespec()
        guard clock_getres(CLOCK_REALTIME_COARSE, &step) == 0 else { return 0.01 }
        return Double(step.tv_sec) + Double(step.tv_nsec) / 1e9
        #else
        return 0
        #endif
    }()

    /// Seconds of processor time that the process has used.
    static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The permissions of the process.
enum Privileges {
    /// Whether threads may be made more urgent than normal.
    static var mayRaisePriority: Bool { geteuid() == 0 }
}

/// The standard streams, without the C library's buffers.
package enum StandardStreams {
    private static let failure = Atomic<Int32>(0)

    /// The error number with which the output of Lua's own `io` library failed last; 0 if it has not failed. The
    /// stream itself keeps only the fact.
    package static var outputFailure: Int32 { failure.load(ordering: .relaxed) }

    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while let base = rest.baseAddress, rest.count > 0 {
            #if canImport(Glibc)
            let count = Glibc.write(descriptor, base, rest.count)
            #else
            let count = Darwin.write(descriptor, base, rest.count)
            #endif
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                // The reader is gone, so the failure cannot be reported.
                return
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    static func writeError(_ line: String) {
        var text = line + "\n"
        text.withUTF8 { write(2, UnsafeRawBufferPointer($0)) }
    }

    /// Writes to standard output as Lua's own library does, after the earlier output of that library.
    static func writeOutput(_ bytes: UnsafeRawBufferPointer) {
        flushLibrary()
        write(1, bytes)
    }

    /// Flushes the standard streams of Lua's own `io` library.
    static func flushLibrary() {
        // The failure of a stream is reported only once, so it is read here.
        if fflush(stdout) != 0 { failure.store(errno, ordering: .relaxed) }
        fflush(stderr)
    }
}
