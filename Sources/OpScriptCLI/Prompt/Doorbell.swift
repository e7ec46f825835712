internal import Glibc

/// Wakes a thread that waits; several rings before the wait count as one. It is a pipe, so that a thread can wait for
/// other descriptors as well.
final class Doorbell: Sendable {
    /// The end to wait at.
    let descriptor: Int32
    private let other: Int32

    /// nil if there are no descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (descriptor, other) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(other)
    }

    /// From any thread.
    func ring() { _ = write(other, "r", 1) }

    /// Waits for a ring, or as long as said, or for ever if that is negative; true if there was one.
    func wait(milliseconds: Int32) -> Bool {
        var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&place, 1, milliseconds) > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 64)
        return read(descriptor, &bytes, bytes.count) > 0
    }
}
