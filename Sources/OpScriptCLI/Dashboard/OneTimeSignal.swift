#if Dashboard
internal import Glibc

/// A signal that is sent once, and that any number of threads wait for: a byte in a socket that is never read.
final class OneTimeSignal: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32

    /// Nil, with the reason in `errno`, if there are no descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        // Not a pipe: only these can be kept out of the script's programs from their beginning.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    func send() {
        var byte: UInt8 = 1
        // It can only fail when it was sent so often that the socket is full.
        _ = Glibc.send(writeEnd, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    /// Waits until one of these signals is sent, for at most so many milliseconds; for ever if that is -1.
    ///
    /// - Returns: Whether each of them has been sent.
    static func wait(for signals: [OneTimeSignal], milliseconds: Int32 = -1) -> [Bool] {
        var descriptors = signals.map { pollfd(fd: $0.readEnd, events: Int16(POLLIN), revents: 0) }
        while poll(&descriptors, nfds_t(descriptors.count), milliseconds) < 0, errno == EINTR {}
        return descriptors.map { $0.revents != 0 }
    }
}
#endif
