internal import Glibc
internal import OpScript

/// A file that is opened before the work begins, so that a wrong path is reported early, and that is written
/// at the end of the work.
struct OutputFile {
    private let descriptor: Int32

    /// Creates the file, or empties it; nil, with `errno`, if that fails.
    init?(_ path: String) {
        descriptor = RawText.withCString(path) { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }
        if descriptor < 0 { return nil }
    }

    /// Writes all bytes and closes the file; returns the error number if that fails.
    func finish(_ text: String) -> Int32? {
        let failure = DescriptorWriting.writeAll(Array(text.utf8), to: descriptor)
        return close(descriptor) == 0 || failure != nil ? failure : errno
    }
}
