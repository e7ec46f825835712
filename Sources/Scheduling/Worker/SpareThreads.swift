internal import Synchronization

/// Threads that have done their work and wait for more for a while.
///
/// Starting a thread costs about fifty microseconds; waking one costs a few. All engines of a process take
/// their threads from here and give them back, except those that need a niceness of their own: a process
/// without privileges could not take it back.
package enum SpareThreads {
    /// How long a spare thread waits before it exits, in nanoseconds.
    private static let idleTime: Int64 = 100_000_000
    /// The stack size is enough for Lua, which nests up to 200 C calls deep, and for Swift closures on top of
    /// that. Memory that is not touched costs nothing.
    private static let stackSize = 16 << 20
    /// Last in, first out, because the caches of the last thread are warm.
    private static let spares = Mutex<[SpareThread]>([])

    /// Runs `body` on a spare thread or on a new one.
    ///
    /// - Returns: False if there is no spare thread, and the system refuses a new one.
    package static func run(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let life = SpareThread.Life(name: name, body: body)
        if let spare = spares.withLock({ $0.popLast() }) {
            spare.begin(life)
            return true
        }
        // The thread's own closure does not retain the first body, since that closure lives as long as the
        // thread.
        let spare = SpareThread(life)
        return SystemThread.start(name: name, stackSize: stackSize) { spare.live(as: name) }
    }

    /// How many threads wait for something to do.
    package static var count: Int { spares.withLock { $0.count } }

    fileprivate static func add(_ spare: SpareThread) { spares.withLock { $0.append(spare) } }

    /// Sleeps until the spare thread has something to do; false if it waited too long and is no longer a
    /// spare thread.
    fileprivate static func rest(_ spare: SpareThread, _ parker: Parker) -> Bool {
        if parker.park(nanoseconds: idleTime) { return true }
        let isRemoved = spares.withLock { spares in
            guard let place = spares.firstIndex(where: { $0 === spare }) else { return false }
            spares.remove(at: place)
            return true
        }
        if isRemoved { return false }
        // Another thread has just taken it, and is about to wake it.
        parker.park()
        return true
    }
}

/// A thread that serves several purposes, one after the other.
private final class SpareThread: Sendable {
    struct Life: Sendable {
        let name: String
        let body: @Sendable () -> Void
    }

    private let parker = Parker()
    private let next: Mutex<Life?>

    init(_ first: Life) { next = Mutex(first) }

    /// Gives work to the thread, which is no longer a spare thread.
    func begin(_ life: Life) {
        next.withLock { $0 = life }
        parker.unpark()
    }

    /// Called on the thread itself.
    ///
    /// - Parameter name: The name that the thread has already.
    func live(as name: String) {
        var name = name
        while true {
            perform(&name)
            SpareThreads.add(self)
            guard SpareThreads.rest(self, parker) else { return }
        }
    }

    /// No object of one use is kept after its end.
    private func perform(_ name: inout String) {
        guard let life = next.withLock({ $0.take() }) else { return }
        if life.name != name {
            SystemThread.rename(life.name)
            name = life.name
        }
        life.body()
    }
}
