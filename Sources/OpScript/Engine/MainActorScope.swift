internal import CLinux
internal import Synchronization

/// The time in which Lua runs on the main actor.
///
/// On Linux, the main actor is not bound to the main thread: in a program with an `async` main function, its jobs run
/// on other threads.
final class MainActorScope: Sendable {
    @TaskLocal private static var current: MainActorScope?

    private let thread = linux_thread_id()
    private let isActive = Atomic<Bool>(true)

    /// Runs a body that belongs to the main actor.
    @MainActor static func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        let scope = MainActorScope()
        defer { scope.isActive.store(false, ordering: .relaxed) }
        return try $current.withValue(scope) { try body() }
    }

    /// Whether the code that runs is isolated to the main actor. A task that was made in the scope inherits it, and is
    /// not.
    static var isInside: Bool {
        if MainThread.isCurrent { return true }
        guard let current, current.thread == linux_thread_id() else { return false }
        return current.isActive.load(ordering: .relaxed)
    }
}
