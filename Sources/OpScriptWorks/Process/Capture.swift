internal import Glibc
internal import CLinux

/// The output of a process into a pipe.
struct Capture {
    private var kept: LimitedBytes
    /// Our end of the pipe; nil once it is no longer read.
    private var pipe: SharedDescriptor?

    /// - Parameters:
    ///   - pipe: The end to read from, which is set to non-blocking.
    ///   - limit: The most bytes that are kept.
    init(_ pipe: SharedDescriptor, limit: Int) throws(SystemCallError) {
        kept = LimitedBytes(limit: limit)
        try systemCall { fcntl(pipe.number, F_SETFL, O_NONBLOCK) }
        self.pipe = pipe
    }

    var bytes: [UInt8] { kept.bytes }

    /// Whether there was more than can be kept.
    var excess: LimitedBytes.Excess? { kept.excess }

    var descriptor: CInt? { pipe?.number }

    mutating func close() { pipe = nil }

    /// Reads some of the available bytes; false at the end.
    mutating func readSome(_ scratch: UnsafeMutableRawBufferPointer) -> Bool { read(scratch) != 0 }

    /// Takes over the end to read from.
    mutating func takePipe() -> SharedDescriptor? { pipe.take() }

    /// Reads what is available; false at the end. Other processes may write all the time, so there is a limit.
    mutating func readRest(_ scratch: UnsafeMutableRawBufferPointer) -> Bool {
        for _ in 0..<64 {
            let count = read(scratch)
            if count <= 0 { return count < 0 }
        }
        return true
    }

    /// The number of bytes that were read; 0 at the end, or after an error, which pipes do not have; -1 if
    /// there are none yet.
    private mutating func read(_ scratch: UnsafeMutableRawBufferPointer) -> Int {
        guard let descriptor else { return 0 }
        while true {
            let count = Glibc.read(descriptor, scratch.baseAddress, scratch.count)
            if count > 0 {
                _ = kept.append(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
                return count
            }
            if count == 0 { return 0 }
            if errno == EAGAIN { return -1 }
            if errno != EINTR { return 0 }
        }
    }
}
