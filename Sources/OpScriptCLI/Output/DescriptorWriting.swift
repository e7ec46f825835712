internal import Glibc

/// Writes to a descriptor.
enum DescriptorWriting {
    /// Writes all bytes, however many calls that takes, and returns the error number if it fails.
    ///
    /// A descriptor that another process has made non-blocking is waited for.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&place, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
    }
}
