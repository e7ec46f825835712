internal import Glibc
internal import CLinux
internal import SystemPackage

/// A file that is being written and has no name yet, or only a temporary one.
///
/// Removed at the end of its life unless it was published.
struct Draft: ~Copyable {
    let descriptor: CInt
    private let target: FilePath
    /// The neighbouring name, while there is one.
    private var neighbour: FilePath?

    /// Creates an empty draft in the directory of `target`.
    init(besides target: FilePath, mode: mode_t) throws(SystemCallError) {
        self.target = target
        if Self.canName {
            do throws(SystemCallError) {
                descriptor = try systemCall {
                    linux_spare(
                        target.parent.withPlatformString {
                            open($0, Self.nameless | O_WRONLY | O_CLOEXEC, mode)
                        }
                    )
                }
                return
            } catch {
                // Kernels and file systems without nameless files; any other error would occur below as well.
                guard [EOPNOTSUPP, EISDIR, EINVAL, ENOENT].contains(error.code) else { throw error }
            }
        }
        let name = Self.neighbourName(of: target)
        descriptor = try systemCall {
            name.withPlatformString { open($0, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode) }
        }
        neighbour = name
    }

    deinit {
        close(descriptor)
        if let neighbour { neighbour.withPlatformString { _ = unlink($0) } }
    }

    /// Copies the mode and, as far as this process is permitted, the owner of the file that will be replaced.
    func adopt(_ old: stat) {
        // Not an error: a process that is not permitted to change the owner gets a file of its own, as with
        // any editor.
        _ = fchown(descriptor, old.st_uid, old.st_gid)
        _ = fchmod(descriptor, old.permissions)
    }

    /// Gives the file its name.
    mutating func publish(replacing: Bool) throws(SystemCallError) {
        if neighbour == nil {
            if !replacing {
                do throws(SystemCallError) {
                    return try link(to: target)
                } catch {
                    // Another process created it meanwhile: it is replaced, as it would have been a moment
                    // later.
                    guard error.code == EEXIST else { throw error }
                }
            }
            let name = Self.neighbourName(of: target)
            try link(to: name)
            neighbour = name
        }
        guard let source = neighbour else { return }
        try systemCall {
            source.withPlatformString { source in target.withPlatformString { rename(source, $0) } }
        }
        neighbour = nil
    }

    private func link(to name: FilePath) throws(SystemCallError) {
        try systemCall {
            "/proc/self/fd/\(descriptor)".withCString { source in
                name.withPlatformString { linkat(AT_FDCWD, source, AT_FDCWD, $0, AT_SYMLINK_FOLLOW) }
            }
        }
    }

    /// O_TMPFILE, a macro that does not reach Swift.
    private static let nameless: CInt = 0o20000000 | O_DIRECTORY

    /// Whether a nameless file can be given a name here: that goes through `/proc`.
    private static let canName = access("/proc/self/fd", X_OK) == 0

    private static func neighbourName(of target: FilePath) -> FilePath {
        let mark = String(UInt64.random(in: .min ... .max), radix: 36)
        return target.parent.appending(".opscript-\(mark).tmp")
    }
}
