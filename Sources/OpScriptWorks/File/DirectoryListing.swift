internal import Glibc
internal import CLinux
internal import OpScript
internal import SystemPackage

/// The options of `file.list`.
struct ListOptions: Codable {
    /// A shell pattern for the last component of a name; as in a shell, `*` does not match hidden files.
    var pattern: [UInt8]?
    /// Whether to enter directories, but not through symbolic links.
    var recursive: Bool?
    /// Whether to skip directories that cannot be read, instead of failing.
    var skipUnreadable: Bool?
}

/// The names of the entries of a directory, sorted by their bytes; with `recursive`, the paths relative to
/// the directory.
func listDirectory(
    _ context: WorkContext,
    _ directory: FilePath,
    _ options: ListOptions? = nil
) throws -> [[UInt8]] {
    let options = options ?? ListOptions()
    let pattern = options.pattern.map { $0.map(CChar.init(bitPattern:)) + [0] }
    var names: [[UInt8]] = []
    let root = try describing("list", directory, missing: "no such directory") { () throws(SystemCallError) in
        try FileHandle(directory, O_RDONLY | O_DIRECTORY)
    }
    // Directories that are still to be read, by their paths relative to the root.
    var pending: [[UInt8]] = [[]]
    while let way = pending.popLast() {
        do throws(SystemCallError) {
            let stream = try openDirectory(way, in: root.descriptor)
            defer { closedir(stream) }
            while let entry = try nextEntry(of: stream) {
                let path = way.isEmpty ? entry.name : way + [UInt8(ascii: "/")] + entry.name
                if options.recursive == true, try isDirectory(entry, of: stream) { pending.append(path) }
                if matches(entry.name, pattern) { names.append(path) }
                if names.count & 0xFFF == 0, context.isCancelled { break }
            }
        } catch {
            if options.skipUnreadable == true, !way.isEmpty { continue }
            let place = way.isEmpty ? directory : directory.appending(String(decoding: way, as: UTF8.self))
            throw ScriptError.cannot("list", place, error.code, missing: "no such directory")
        }
        try context.checkCancellation()
        context.progress.completedUnitCount = Int64(names.count)
    }
    names.sort { $0.lexicographicallyPrecedes($1) }
    return names
}

/// A name in a directory, and the type of the entry as far as the directory itself contains it.
struct DirectoryEntry {
    let name: [UInt8]
    let type: Int
}

/// Opens a directory by its path relative to another one.
func openDirectory(_ way: [UInt8], in root: CInt) throws(SystemCallError) -> OpaquePointer {
    let path = way.isEmpty ? [UInt8(ascii: "."), 0] : way + [0]
    let descriptor = try systemCall {
        path.withUnsafeBytes {
            linux_spare(
                openat(
                    root,
                    $0.assumingMemoryBound(to: CChar.self).baseAddress!,
                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
                )
            )
        }
    }
    guard let stream = fdopendir(descriptor) else {
        let code = errno
        close(descriptor)
        throw SystemCallError(code: code)
    }
    return stream
}

/// The next name except `.` and `..`; nil at the end.
func nextEntry(of stream: OpaquePointer) throws(SystemCallError) -> DirectoryEntry? {
    while true {
        errno = 0
        guard let entry = readdir(stream) else {
            if errno != 0 { throw SystemCallError(code: errno) }
            return nil
        }
        let type = Int(entry.pointee.d_type)
        // Read through the pointer, since the record may be shorter than its declared type.
        let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
        let start = UnsafeRawPointer(entry).advanced(by: offset)
        let length = strlen(start.assumingMemoryBound(to: CChar.self))
        let name = Array(UnsafeRawBufferPointer(start: start, count: length))
        if name == [UInt8(ascii: ".")] || name == [UInt8(ascii: "."), UInt8(ascii: ".")] { continue }
        return DirectoryEntry(name: name, type: type)
    }
}

/// Whether an entry is a directory itself, and not a link to one.
func isDirectory(_ entry: DirectoryEntry, of stream: OpaquePointer) throws(SystemCallError) -> Bool {
    guard entry.type == DT_UNKNOWN else { return entry.type == DT_DIR }
    // For file systems whose directories do not contain the type.
    var status = stat()
    let name = entry.name.map(CChar.init(bitPattern:)) + [0]
    try systemCall { fstatat(dirfd(stream), name, &status, AT_SYMLINK_NOFOLLOW) }
    return status.isDirectory
}

private func matches(_ name: [UInt8], _ pattern: [CChar]?) -> Bool {
    guard let pattern else { return true }
    return fnmatch(pattern, name.map(CChar.init(bitPattern:)) + [0], FNM_PERIOD) == 0
}
