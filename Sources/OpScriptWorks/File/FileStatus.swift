internal import Glibc
internal import OpScript
internal import SystemPackage

/// The options of `file.stat`.
struct StatusOptions: Codable {
    /// Whether a symbolic link is followed; true by default.
    var follow: Bool?
}

/// Size, type, times and permissions of the file at a path.
func describeFile(
    _ context: WorkContext,
    _ path: FilePath,
    _ options: StatusOptions? = nil
) throws -> ScriptTable {
    let status = try describing("stat", path) { () throws(SystemCallError) in
        guard let status = try fileStatus(of: path, follow: options?.follow ?? true) else {
            throw SystemCallError(code: ENOENT)
        }
        return status
    }
    var table: ScriptTable = [
        "size": .integer(Int64(status.st_size)),
        "type": .text(typeName(of: status)),
        "mode": .integer(Int64(status.permissions)),
        "modified": .number(seconds(status.st_mtim)),
        "accessed": .number(seconds(status.st_atim)),
        "changed": .number(seconds(status.st_ctim)),
        "user": .integer(Int64(status.st_uid)),
        "group": .integer(Int64(status.st_gid)),
        "links": .integer(Int64(status.st_nlink)),
        "inode": .integer(Int64(truncatingIfNeeded: status.st_ino)),
        "device": .integer(Int64(truncatingIfNeeded: status.st_dev)),
    ]
    if status.kind == S_IFLNK {
        table["target"] = try describing("stat", path) { () throws(SystemCallError) in try readLink(path) }
            .scriptValue
    }
    return table
}

private func typeName(of status: stat) -> String {
    switch status.kind {
    case S_IFREG: "file"
    case S_IFDIR: "directory"
    case S_IFLNK: "link"
    case S_IFIFO: "pipe"
    case S_IFSOCK: "socket"
    case S_IFCHR, S_IFBLK: "device"
    default: "other"
    }
}

private func seconds(_ time: timespec) -> Double {
    Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
