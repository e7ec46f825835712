internal import Glibc

/// Checks whether something that can be waited for exists.
package enum SystemProbe {
    /// - Throws: If nothing is at the path, or access is denied.
    package static func checkFile(_ path: [UInt8]) throws(SystemFailure) {
        var status = stat()
        guard stat(path.map { CChar(bitPattern: $0) } + [0], &status) == 0 else { throw .last() }
    }

    /// - Throws: `ESRCH` if there is no such process.
    package static func checkProcess(_ number: Int32) throws(SystemFailure) {
        guard number > 0 else { throw SystemFailure(code: ESRCH) }
        // A process of another user may not be signalled, but exists.
        if kill(number, 0) != 0, errno != EPERM { throw .last() }
    }
}
