internal import Glibc
internal import CLinux
internal import OpScript
internal import SystemPackage

/// An open descriptor that is closed at the end of its owner.
struct FileHandle: ~Copyable {
    let descriptor: CInt

    /// Opens a file; the descriptor does not pass to child processes. The last ones of the process are refused, with
    /// EMFILE.
    ///
    /// - Throws: the system's error number.
    init(_ path: FilePath, _ flags: CInt, mode: mode_t = 0o666) throws(SystemCallError) {
        descriptor = try systemCall {
            linux_spare(path.withPlatformString { open($0, flags | O_CLOEXEC, mode) })
        }
    }

    /// Opens a file relative to a directory.
    init(_ path: FilePath, in directory: CInt, _ flags: CInt) throws(SystemCallError) {
        descriptor = try systemCall {
            linux_spare(path.withPlatformString { openat(directory, $0, flags | O_CLOEXEC) })
        }
    }

    deinit {
        close(descriptor)
    }

    /// Size, kind, mode and times.
    func status() throws(SystemCallError) -> stat {
        var status = stat()
        try systemCall { fstat(descriptor, &status) }
        return status
    }

    /// Reads the available bytes, up to the buffer's size; 0 at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemCallError) -> Int {
        try systemCall { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
    }

    /// Writes some of the bytes and returns how many.
    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) -> Int {
        try systemCall { Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
    }
}

/// The number with which a system call failed.
struct SystemCallError: Error {
    let code: CInt
}

/// Makes a system call again while signals interrupt it.
@discardableResult
func systemCall<Result: FixedWidthInteger & SignedInteger>(_ call: () -> Result) throws(SystemCallError)
    -> Result
{
    while true {
        let result = call()
        if result != -1 { return result }
        let code = errno
        if code != EINTR { throw SystemCallError(code: code) }
    }
}

/// Throws if only the last descriptors of the process are left, before an action begins that cannot be
/// undone.
func requireSpareDescriptor() throws(SystemCallError) {
    guard linux_has_spare() else { throw SystemCallError(code: errno) }
}

extension stat {
    var kind: mode_t { st_mode & S_IFMT }
    var isDirectory: Bool { kind == S_IFDIR }
    var isRegular: Bool { kind == S_IFREG }
    var permissions: mode_t { st_mode & 0o7777 }
}

/// The status of the file at a path, or nil if there is none.
///
/// - Parameter follow: Whether a symbolic link is followed.
func fileStatus(of path: FilePath, follow: Bool = true) throws(SystemCallError) -> stat? {
    var status = stat()
    do throws(SystemCallError) {
        try systemCall { path.withPlatformString { follow ? stat($0, &status) : lstat($0, &status) } }
        return status
    } catch {
        if error.code == ENOENT { return nil }
        throw error
    }
}
