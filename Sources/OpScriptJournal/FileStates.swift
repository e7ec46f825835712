#if Journal
internal import Glibc
internal import OpScript

/// The content of a file, as far as two runs compare it.
enum FileContent: Equatable, Sendable {
    case missing
    case digest(Digest256)

    /// A few digits, for explanations.
    var text: String {
        switch self {
        case .missing: "missing"
        case .digest(let digest): String(digest.text.prefix(12))
        }
    }

    /// Empty for a missing file.
    var bytes: [UInt8] {
        switch self {
        case .missing: []
        case .digest(let digest): digest.bytes
        }
    }

    init(bytes: [UInt8]) {
        self = Digest256(bytes: bytes).map { .digest($0) } ?? .missing
    }
}

/// By these numbers a file is recognised as one that was read before.
struct FileIdentity: Equatable, Sendable {
    var device: Int64
    var inode: Int64
    var size: Int64
    /// Nanoseconds since 1970.
    var modified: Int64
    var changed: Int64

    private init(_ status: stat) {
        device = Int64(bitPattern: UInt64(status.st_dev))
        inode = Int64(bitPattern: UInt64(status.st_ino))
        size = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        changed = Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
    }

    /// nil if there is no such file.
    init?(_ path: String, isFolder: inout Bool) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        self.init(status)
    }

    /// Those of a symbolic link itself; nil for anything else.
    init?(link path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return nil }
        self.init(status)
    }

    init(device: Int64, inode: Int64, size: Int64, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    /// The later one of its two times.
    var newest: Int64 { max(modified, changed) }
}

/// A file that was read: its numbers, when that was, and its digest.
struct KnownFile: Sendable {
    var identity: FileIdentity
    /// By the clock of the system.
    var readAt: Int64
    var digest: Digest256
    /// When this content was read for the first time.
    var firstReadAt: Int64
    /// When it was read for the first time with these numbers.
    var sameSince: Int64

    init(identity: FileIdentity, readAt: Int64, digest: Digest256) {
        self.identity = identity
        self.readAt = readAt
        self.digest = digest
        firstReadAt = readAt
        sameSince = readAt
    }

    /// The kernel's clock for files is so coarse; a file that changed within this time before it was read may change
    /// again without a trace in its numbers.
    static let coarseness: Int64 = 20_000_000

    /// Whether a file with these numbers need not be read again. False if the clock was set back since.
    func holds(for identity: FileIdentity) -> Bool {
        self.identity == identity && readAt &- identity.newest > Self.coarseness
    }
}

/// Reads files for their digests.
enum FileReading {
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// The digest of a file, or of the names in a folder; nil if it cannot be read.
    static func content(_ path: String, isFolder: Bool) -> Digest256? {
        if isFolder { return folder(path) }
        // A pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var sum = Digest256Sum()
        var status = stat()
        // Devices, pipes and sockets have no content that could change.
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFREG { return sum.finish() }
        return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { return nil }
                if count == 0 { return sum.finish() }
                sum.take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }

    private static func folder(_ path: String) -> Digest256? {
        guard let stream = opendir(path) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
            )
        }
        let text = names.sorted().joined(separator: "\0")
        return Array(text.utf8).withUnsafeBytes { Digest256(of: $0) }
    }

    /// All bytes of a small file; nil if it cannot be read.
    static func bytes(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return result }
            result += buffer[..<count]
        }
    }

    /// Writes a file beside its place, and puts it there.
    ///
    /// - Parameter isSynced: Whether it survives a failure of the power from then on.
    static func write(_ bytes: [UInt8], to path: String, isSynced: Bool) -> Bool {
        // Two threads may write the same result.
        let draft = "\(path).\(getpid()).\(UInt(pthread_self())).tmp"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { return false }
        var isWritten = true
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let count = Glibc.write(
                    descriptor,
                    buffer.baseAddress?.advanced(by: done),
                    buffer.count - done
                )
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    isWritten = false
                    return
                }
                done += count
            }
        }
        if isSynced, fsync(descriptor) != 0 { isWritten = false }
        if close(descriptor) != 0 { isWritten = false }
        guard isWritten, rename(draft, path) == 0 else {
            unlink(draft)
            return false
        }
        return true
    }
}
#endif
