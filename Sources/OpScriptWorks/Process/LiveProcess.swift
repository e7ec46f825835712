internal import Glibc
internal import CLinux
internal import SystemPackage

/// Processes that have not ended, as `/proc` lists them.
struct LiveProcess: Equatable {
    let number: pid_t
    let parent: pid_t
    let group: pid_t
    let session: pid_t

    /// All processes; nil if they cannot be listed.
    static func all() -> [LiveProcess]? {
        guard let numbers = numbers(in: "/proc") else { return nil }
        var processes: [LiveProcess] = []
        for number in numbers {
            do throws(SystemCallError) {
                if let process = try LiveProcess(number) { processes.append(process) }
            } catch {
                return nil
            }
        }
        return processes
    }

    /// Names of a folder that are numbers; nil if it cannot be read.
    private static func numbers(in folder: String) -> [pid_t]? {
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var numbers: [pid_t] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else { return errno == 0 ? numbers : nil }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let number = pid_t(name) { numbers.append(number) }
        }
    }

    /// The process with a number; nil if it has ended.
    ///
    /// - Throws: If that is not known.
    private init?(_ number: pid_t) throws(SystemCallError) {
        var line = [UInt8](repeating: 0, count: 512)
        do throws(SystemCallError) {
            let file = try FileHandle(FilePath("/proc/\(number)/stat"), O_RDONLY)
            let count = try systemCall { read(file.descriptor, &line, line.count) }
            self.init(number, status: line[..<count])
        } catch {
            guard error.code == ENOENT || error.code == ESRCH else { throw error }
            return nil
        }
    }

    /// The processes of a group; nil if they cannot be listed.
    static func members(of group: pid_t) -> [pid_t]? {
        all()?.filter { $0.group == group }.map(\.number)
    }

    /// From a line of `/proc/N/stat`, `17 (name) S parent group session …`; nil for one that has ended.
    init?(_ number: pid_t, status line: some BidirectionalCollection<UInt8>) {
        // The name may hold anything.
        guard let bracket = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[line.index(after: bracket)...].split(separator: UInt8(ascii: " "), maxSplits: 4)
        guard fields.count > 3, let state = fields[0].first,
            ![UInt8(ascii: "Z"), UInt8(ascii: "X")].contains(state),
            let parent = pid_t(String(decoding: fields[1], as: UTF8.self)),
            let group = pid_t(String(decoding: fields[2], as: UTF8.self)),
            let session = pid_t(String(decoding: fields[3], as: UTF8.self))
        else { return nil }
        (self.number, self.parent, self.group, self.session) = (number, parent, group, session)
    }

    /// The processes that descend from one, itself excluded.
    ///
    /// - Complexity: O(descendants) if the kernel lists children, otherwise O(processes).
    static func descendants(of ancestor: pid_t) -> [LiveProcess] {
        guard access("/proc/thread-self/children", R_OK) == 0 else {
            return all().map { descendants(of: ancestor, among: $0) } ?? []
        }
        var found: [LiveProcess] = []
        var next = children(of: ancestor)
        while let number = next.popLast() {
            if let process = try? LiveProcess(number) { found.append(process) }
            next += children(of: number)
        }
        return found
    }

    /// The children of all threads of a process.
    private static func children(of process: pid_t) -> [pid_t] {
        let tasks = "/proc/\(process)/task"
        return (numbers(in: tasks) ?? []).flatMap { task -> [pid_t] in
            guard let file = try? FileHandle(FilePath("\(tasks)/\(task)/children"), O_RDONLY) else {
                return []
            }
            var text: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 4096)
            while let count = try? systemCall({ read(file.descriptor, &piece, piece.count) }), count > 0 {
                text += piece[..<count]
            }
            return text.split(separator: UInt8(ascii: " ")).compactMap {
                pid_t(String(decoding: $0, as: UTF8.self))
            }
        }
    }

    /// The processes that descend from one, itself excluded, in a list of all.
    static func descendants(of ancestor: pid_t, among all: [LiveProcess]) -> [LiveProcess] {
        let children = Dictionary(grouping: all, by: \.parent)
        var found: [LiveProcess] = []
        var next = children[ancestor] ?? []
        while let process = next.popLast() {
            found.append(process)
            next += children[process.number] ?? []
        }
        return found
    }
}
