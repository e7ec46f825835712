internal import Glibc

/// A file that is opened before the work begins, so that a wrong path is known early, and written when it has ended.
struct OutputFile {
    private let descriptor: Int32

    /// Makes the file, or empties it; nil, with `errno`, where that fails.
    init?(_ path: String) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        if descriptor < 0 { return nil }
    }

    /// Writes all of it and closes the file; gives the error number where that fails.
    func finish(_ text: String) -> Int32? {
        var rest = Array(text.utf8)[...]
        var failure: Int32?
        while !rest.isEmpty, failure == nil {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                failure = errno
            }
        }
        return close(descriptor) == 0 || failure != nil ? failure : errno
    }
}
