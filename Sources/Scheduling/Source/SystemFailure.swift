#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A system call that failed.
package struct SystemFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The error number.
    package let code: Int32

    package init(code: Int32) { self.code = code }

    /// The system's description, beginning with a lower-case letter.
    package var description: String {
        guard let text = strerror(code) else { return "error \(code)" }
        let words = String(cString: text)
        return words.prefix(1).lowercased() + words.dropFirst()
    }

    /// No such file or directory.
    package var isMissing: Bool { code == ENOENT || code == ENOTDIR }
    /// No such process.
    package var isNoProcess: Bool { code == ESRCH || code == EINVAL }
    /// The number is not an open descriptor.
    package static let notOpen = SystemFailure(code: EBADF)
    /// The descriptor is open, but in the other direction.
    package static let wrongWay = SystemFailure(code: EACCES)
    /// The descriptor is a directory.
    package static let directory = SystemFailure(code: EISDIR)

    static func last() -> SystemFailure { SystemFailure(code: errno) }
}
