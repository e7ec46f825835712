#if canImport(Glibc)
internal import CLinux
internal import Glibc
#else
internal import Darwin
#endif

/// The thread on which the process began, and which the main actor uses.
enum MainThread {
    /// Whether the calling thread is the main one.
    static var isCurrent: Bool {
        #if os(Linux)
        linux_thread_id() == getpid()
        #else
        pthread_main_np() != 0
        #endif
    }
}
