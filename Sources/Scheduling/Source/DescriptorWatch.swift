#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A descriptor to be read from or written to, and its present state.
///
/// It remembers which file the number stood for: the number may be closed, and be reused for another file.
package struct DescriptorWatch: Sendable {
    /// Which end is watched.
    package enum Direction: Sendable {
        case read, write
    }

    /// The result of checking the descriptor.
    package enum Readiness: Equatable, Sendable {
        /// Nothing can be read, or there is no room.
        case notYet
        /// How many bytes can be read, or for how many there is room; 1 if the system cannot tell.
        case ready(Int)
        /// Nothing more will come: the end of the file, or the other end has gone.
        case ended
        /// The number was closed, or stands for another file.
        case closed
    }

    private enum Kind {
        /// Pipes, sockets, terminals and the like: the kernel reports when they are ready.
        case stream
        /// Files: they are always ready.
        case file
        /// `/dev/null`.
        case sink
        /// Devices that are always ready, such as `/dev/zero`.
        case device
    }

    /// `POLLRDHUP`: the other end will send no more.
    private static let hangUp: Int32 = 0x2000
    /// The room in a descriptor that is never full.
    private static let fileRoom = 65_536

    /// The number as it was given.
    package let number: Int32
    package let direction: Direction
    private let kind: Kind
    private let device: UInt
    private let inode: UInt

    /// - Throws: ``SystemFailure/notOpen``, ``SystemFailure/directory``, ``SystemFailure/wrongWay``.
    package init(_ number: Int32, _ direction: Direction) throws(SystemFailure) {
        self.number = number
        self.direction = direction
        var status = stat()
        guard number >= 0, fstat(number, &status) == 0 else { throw .notOpen }
        let mode = fcntl(number, F_GETFL) & O_ACCMODE
        guard mode == O_RDWR || mode == (direction == .read ? O_RDONLY : O_WRONLY) else {
            throw .wrongWay
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: throw .directory
        case S_IFREG, S_IFBLK: kind = .file
        case S_IFCHR where status.st_rdev == 0x103: kind = .sink
        case S_IFCHR where Self.isMemoryDevice(status.st_rdev): kind = .device
        default: kind = .stream
        }
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
    }

    /// Whether the kernel reports when it is ready; otherwise it always is.
    var isStream: Bool { kind == .stream }

    private static func isMemoryDevice(_ device: UInt) -> Bool { device >> 8 == 1 }

    /// Whether the number still stands for the file that it stood for. One system call.
    package var isOpen: Bool {
        var status = stat()
        return fstat(number, &status) == 0 && UInt(status.st_dev) == device && UInt(status.st_ino) == inode
    }

    /// Checks the descriptor, without waiting.
    ///
    /// - Parameter buffered: How many bytes were read ahead and wait in a buffer of the caller.
    package func look(buffered: Int = 0) -> Readiness {
        guard isOpen else { return .closed }
        return direction == .read ? readable(buffered) : writable()
    }

    private func readable(_ buffered: Int) -> Readiness {
        switch kind {
        case .sink: return .ended
        case .device: return .ready(1)
        case .file:
            var status = stat()
            guard fstat(number, &status) == 0 else { return .closed }
            let rest = Int(status.st_size) - Int(lseek(number, 0, SEEK_CUR)) + buffered
            return rest > 0 ? .ready(rest) : .ended
        case .stream: break
        }
        let events = poll(POLLIN | Self.hangUp)
        var waiting: Int32 = 0
        let isCounted = ioctl(number, UInt(FIONREAD), &waiting) == 0
        let count = Int(max(0, waiting)) + buffered
        if count > 0 { return .ready(count) }
        if events & (POLLHUP | Self.hangUp | POLLERR | POLLNVAL) != 0 { return .ended }
        guard events & POLLIN != 0 else { return .notYet }
        // A listening socket has no bytes to count. A terminal reports the end of its input like this, and continues.
        return .ready(isCounted ? 0 : 1)
    }

    private func writable() -> Readiness {
        switch kind {
        case .file, .sink, .device: return .ready(Self.fileRoom)
        case .stream: break
        }
        let events = poll(POLLOUT)
        if events & (POLLERR | POLLHUP | POLLNVAL) != 0 { return .ended }
        guard events & POLLOUT != 0 else { return .notYet }
        return .ready(max(1, room))
    }

    /// Room in bytes; 1 if the system cannot tell.
    private var room: Int {
        let capacity = fcntl(number, 1032)  // F_GETPIPE_SZ
        var used: Int32 = 0
        if capacity > 0 { return ioctl(number, UInt(FIONREAD), &used) == 0 ? Int(capacity - used) : 1 }
        var size: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(number, SOL_SOCKET, SO_SNDBUF, &size, &length) == 0,
            ioctl(number, 0x5411, &used) == 0  // SIOCOUTQ
        else { return 1 }
        return Int(size - used)
    }

    private func poll(_ events: Int32) -> Int32 {
        var request = pollfd(fd: number, events: Int16(events), revents: 0)
        return Glibc.poll(&request, 1, 0) > 0 ? Int32(request.revents) : 0
    }
}
