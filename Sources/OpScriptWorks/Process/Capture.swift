internal import Glibc
internal import CLinux

/// The output of a process into a pipe.
struct Capture {
    private(set) var bytes: [UInt8] = []
    /// Our end of the pipe; nil once it is no longer read.
    private var pipe: SharedDescriptor?

    /// - Parameter pipe: The end to read from, which is set to non-blocking.
    init(_ pipe: SharedDescriptor) throws(SystemCallError) {
        try systemCall { fcntl(pipe.number, F_SETFL, O_NONBLOCK) }
        self.pipe = pipe
    }

    var descriptor: CInt? { pipe?.number }

    mutating func close() { pipe = nil }

    /// Reads some of the available bytes; false at the end.
    mutating func readSome(_ scratch: UnsafeMutableRawBufferPointer) -> Bool { read(scratch) != 0 }

    /// Reads all available bytes, and no later ones, since other processes may keep the pipe open for ever.
    mutating func readRest(_ scratch: UnsafeMutableRawBufferPointer) {
        guard read(scratch) > 0, let descriptor else { return }
        var left = Int(linux_readable_count(descriptor))
        while left > 0 {
            let count = read(UnsafeMutableRawBufferPointer(rebasing: scratch[..<min(left, scratch.count)]))
            if count <= 0 { return }
            left -= count
        }
    }

    /// The number of bytes that were read; 0 at the end, or after an error, which pipes do not have; -1 if
    /// there are none yet.
    private mutating func read(_ scratch: UnsafeMutableRawBufferPointer) -> Int {
        guard let descriptor else { return 0 }
        while true {
            let count = Glibc.read(descriptor, scratch.baseAddress, scratch.count)
            if count > 0 {
                bytes.append(contentsOf: scratch[..<count])
                return count
            }
            if count == 0 { return 0 }
            if errno == EAGAIN { return -1 }
            if errno != EINTR { return 0 }
        }
    }
}
