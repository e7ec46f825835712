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
    private static let machine = Mutex(
        SpareThreadMachine<SpareThread, SpareThread.Life>(mostComing: SystemThread.coreCount)
    )
    /// The delay before another request for a thread that the system refused.
    private static let refusalPause = Duration.milliseconds(5)

    /// Runs `body` on a spare thread or on a new one, soon.
    ///
    /// - Returns: False if there is no spare thread, and the system refuses a new one.
    package static func run(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let life = SpareThread.Life(name: name, body: body)
        guard let order = machine.withLock({ $0.call(life) }), !follow(order) else { return true }
        if machine.withLock({ $0.refused(nil) }) { tryLater() }
        return false
    }

    /// Wakes or starts a thread; false if the system refuses it.
    private static func follow(_ order: SpareThreadMachine<SpareThread, SpareThread.Life>.Order) -> Bool {
        switch order {
        case .wake(let spare, let life):
            spare.begin(life)
            return true
        case .start(let life):
            let spare = SpareThread(life)
            // The thread's own closure lives as long as the thread: it keeps only the name, not the first body.
            return SystemThread.start(name: life.name, stackSize: stackSize) { [name = life.name] in
                spare.live(as: name)
            }
        }
    }

    /// Follows an order for something that waits, and cannot be refused any more.
    private static func followSurely(_ order: SpareThreadMachine<SpareThread, SpareThread.Life>.Order) {
        guard !follow(order), case .start(let life) = order else { return }
        if machine.withLock({ $0.refused(life) }) { tryLater() }
    }

    private static func tryLater() {
        Task {
            try? await Task.sleep(for: refusalPause)
            if let order = machine.withLock({ $0.again() }) { followSurely(order) }
        }
    }

    /// A thread that was called begins.
    fileprivate static func begins() {
        if let order = machine.withLock({ $0.began() }) { followSurely(order) }
    }

    /// The next work of a thread that has ended its work; nil if the thread is spare now.
    fileprivate static func next(for spare: SpareThread) -> SpareThread.Life? {
        machine.withLock { $0.ended(spare) }
    }

    // MARK: Staying

    /// How many threads wait in the engine that they last served.
    private static let stayingCount = Atomic<Int>(0)
    /// A process with one engine needs fewer.
    private static let mostStaying = 2 * SystemThread.coreCount

    /// Whether a thread without work may wait in its engine for a moment, which saves a change of threads if more
    /// work comes; ``endStay()`` has to follow. Few threads of a process may: with many engines, each would keep
    /// threads that the others then have to start.
    package static func beginStay() -> Bool {
        if stayingCount.add(1, ordering: .relaxed).newValue <= mostStaying { return true }
        endStay()
        return false
    }

    package static func endStay() { stayingCount.subtract(1, ordering: .relaxed) }

    /// How many threads wait for something to do.
    package static var count: Int { machine.withLock { $0.spareCount } }

    /// Sleeps until the spare thread has something to do; false if it waited too long and is no longer a
    /// spare thread.
    fileprivate static func rest(_ spare: SpareThread, _ parker: Parker) -> Bool {
        if parker.park(nanoseconds: idleTime) { return true }
        if machine.withLock({ $0.leaves(spare) }) { return false }
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
        repeat {
            SpareThreads.begins()
            perform(&name)
        } while SpareThreads.rest(self, parker)
    }

    /// Does all that there is to do.
    private func perform(_ name: inout String) {
        perform(next.withLock { $0.take() }, &name)
        while let life = SpareThreads.next(for: self) { perform(consume life, &name) }
    }

    /// No object of one use is kept after its end.
    private func perform(_ life: consuming Life?, _ name: inout String) {
        guard let life else { return }
        if life.name != name {
            SystemThread.rename(life.name)
            name = life.name
        }
        life.body()
    }
}
