internal import Synchronization
#if canImport(Glibc)
internal import Glibc
#endif

/// The end of a body for which a thread waits.
// @unchecked because the system's functions may be called on any thread, the memory lives as long as the object, and
// `lock` guards the result.
final class RemoteResult: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    private let result = Mutex<Result<ScriptValue, any Error>?>(nil)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func set(_ end: Result<ScriptValue, any Error>) {
        result.withLock { $0 = end }
        sem_post(semaphore)
    }

    func wait() throws -> ScriptValue {
        while sem_wait(semaphore) != 0, errno == EINTR {}
        guard let end = result.withLock({ $0 }) else { preconditionFailure("the body has ended") }
        return try end.get()
    }
}
