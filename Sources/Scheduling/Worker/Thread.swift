#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
// The headers of `CLinux` declare the C library's `timespec` once more.
internal import CLinux

/// Starts threads of the operating system.
package enum SystemThread {
    /// Runs `body` on a new detached thread, whatever the niceness of the calling thread.
    ///
    /// - Returns: False if the system refuses a new thread.
    package static func start(
        name: String,
        stackSize: Int = 0,
        niceness: Int32 = 0,
        _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        if niceness > 0 { ThreadSource.shared.prepare() }
        guard ThreadSource.shared.isNeeded else {
            return startHere(name: name, stackSize: stackSize, niceness: niceness, body)
        }
        return ThreadSource.shared.start {
            startHere(name: name, stackSize: stackSize, niceness: niceness, body)
        }
    }

    /// The same; the new thread begins with the niceness of the calling thread.
    static func startHere(
        name: String,
        stackSize: Int = 0,
        niceness: Int32 = 0,
        _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        let start = ThreadStart(name: name, niceness: niceness, body: body)
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        if stackSize > 0 { pthread_attr_setstacksize(&attributes, stackSize) }
        var thread = pthread_t()
        let context = Unmanaged.passRetained(start)
        guard pthread_create(&thread, &attributes, threadMain, context.toOpaque()) == 0 else {
            context.release()
            return false
        }
        return true
    }

    /// The kernel's ID of the calling thread.
    package static var currentID: Int32 { linux_thread_id() }

    /// Names the calling thread for debuggers; the kernel keeps 15 bytes.
    static func rename(_ name: String) {
        _ = String(decoding: name.utf8.prefix(15), as: UTF8.self).withCString {
            linux_name_thread(pthread_self(), $0)
        }
    }

    /// How many cores there are.
    package static let coreCount = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    /// Whether a thread sleeps in the kernel: it waits for a file, a lock or a timer.
    package static func isBlocked(_ thread: Int32) -> Bool {
        let file = open("/proc/self/task/\(thread)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        // "1234 (name) S …": the name may hold anything, so the state is searched from its closing bracket.
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            guard count > 0 else { return false }
            let bytes = buffer[..<count]
            guard let bracket = bytes.lastIndex(of: UInt8(ascii: ")")), bracket + 2 < count else {
                return false
            }
            let state = bytes[bracket + 2]
            return state == UInt8(ascii: "S") || state == UInt8(ascii: "D")
        }
    }
}

/// The parameters of a new thread; handed over retained.
private final class ThreadStart: Sendable {
    let name: String
    let niceness: Int32
    let body: @Sendable () -> Void

    init(name: String, niceness: Int32, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.niceness = niceness
        self.body = body
    }
}

private func threadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
    SystemThread.rename(start.name)
    if start.niceness != 0 {
        // On Linux niceness belongs to a thread. If the process is not permitted to change it, it stays as it is.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, start.niceness)
    }
    start.body()
    return nil
}
