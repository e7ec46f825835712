internal import Glibc
internal import CLinux

/// Watches of files and directories: one `inotify` serves all of them.
struct FileWatches {
    /// A watcher of a file, with a path of its own: a file may have several paths.
    private struct Interest {
        let number: UInt64
        let path: [CChar]
        let changes: FileChange
        var observer: FileObserver
    }

    private(set) var descriptor: Int32 = -1
    /// The interests in each watch. The key is the kernel's number of the watch.
    private var interests: [Int32: [Interest]] = [:]

    /// True if it was opened just now.
    mutating func open() throws(SystemFailure) -> Bool {
        if descriptor >= 0 { return false }
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { throw .last() }
        return true
    }

    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// The kernel's number of the watch: the same for the same file.
    mutating func add(_ path: [UInt8], _ changes: FileChange, for number: UInt64) throws(SystemFailure)
        -> Int32
    {
        let path = path.map { CChar(bitPattern: $0) } + [0]
        var status = stat()
        guard stat(path, &status) == 0 else { throw .last() }
        let observer = FileObserver(isDirectory: status.st_mode & S_IFMT == S_IFDIR, facts: FileFacts(status))
        let watch = inotify_add_watch(descriptor, path, observer.mask)
        guard watch >= 0 else { throw .last() }
        interests[watch, default: []].append(
            Interest(number: number, path: path, changes: changes, observer: observer)
        )
        return watch
    }

    mutating func remove(_ watch: Int32, _ number: UInt64) {
        if removeInterest(watch, number) { return }
        // The file has been replaced since, so the watch has another number now.
        for other in Array(interests.keys) where removeInterest(other, number) { return }
    }

    private mutating func removeInterest(_ watch: Int32, _ number: UInt64) -> Bool {
        guard let place = interests[watch]?.firstIndex(where: { $0.number == number }) else { return false }
        interests[watch]?.remove(at: place)
        if interests[watch]?.isEmpty == true { forget(watch) }
        return true
    }

    private mutating func forget(_ watch: Int32) {
        interests[watch] = nil
        inotify_rm_watch(descriptor, watch)
    }

    /// The changes of the file of each watcher, in order of the first change.
    struct Changes {
        private(set) var all: [(number: UInt64, changes: FileChange, isGone: Bool)] = []
        private var places: [UInt64: Int] = [:]

        mutating func add(_ number: UInt64, _ changes: FileChange, isGone: Bool = false) {
            if let place = places[number] {
                all[place].changes.formUnion(changes)
                all[place].isGone = all[place].isGone || isGone
            } else {
                places[number] = all.count
                all.append((number, changes, isGone))
            }
        }
    }

    /// Reads the kernel's records, and returns for each watcher its changes and whether they are the last
    /// event.
    mutating func takeChanges() -> Changes {
        var told = Changes()
        let size = 16_384
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
            guard let base = buffer.baseAddress else { return }
            let count = read(descriptor, base, size)
            var offset = 0
            while offset + MemoryLayout<inotify_event>.size <= count {
                let record = base.load(fromByteOffset: offset, as: inotify_event.self)
                offset += MemoryLayout<inotify_event>.size + Int(record.len)
                if record.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                    // Records were lost: anything may have happened.
                    for interest in interests.values.joined() { told.add(interest.number, interest.changes) }
                } else {
                    take(record.wd, record.mask, &told)
                }
            }
        }
        return told
    }

    private mutating func take(_ watch: Int32, _ mask: UInt32, _ told: inout Changes) {
        guard var list = interests[watch] else { return }
        var looks: [[CChar]: FileObserver.Look] = [:]
        var rest: [Interest] = []
        var replaced: [Interest] = []
        for index in list.indices {
            var look: FileObserver.Look?
            if list[index].observer.needsLook(mask) {
                let path = list[index].path
                look = looks[path] ?? Self.look(path)
                looks[path] = look
            }
            let verdict = list[index].observer.happened(mask, look: look)
            let interest = list[index]
            if verdict.wasReplaced {
                replaced.append(interest)
            } else if !verdict.isGone {
                rest.append(interest)
            }
            let changes = verdict.changes.intersection(interest.changes)
            if !changes.isEmpty || verdict.isGone {
                told.add(interest.number, changes, isGone: verdict.isGone)
            }
        }
        interests[watch] = rest
        if rest.isEmpty { forget(watch) }
        for interest in replaced { follow(interest, &told) }
    }

    /// Continues with the file that is at the path now.
    private mutating func follow(_ interest: Interest, _ told: inout Changes) {
        let watch = inotify_add_watch(descriptor, interest.path, interest.observer.mask)
        if watch >= 0 {
            interests[watch, default: []].append(interest)
        } else {
            told.add(interest.number, [], isGone: true)
        }
    }

    private static func look(_ path: [CChar]) -> FileObserver.Look {
        var status = stat()
        return stat(path, &status) == 0 ? .facts(FileFacts(status)) : .nothing
    }
}

extension FileFacts {
    fileprivate init(_ status: stat) {
        self.init(
            device: UInt(status.st_dev),
            inode: UInt(status.st_ino),
            linkCount: UInt(status.st_nlink),
            size: Int(status.st_size)
        )
    }
}
