internal import Glibc
internal import OpScript
internal import SystemPackage

/// What `file.write` may be told.
struct WriteOptions: Codable {
    /// Whether the bytes must be on the disk before it is done.
    var sync: Bool?
}

/// Writes a file in one step: readers see the old contents or the new ones, never a half.
///
/// - Returns: the path.
func writeFile(
    _ context: WorkContext,
    _ path: FilePath,
    _ data: ScriptData,
    _ options: WriteOptions? = nil
) throws -> FilePath {
    try replaceFile(context, path, sync: options?.sync ?? false) { descriptor in
        try writeAll(context, data.bytes, to: descriptor)
    }
    return path
}

/// Adds bytes at the end of a file, which is made where there is none.
///
/// - Returns: the path.
func appendToFile(_ context: WorkContext, _ path: FilePath, _ data: ScriptData) throws -> FilePath {
    do {
        let file = try openForWriting(context, path, O_APPEND | O_CREAT)
        try writeAll(context, data.bytes, to: file.descriptor)
    } catch let error as SystemCallError {
        throw ScriptError.cannot("append to", path, error.code, missing: "no such directory")
    }
    return path
}

/// Puts new contents in the place of a file in one step.
///
/// The contents go to a file without a name in the same directory, which vanishes with the process; only when all is
/// written does it get the name. Where something stands under the name already it first gets a neighbouring name, for
/// a rename replaces and a link does not: a process that is killed between these two calls leaves the neighbour. File
/// systems without nameless files (NFS, some FUSE) get a neighbour from the start.
///
/// Symbolic links are followed; mode and owner of the old file are kept. What is no regular file (`/dev/null`, a
/// named pipe) is written in place.
///
/// - Parameter mode: The mode of a new file, less what the process masks.
func replaceFile(
    _ context: WorkContext,
    _ path: FilePath,
    mode: mode_t = 0o666,
    sync: Bool = false,
    contents: (CInt) throws -> Void
) throws {
    do {
        let target = try resolvingLinks(path)
        let old = try fileStatus(of: target)
        if let old, !old.isRegular {
            if old.isDirectory { throw SystemCallError(code: EISDIR) }
            let file = try openForWriting(context, target, 0)
            return try contents(file.descriptor)
        }
        if old != nil {
            // Replacing asks for no right to write the file itself; one that is write-protected is to stay.
            try systemCall { target.withPlatformString { access($0, W_OK) } }
        }
        try context.checkCancellation()
        var draft = try Draft(besides: target, mode: mode)
        if let old { draft.adopt(old) }
        try contents(draft.descriptor)
        if sync { try systemCall { fsync(draft.descriptor) } }
        try context.checkCancellation()
        try draft.publish(replacing: old != nil)
    } catch let error as SystemCallError {
        throw ScriptError.cannot("write", path, error.code, missing: "no such directory")
    }
}

/// The same for contents that come over time; the draft is thrown away if they fail.
func replaceFile(
    _ context: WorkContext,
    _ path: FilePath,
    contents: (CInt) async throws -> Void
) async throws {
    do {
        let target = try resolvingLinks(path)
        let old = try fileStatus(of: target)
        if let old, !old.isRegular {
            if old.isDirectory { throw SystemCallError(code: EISDIR) }
            let file = try openForWriting(context, target, 0)
            return try await contents(file.descriptor)
        }
        if old != nil { try systemCall { target.withPlatformString { access($0, W_OK) } } }
        var draft = try Draft(besides: target, mode: 0o666)
        if let old { draft.adopt(old) }
        try await contents(draft.descriptor)
        try context.checkCancellation()
        try draft.publish(replacing: old != nil)
    } catch let error as SystemCallError {
        throw ScriptError.cannot("write", path, error.code, missing: "no such directory")
    }
}

/// Writes all bytes, reports progress and sees cancellation between pieces.
func writeAll(_ context: WorkContext, _ bytes: [UInt8], to descriptor: CInt) throws {
    context.progress.totalUnitCount = Int64(bytes.count)
    try bytes.withUnsafeBytes { bytes in
        var written = 0
        while written < bytes.count {
            try context.checkCancellation()
            let piece = UnsafeRawBufferPointer(rebasing: bytes[written...].prefix(pieceSize))
            do throws(SystemCallError) {
                written += try systemCall { write(descriptor, piece.baseAddress, piece.count) }
            } catch {
                guard error.code == EAGAIN else { throw error }
                try waitUntilReady(descriptor, POLLOUT, context)
            }
            context.progress.completedUnitCount = Int64(written)
        }
    }
}

/// Opens for writing in place; a named pipe without a reader is waited for.
private func openForWriting(
    _ context: WorkContext,
    _ path: FilePath,
    _ flags: CInt
) throws -> FileHandle {
    while true {
        try context.checkCancellation()
        do throws(SystemCallError) {
            return try FileHandle(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | flags)
        } catch {
            guard error.code == ENXIO else { throw error }
            usleep(10_000)
        }
    }
}

/// Where a chain of symbolic links ends, also where nothing stands there yet.
private func resolvingLinks(_ path: FilePath) throws(SystemCallError) -> FilePath {
    var path = path
    for _ in 0..<40 {
        guard let status = try fileStatus(of: path, follow: false), status.kind == S_IFLNK else {
            return path
        }
        let destination = try readLink(path)
        path = destination.isAbsolute ? destination : path.parent.appending(destination.components)
    }
    throw SystemCallError(code: ELOOP)
}

/// What a symbolic link leads to, as it stands there.
func readLink(_ path: FilePath) throws(SystemCallError) -> FilePath {
    // One byte more than a path can have, so that the result always ends in a NUL.
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    try systemCall { path.withPlatformString { readlink($0, &buffer, Int(PATH_MAX)) } }
    return FilePath(platformString: buffer)
}
