internal import Glibc
internal import CLinux
internal import SystemPackage

/// Processes that belong to a group, as `/proc` lists them.
enum ProcessGroup {
    /// The processes of a group that have not ended; nil if they cannot be listed.
    static func members(of group: pid_t) -> [pid_t]? {
        guard let directory = opendir("/proc") else { return nil }
        defer { closedir(directory) }
        var members: [pid_t] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let process = pid_t(name) else { continue }
            do throws(SystemCallError) {
                if try Self.group(of: process) == group { members.append(process) }
            } catch {
                // It has ended meanwhile; after any other error, the group is unknown.
                guard error.code == ENOENT || error.code == ESRCH else { return nil }
            }
        }
        return errno == 0 ? members : nil
    }

    /// The group of a process that has not ended, otherwise nil.
    private static func group(of process: pid_t) throws(SystemCallError) -> pid_t? {
        let file = try FileHandle(FilePath("/proc/\(process)/stat"), O_RDONLY)
        var line = [UInt8](repeating: 0, count: 512)
        let count = try systemCall { read(file.descriptor, &line, line.count) }
        return liveGroup(inStatus: line[..<count])
    }

    /// The group in a line of `/proc/N/stat`, `17 (name) S parent group …`; nil for one that has ended.
    static func liveGroup(inStatus line: some BidirectionalCollection<UInt8>) -> pid_t? {
        // The name may hold anything.
        guard let bracket = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[line.index(after: bracket)...].split(separator: UInt8(ascii: " "), maxSplits: 3)
        guard fields.count > 2, let state = fields[0].first,
            ![UInt8(ascii: "Z"), UInt8(ascii: "X")].contains(state)
        else { return nil }
        return pid_t(String(decoding: fields[2], as: UTF8.self))
    }
}
