internal import Glibc
internal import OpScript
internal import SystemPackage

/// The options of `file.write`.
struct WriteOptions: Codable {
    /// Whether the bytes must be on the disk before the operation ends.
    var sync: Bool?
}

/// Writes a file in one step: readers see the old contents or the new ones, never a part.
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

/// Appends bytes to a file, which is created if it does not exist.
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

/// Replaces the contents of a file in one step.
///
/// The contents are written to a file without a name in the same directory, which vanishes with the process;
/// it gets the name only when everything is written. If a file of that name exists already, the new one first
/// gets a neighbouring name, since a rename replaces a file and a link does not. A process that is killed
/// between these two calls leaves the neighbour. On file systems without nameless files (NFS, some FUSE), the
/// neighbour is created from the start.
///
/// Symbolic links are followed; mode and owner of the old file are kept. A path that is not a regular file
/// (`/dev/null`, a named pipe) is written in place.
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
            // Replacing needs no permission to write the file itself, but a write-protected file must stay.
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

/// The same for contents that arrive over time; the draft is removed if they fail.
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

/// Writes all bytes, reports progress and checks for cancellation between pieces.
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

/// Opens for writing in place; waits for the reader of a named pipe.
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

/// The path at the end of a chain of symbolic links, even if no file is there yet.
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

/// The target of a symbolic link, unchanged.
func readLink(_ path: FilePath) throws(SystemCallError) -> FilePath {
    // One byte more than a path can have, so that the result always ends in a NUL.
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    try systemCall { path.withPlatformString { readlink($0, &buffer, Int(PATH_MAX)) } }
    return FilePath(platformString: buffer)
}
