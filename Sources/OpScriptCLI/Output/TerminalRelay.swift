internal import Glibc
internal import Scheduling

/// A pseudo-terminal in the place of the terminal on standard output and standard error.
///
/// Whatever is written to these descriptors comes to one thread: by `print`, by Lua's `io`, by other threads, and by
/// programs that inherit them. So live lines can be removed before, and nothing is lost below them. The programs still
/// see a terminal of the same size; what they read, and `/dev/tty`, are the terminal itself.
final class TerminalRelay: Sendable {
    /// Requests of ioctl_tty(2) that Swift does not import.
    private enum Request {
        static let lock: UInt = 0x4004_5431
        static let openPeer: UInt = 0x5441
        static let exclude: UInt = 0x540C
    }

    /// The terminal.
    let terminal: Int32
    /// The descriptors that lead here, and where they led before.
    private let replaced: [(descriptor: Int32, kept: Int32)]
    private let master: Int32
    /// A byte from the owner asks for the end (`e`), or whether all is received (`d`); the thread confirms by a byte.
    private let ownEnd: Int32
    private let threadEnd: Int32

    /// Puts the pseudo-terminal in the place of the terminal on standard error, and on standard output if that is the
    /// same terminal; nil if the system refuses one.
    ///
    /// - Parameter receive: Gets all bytes, in their order, on a thread of the relay.
    init?(receive: @escaping @Sendable ([UInt8]) -> Void) {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0 else { return nil }
        var isLocked: Int32 = 0
        _ = ioctl(master, Request.lock, &isLocked)
        // No keys arrive here, and a program that could read would wait for them forever: `less` opens the terminal of
        // its outputs by name. If it cannot, it opens `/dev/tty`. Only CAP_SYS_ADMIN overrides that.
        let slave = ioctl(master, Request.openPeer, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        _ = ioctl(slave, Request.exclude)
        let terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10)
        var ends: [Int32] = [-1, -1]
        let socketKind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard slave >= 0, terminal >= 0, socketpair(AF_UNIX, socketKind, 0, &ends) == 0
        else {
            for descriptor in [master, slave, terminal] where descriptor >= 0 { close(descriptor) }
            return nil
        }
        self.master = master
        self.terminal = terminal
        (ownEnd, threadEnd) = (ends[0], ends[1])
        // The terminal itself turns a newline into two characters.
        var settings = termios()
        if tcgetattr(slave, &settings) == 0 {
            settings.c_oflag &= ~tcflag_t(OPOST)
            settings.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
            tcsetattr(slave, TCSANOW, &settings)
        }
        var replaced: [(descriptor: Int32, kept: Int32)] = []
        for descriptor in [STDOUT_FILENO, STDERR_FILENO]
        where descriptor == STDERR_FILENO || Terminal.areSame(descriptor, STDERR_FILENO) {
            let kept = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
            if kept >= 0 { replaced.append((descriptor, kept)) }
        }
        self.replaced = replaced
        followSize()
        for (descriptor, _) in replaced { dup2(slave, descriptor) }
        close(slave)
        let isStarted = SystemThread.start(name: "screen") { [self] in
            pass(on: receive)
            _ = write(threadEnd, "e", 1)
        }
        if !isStarted {
            giveBack()
            return nil
        }
    }

    /// The terminal to which a descriptor led before; nil if it does not lead here.
    func terminal(behind descriptor: Int32) -> Int32? {
        replaced.first { $0.descriptor == descriptor }?.kept
    }

    /// Gives programs the present size of the terminal.
    func followSize() {
        var size = winsize()
        var known = winsize()
        guard ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0, ioctl(master, UInt(TIOCGWINSZ), &known) == 0,
            (size.ws_row, size.ws_col) != (known.ws_row, known.ws_col)
        else { return }
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    /// Returns when everything written before has been received, or after some seconds.
    func drain(within seconds: Double) {
        _ = write(ownEnd, "d", 1)
        confirm(within: seconds)
    }

    /// Puts the terminal back. Returns when everything written before has been received, or after some seconds.
    func end(within seconds: Double) {
        giveBack()
        _ = write(ownEnd, "e", 1)
        confirm(within: seconds)
    }

    /// Waits for the byte by which the thread confirms.
    private func confirm(within seconds: Double) {
        var place = pollfd(fd: ownEnd, events: Int16(POLLIN), revents: 0)
        while poll(&place, 1, Int32(seconds * 1000)) < 0, errno == EINTR {}
        var byte: UInt8 = 0
        if place.revents != 0 { _ = read(ownEnd, &byte, 1) }
    }

    deinit {
        for descriptor in [master, terminal, ownEnd, threadEnd] + replaced.map(\.kept) { close(descriptor) }
    }

    private func giveBack() {
        for (descriptor, kept) in replaced { dup2(kept, descriptor) }
    }

    /// Passes on what comes, until the end was asked for and nothing is left.
    private func pass(on receive: ([UInt8]) -> Void) {
        var places = [
            pollfd(fd: master, events: Int16(POLLIN), revents: 0),
            pollfd(fd: threadEnd, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            if poll(&places, 2, -1) < 0 {
                if errno == EINTR { continue }
                return
            }
            if places[0].revents & Int16(POLLIN) != 0 {
                let bytes = [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
                    count = max(0, read(master, buffer.baseAddress, buffer.count))
                }
                if !bytes.isEmpty {
                    receive(bytes)
                    continue
                }
            }
            // Nothing is left. No program that inherited the descriptors need have ended.
            if places[1].revents != 0 {
                var byte: UInt8 = 0
                guard read(threadEnd, &byte, 1) == 1, byte == UInt8(ascii: "d") else { return }
                _ = write(threadEnd, "d", 1)
                continue
            }
            // All writers are gone: only the end can follow.
            if places[0].revents & Int16(POLLHUP) != 0 { places[0].fd = -1 }
        }
    }
}
