internal import Glibc
internal import Synchronization

/// The result of a task for which a thread waits.
// @unchecked because the system's functions may be called on any thread, the memory lives as long as the object, and
// `result` is guarded.
package final class BlockingResult<Value: Sendable>: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    private let result = Mutex<Value?>(nil)

    package init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Starts a task, and returns its result. The calling thread waits.
    package static func of(_ body: @escaping @Sendable () async -> Value) -> Value {
        let box = BlockingResult()
        Task { box.set(await body()) }
        return box.wait()
    }

    /// Sets the result, once.
    package func set(_ value: Value) {
        result.withLock { $0 = value }
        sem_post(semaphore)
    }

    /// Waits for the result, once.
    package func wait() -> Value {
        while sem_wait(semaphore) != 0, errno == EINTR {}
        guard let value = result.withLock({ $0 }) else { preconditionFailure("the task has ended") }
        return value
    }
}
