internal import Glibc
internal import OpScript
internal import SystemPackage

/// The options of `file.remove`.
struct RemoveOptions: Codable {
    /// Whether a directory is removed with everything in it.
    var recursive: Bool?
}

/// Removes a file, a symbolic link or an empty directory; with `recursive` a whole tree.
///
/// Links inside a tree are removed and not followed.
func removeFile(_ context: WorkContext, _ path: FilePath, _ options: RemoveOptions? = nil) throws {
    do throws(SystemCallError) {
        return try remove(path)
    } catch {
        if error.code == ENOTEMPTY || error.code == EEXIST {
            guard options?.recursive == true else {
                throw ScriptError.cannot(
                    "remove",
                    path,
                    "the directory is not empty; the option recursive = true removes its contents, too"
                )
            }
        } else {
            throw ScriptError.cannot("remove", path, error.code)
        }
    }
    try removeContents(context, of: path)
    try describing("remove", path) { () throws(SystemCallError) in try remove(path) }
}

private func remove(_ path: FilePath) throws(SystemCallError) {
    do throws(SystemCallError) {
        try systemCall { path.withPlatformString { unlink($0) } }
    } catch {
        guard error.code == EISDIR else { throw error }
        try systemCall { path.withPlatformString { rmdir($0) } }
    }
}

private func removeContents(_ context: WorkContext, of path: FilePath) throws {
    let root = try describing("remove", path) { () throws(SystemCallError) in
        try FileHandle(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }
    // Directories in the order in which they were found: emptied from the front, removed from the back.
    var directories: [[UInt8]] = [[]]
    var next = 0
    var removedCount: Int64 = 0
    while next < directories.count {
        let way = directories[next]
        next += 1
        var current = way
        do throws(SystemCallError) {
            let stream = try openDirectory(way, in: root.descriptor)
            defer { closedir(stream) }
            while let entry = try nextEntry(of: stream) {
                if context.isCancelled { break }
                current = way.isEmpty ? entry.name : way + [UInt8(ascii: "/")] + entry.name
                if try isDirectory(entry, of: stream) {
                    directories.append(current)
                } else {
                    let name = entry.name.map(CChar.init(bitPattern:)) + [0]
                    try systemCall { unlinkat(dirfd(stream), name, 0) }
                    removedCount += 1
                }
            }
        } catch {
            throw ScriptError.cannot(
                "remove",
                path.appending(String(decoding: current, as: UTF8.self)),
                error.code
            )
        }
        try context.checkCancellation()
        context.progress.completedUnitCount = removedCount
    }
    for way in directories.dropFirst().reversed() {
        let name = way.map(CChar.init(bitPattern:)) + [0]
        try describing("remove", path.appending(String(decoding: way, as: UTF8.self))) {
            () throws(SystemCallError) in
            try systemCall { unlinkat(root.descriptor, name, AT_REMOVEDIR) }
        }
    }
}
