internal import Glibc
internal import CLinux

/// The end of a process.
enum ProcessEnd: Equatable {
    case exited(CInt)
    case signalled(CInt)

    /// Reaps a child that has ended; exactly this one, since a host may have children of its own.
    ///
    /// Returns nil if the status is lost: this process ignores SIGCHLD, or something else in it waits for any
    /// child, and the kernel is older than 6.15, which remembers no status.
    ///
    /// - Parameter descriptor: Represents the process, and was opened before it was reaped.
    static func reap(_ descriptor: CInt) -> ProcessEnd? {
        var information = siginfo_t()
        let byDescriptor = idtype_t(rawValue: 3)  // P_PIDFD
        if waitid(byDescriptor, id_t(descriptor), &information, WEXITED | WNOHANG) == 0 {
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
