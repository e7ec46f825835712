internal import Glibc
internal import CLinux

/// What a process writes into a pipe.
struct Capture {
    private(set) var bytes: [UInt8] = []
    /// Our end of it; nil once nothing is wanted from it any more.
    private var pipe: SharedDescriptor?

    /// - Parameter pipe: The end to read from, which does not block from now on.
    init(_ pipe: SharedDescriptor) throws(SystemCallError) {
        try systemCall { fcntl(pipe.number, F_SETFL, O_NONBLOCK) }
        self.pipe = pipe
    }

    var descriptor: CInt? { pipe?.number }

    mutating func close() { pipe = nil }

    /// Takes some of what is there; false where the end was reached.
    mutating func readSome(_ scratch: UnsafeMutableRawBufferPointer) -> Bool { read(scratch) != 0 }

    /// Takes all that is there, and nothing that comes later: others may keep the pipe open for ever.
    mutating func readRest(_ scratch: UnsafeMutableRawBufferPointer) {
        guard read(scratch) > 0, let descriptor else { return }
        var left = Int(linux_readable_count(descriptor))
        while left > 0 {
            let count = read(UnsafeMutableRawBufferPointer(rebasing: scratch[..<min(left, scratch.count)]))
            if count <= 0 { return }
            left -= count
        }
    }

    /// How many bytes were there; 0 at the end, or after an error, which pipes do not have; -1 where there are none
    /// yet.
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
