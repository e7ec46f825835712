internal import Glibc
internal import LinuxEvents

/// Files and directories whose changes are wanted: one `inotify` for all of them.
struct FileWatches {
    private struct Interest {
        let changes: FileChange
        let number: UInt64
    }

    private struct Entry {
        let path: [CChar]
        var observer: FileObserver
        var interests: [Interest]
    }

    private(set) var descriptor: Int32 = -1
    /// By the kernel's number of the watch.
    private var entries: [Int32: Entry] = [:]

    /// True where it was opened just now.
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
        let interest = Interest(changes: changes, number: number)
        if entries[watch] == nil {
            entries[watch] = Entry(path: path, observer: observer, interests: [interest])
        } else {
            entries[watch]?.interests.append(interest)
        }
        return watch
    }

    mutating func remove(_ watch: Int32, _ number: UInt64) {
        // The file may have been replaced since, so that the number is another one.
        for (watch, entry) in entries where entry.interests.contains(where: { $0.number == number }) {
            let rest = entry.interests.filter { $0.number != number }
            entries[watch]?.interests = rest
            if rest.isEmpty {
                entries[watch] = nil
                inotify_rm_watch(descriptor, watch)
            }
        }
    }

    /// Reads what the kernel has to tell: for whom, what, and whether it is the last of it.
    mutating func takeChanges() -> [(number: UInt64, changes: FileChange, isGone: Bool)] {
        var told: [(number: UInt64, changes: FileChange, isGone: Bool)] = []
        let size = 16_384
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
            guard let base = buffer.baseAddress else { return }
            let count = read(descriptor, base, size)
            var offset = 0
            while offset + MemoryLayout<inotify_event>.size <= count {
                let record = base.load(fromByteOffset: offset, as: inotify_event.self)
                offset += MemoryLayout<inotify_event>.size + Int(record.len)
                if record.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                    tellAll(&told)
                } else {
                    take(record.wd, record.mask, &told)
                }
            }
        }
        return told
    }

    /// Records were lost: anything may have happened.
    private func tellAll(_ told: inout [(number: UInt64, changes: FileChange, isGone: Bool)]) {
        for interest in entries.values.flatMap(\.interests) {
            told.append((interest.number, interest.changes, false))
        }
    }

    private mutating func take(
        _ watch: Int32,
        _ mask: UInt32,
        _ told: inout [(number: UInt64, changes: FileChange, isGone: Bool)]
    ) {
        guard var entry = entries[watch] else { return }
        let look = entry.observer.needsLook(mask) ? Self.look(entry.path) : nil
        var verdict = entry.observer.happened(mask, look: look)
        entries[watch] = entry
        if verdict.wasReplaced { follow(watch, &verdict) }
        if verdict.isGone {
            entries[watch] = nil
            if mask & UInt32(IN_IGNORED) == 0 { inotify_rm_watch(descriptor, watch) }
        }
        for interest in entry.interests {
            let changes = verdict.changes.intersection(interest.changes)
            if !changes.isEmpty || verdict.isGone { told.append((interest.number, changes, verdict.isGone)) }
        }
    }

    /// Goes on with the file that is at the path now.
    private mutating func follow(_ watch: Int32, _ verdict: inout FileObserver.Verdict) {
        guard let entry = entries.removeValue(forKey: watch) else { return }
        inotify_rm_watch(descriptor, watch)
        let next = inotify_add_watch(descriptor, entry.path, entry.observer.mask)
        guard next >= 0 else {
            verdict.isGone = true
            return
        }
        if entries[next] == nil {
            entries[next] = entry
        } else {
            entries[next]?.interests += entry.interests
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
