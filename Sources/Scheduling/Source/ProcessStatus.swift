internal import Glibc
internal import CLinux

/// How a process ended.
package enum ProcessStatus: Equatable, Sendable {
    /// It called `exit` with this status.
    case exited(Int)
    /// This signal ended it.
    case signalled(Int)

    /// The status as a shell reports it: the status itself, or 128 plus the signal.
    package var shellStatus: Int {
        switch self {
        case .exited(let status): status
        case .signalled(let signal): 128 + signal
        }
    }

    /// Reads the status of a child that has ended, and leaves it for a later wait.
    ///
    /// nil if the status has been taken and the kernel, being older than 6.15, does not remember it.
    ///
    /// - Parameter descriptor: Represents the process, and was opened before its end.
    init?(descriptor: Int32) {
        var information = siginfo_t()
        if Self.look(descriptor, &information) {
            let status = Int(information._sifields._sigchld.si_status)
            switch information.si_code {
            case Int32(CLD_EXITED): self = .exited(status)
            case Int32(CLD_KILLED), Int32(CLD_DUMPED): self = .signalled(status)
            default: return nil
            }
            return
        }
        var code: Int32 = 0
        guard linux_exit_code(descriptor, &code) == 0 else { return nil }
        self = code & 0x7f == 0 ? .exited(Int(code >> 8 & 0xff)) : .signalled(Int(code & 0x7f))
    }

    /// Whether a process is a child of this one.
    static func isChild(_ descriptor: Int32) -> Bool {
        var information = siginfo_t()
        return look(descriptor, &information)
    }

    private static func look(_ descriptor: Int32, _ information: inout siginfo_t) -> Bool {
        let byDescriptor = idtype_t(rawValue: 3)  // P_PIDFD
        return waitid(byDescriptor, id_t(descriptor), &information, WEXITED | WNOHANG | WNOWAIT) == 0
    }
}
