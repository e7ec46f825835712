internal import Glibc
internal import CLinux

/// The end of a process.
enum ProcessEnd: Equatable {
    case exited(CInt)
    case signalled(CInt)

    /// Reaps a child, as ``reap(_:_:)`` does.
    static func reap(_ descriptor: CInt) -> ProcessEnd? {
        var usage = rusage()
        return reap(descriptor, &usage)
    }

    /// Reaps a child that has ended; exactly this one, since a host may have children of its own.
    ///
    /// Returns nil if the status is lost: this process ignores SIGCHLD, or something else in it waits for any
    /// child, and the kernel is older than 6.15, which remembers no status.
    ///
    /// - Parameters:
    ///   - descriptor: Represents the process, and was opened before it was reaped.
    ///   - usage: Receives what the process and its descendants took, as far as the kernel knows it.
    static func reap(_ descriptor: CInt, _ usage: inout rusage) -> ProcessEnd? {
        var information = siginfo_t()
        if linux_reap(descriptor, &information, WEXITED | WNOHANG, &usage) == 0 {
            let status = information._sifields._sigchld.si_status
            switch information.si_code {
            case CInt(CLD_EXITED): return .exited(status)
            case CInt(CLD_KILLED), CInt(CLD_DUMPED): return .signalled(status)
            default: return nil
            }
        }
        var code: Int32 = 0
        guard linux_exit_code(descriptor, &code) == 0 else { return nil }
        return code & 0x7f == 0 ? .exited(code >> 8 & 0xff) : .signalled(code & 0x7f)
    }
}
