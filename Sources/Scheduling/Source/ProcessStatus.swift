internal import Glibc

/// How a process ended.
package enum ProcessStatus: Equatable, Sendable {
    /// It called `exit` with this status.
    case exited(Int)
    /// This signal ended it.
    case signalled(Int)

    /// What a shell makes of it: the status, or 128 and the signal.
    package var shellStatus: Int {
        switch self {
        case .exited(let status): status
        case .signalled(let signal): 128 + signal
        }
    }

    /// Looks at a child that has ended, and leaves its status for whoever waits for it. nil for other processes, and where the
    /// status has been taken.
    init?(descriptor: Int32) {
        var information = siginfo_t()
        let byDescriptor = idtype_t(rawValue: 3)  // P_PIDFD
        guard waitid(byDescriptor, id_t(descriptor), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else {
            return nil
        }
        let status = Int(information._sifields._sigchld.si_status)
        switch information.si_code {
        case Int32(CLD_EXITED): self = .exited(status)
        case Int32(CLD_KILLED), Int32(CLD_DUMPED): self = .signalled(status)
        default: return nil
        }
    }
}
