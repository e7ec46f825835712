internal import Glibc

/// Looks whether something is there that can be waited for.
package enum SystemProbe {
    /// - Throws: Where nothing is at the path, or it may not be looked at.
    package static func checkFile(_ path: [UInt8]) throws(SystemFailure) {
        var status = stat()
        guard stat(path.map { CChar(bitPattern: $0) } + [0], &status) == 0 else { throw .last() }
    }

    /// - Throws: `ESRCH` where there is no such process.
    package static func checkProcess(_ number: Int32) throws(SystemFailure) {
        guard number > 0 else { throw SystemFailure(code: ESRCH) }
        // Someone else's process may not be signalled, and is there.
        if kill(number, 0) != 0, errno != EPERM { throw .last() }
    }
}
