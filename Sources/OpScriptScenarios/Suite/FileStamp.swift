internal import Glibc

/// What tells one state of a file from another.
package struct FileStamp: Equatable, Sendable {
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// The state of the file at a path now; nil where there is none.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        size = Int64(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
