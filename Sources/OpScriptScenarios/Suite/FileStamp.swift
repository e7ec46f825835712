internal import Glibc

/// The stamp of a file, which differs between two states of it.
package struct FileStamp: Equatable, Sendable {
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// The state of the file at a path now; nil if there is no file.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        size = Int64(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
