internal import Glibc
internal import OpScript
internal import SystemPackage

/// Copies a file; the copy appears in one step and has the mode of the original.
///
/// - Returns: the path of the copy.
func copyFile(_ context: WorkContext, _ source: FilePath, _ target: FilePath) throws -> FilePath {
    do {
        let original = try FileHandle(source, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        let status = try original.status()
        guard status.isRegular else {
            throw status.isDirectory
                ? SystemCallError(code: EISDIR)
                : ScriptError.cannot("copy", source, "not a regular file")
        }
        context.progress.totalUnitCount = Int64(status.st_size)
        let descriptor = original.descriptor
        try replaceFile(context, target, mode: status.st_mode & 0o777) { copy in
            do {
                try copyContents(context, from: descriptor, to: copy)
            } catch let error as SystemCallError where error.code == EIO {
                throw ScriptError.cannot("copy", source, error.code)
            }
        }
    } catch let error as SystemCallError {
        throw ScriptError.cannot("copy", source, error.code)
    }
    return target
}

/// Makes the file system share the blocks if it can; otherwise the kernel copies them.
private func copyContents(_ context: WorkContext, from source: CInt, to target: CInt) throws {
    if ioctl(target, cloneRequest, source) == 0 { return }
    var total: Int64 = 0
    while true {
        try context.checkCancellation()
        let count = try systemCall { sendfile(target, source, nil, 16 * pieceSize) }
        if count == 0 { return }
        total += Int64(count)
        context.progress.completedUnitCount = total
    }
}

/// FICLONE, a macro that does not reach Swift.
private let cloneRequest: UInt = 0x4004_9409

/// Renames a file or directory; to another device a file is copied and then removed.
///
/// - Returns: the new path.
func moveFile(_ context: WorkContext, _ source: FilePath, _ target: FilePath) throws -> FilePath {
    do throws(SystemCallError) {
        try systemCall {
            source.withPlatformString { source in target.withPlatformString { rename(source, $0) } }
        }
        return target
    } catch {
        if error.code == ENOENT, (try? fileStatus(of: source, follow: false)) ?? nil != nil {
            throw ScriptError.cannot("move", source, "there is no directory '\(target.parent.string)'")
        }
        guard error.code == EXDEV else { throw ScriptError.cannot("move", source, error.code) }
    }
    let original = try describing("move", source) { () throws(SystemCallError) in
        try fileStatus(of: source, follow: false)
    }
    switch original?.kind {
    case S_IFREG: _ = try copyFile(context, source, target)
    case S_IFLNK:
        try describing("move", source) { () throws(SystemCallError) in
            let destination = try readLink(source)
            try systemCall {
                destination.withPlatformString { destination in
                    target.withPlatformString { symlink(destination, $0) }
                }
            }
        }
    default:
        throw ScriptError.cannot("move", source, "the target is on another device, and it is not a file")
    }
    try describing("remove", source) { () throws(SystemCallError) in
        try systemCall { source.withPlatformString { unlink($0) } }
    }
    return target
}

/// Runs system calls whose errors are about one path.
@discardableResult
func describing<Result: ~Copyable>(
    _ action: String,
    _ path: FilePath,
    missing: String = "no such file",
    _ body: () throws(SystemCallError) -> Result
) throws(ScriptError) -> Result {
    do throws(SystemCallError) {
        return try body()
    } catch {
        throw ScriptError.cannot(action, path, error.code, missing: missing)
    }
}
