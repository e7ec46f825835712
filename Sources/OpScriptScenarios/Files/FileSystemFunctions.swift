internal import Glibc
internal import OpScript

/// The calls of the system behind `lfs`. A failure returns a table with `problem` and `code`.
enum FileSystemFunctions {
    /// Registers them; the library takes them from the globals before a script begins.
    static func register(_ engine: ScriptEngine) {
        engine.registerFunction("opscriptFiles.attributes") { (path: String, isLink: Bool) -> ScriptValue in
            attributes(path, isLink: isLink)
        }
        engine.registerFunction("opscriptFiles.names") { (path: String) -> ScriptValue in names(path) }
        engine.registerFunction("opscriptFiles.makeFolder") { (path: String) -> ScriptValue in
            result(mkdir(path, 0o777))
        }
        engine.registerFunction("opscriptFiles.removeFolder") { (path: String) -> ScriptValue in
            result(rmdir(path))
        }
        engine.registerFunction("opscriptFiles.changeFolder") { (path: String) -> ScriptValue in
            result(chdir(path))
        }
        engine.registerFunction("opscriptFiles.currentFolder") { () -> ScriptValue in
            guard let path = getcwd(nil, 0) else { return failure(errno) }
            defer { free(path) }
            return .string(bytes(path))
        }
        engine.registerFunction("opscriptFiles.link") {
            (old: String, new: String, isSymbolic: Bool) -> ScriptValue in
            result(isSymbolic ? symlink(old, new) : link(old, new))
        }
        engine.registerFunction("opscriptFiles.touch") {
            (path: String, access: Double?, modification: Double?) -> ScriptValue in
            touch(path, access, modification)
        }
    }

    private static func touch(_ path: String, _ access: Double?, _ modification: Double?) -> ScriptValue {
        let times = [access, modification].map { moment in
            moment.map {
                timespec(tv_sec: Int($0.rounded(.down)), tv_nsec: Int(($0 - $0.rounded(.down)) * 1e9))
            } ?? timespec(tv_sec: 0, tv_nsec: utimeNow)
        }
        return result(utimensat(AT_FDCWD, path, times, 0))
    }

    /// Represents the present moment; a macro that Swift does not see.
    private static let utimeNow = (1 << 30) - 1

    private static func names(_ path: String) -> ScriptValue {
        guard let stream = opendir(path) else { return failure(errno) }
        defer { closedir(stream) }
        var names: [ScriptValue] = []
        while let entry = readdir(stream) {
            withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
                    names.append(.string(bytes($0)))
                }
            }
        }
        return .array(names)
    }

    private static func attributes(_ path: String, isLink: Bool) -> ScriptValue {
        var status = stat()
        guard (isLink ? lstat(path, &status) : stat(path, &status)) == 0 else { return failure(errno) }
        var table: ScriptTable = [
            "mode": .text(kind(status.st_mode)), "dev": .integer(Int64(bitPattern: UInt64(status.st_dev))),
            "ino": .integer(Int64(bitPattern: UInt64(status.st_ino))),
            "nlink": .integer(Int64(status.st_nlink)), "uid": .integer(Int64(status.st_uid)),
            "gid": .integer(Int64(status.st_gid)),
            "rdev": .integer(Int64(bitPattern: UInt64(status.st_rdev))),
            "access": .integer(Int64(status.st_atim.tv_sec)),
            "modification": .integer(Int64(status.st_mtim.tv_sec)),
            "change": .integer(Int64(status.st_ctim.tv_sec)), "size": .integer(Int64(status.st_size)),
            "permissions": .text(permissions(status.st_mode)), "blocks": .integer(Int64(status.st_blocks)),
            "blksize": .integer(Int64(status.st_blksize)),
        ]
        if isLink, let target = target(path) { table["target"] = target }
        return .table(table)
    }

    private static func target(_ path: String) -> ScriptValue? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { readlink(path, $0.assumingMemoryBound(to: CChar.self), bytes.count) }
                ?? -1
        }
        return count >= 0 ? .string(Array(buffer[..<count])) : nil
    }

    private static func kind(_ mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFREG: "file"
        case S_IFDIR: "directory"
        case S_IFLNK: "link"
        case S_IFSOCK: "socket"
        case S_IFCHR: "char device"
        case S_IFBLK: "block device"
        case S_IFIFO: "named pipe"
        default: "other"
        }
    }

    private static func permissions(_ mode: mode_t) -> String {
        let letters = Array("rwxrwxrwx")
        return String(letters.enumerated().map { mode & (0o400 >> mode_t($0)) != 0 ? $1 : "-" })
    }

    private static func result(_ code: Int32) -> ScriptValue { code == 0 ? .boolean(true) : failure(errno) }

    private static func failure(_ code: Int32) -> ScriptValue {
        .table(["problem": .text(String(cString: strerror(code))), "code": .integer(Int64(code))])
    }

    private static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }
}
