internal import Glibc
internal import CLinux

/// An open descriptor that several objects may hold; closed when the last of them releases it. Other programs
/// do not inherit it by accident.
final class SharedDescriptor: Sendable {
    let number: CInt

    /// Takes over a descriptor.
    init(owning number: CInt) { self.number = number }

    /// Creates one by a system call. The last ones of the process are refused, with EMFILE.
    convenience init(_ call: () -> CInt) throws(SystemCallError) {
        self.init(owning: try systemCall { linux_spare(call()) })
    }

    deinit {
        close(number)
    }

    /// The same, or a duplicate with a number above those of standard input, output and error, of which this process
    /// may have closed some.
    func aboveStandard() throws(SystemCallError) -> SharedDescriptor {
        number > STDERR_FILENO ? self : try duplicate()
    }

    func duplicate() throws(SystemCallError) -> SharedDescriptor {
        try SharedDescriptor { fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) }
    }
}

/// Both ends of a pipe.
struct Pipe {
    let reading: SharedDescriptor
    let writing: SharedDescriptor

    init() throws(SystemCallError) {
        var ends: (CInt, CInt) = (-1, -1)
        try systemCall { linux_pipe(&ends, O_CLOEXEC) }
        let reading = SharedDescriptor(owning: ends.0)
        let writing = try SharedDescriptor { ends.1 }
        self.reading = try reading.aboveStandard()
        self.writing = try writing.aboveStandard()
    }
}
