internal import CLinux
internal import Glibc
internal import OpScript

extension ProgramUsage {
    /// The time and the memory that a process took, as the kernel says.
    init(_ taken: rusage, wall: Duration) {
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        self.init(
            wall: wall / .seconds(1),
            user: seconds(taken.ru_utime),
            system: seconds(taken.ru_stime),
            // The kernel counts in units of 1024 bytes.
            peakMemory: Int64(taken.ru_maxrss) * 1024
        )
    }
}
