/// Decides which thread takes a piece of work: a spare one, a new one, or the next one that is free.
///
/// Threads are called step by step. While as many as there are cores were called and have not begun, further calls
/// wait: a thread that is still to begin would find no core, and a thread that ends its work meanwhile can do theirs.
/// Each thread that begins calls the next one, so nothing waits for the end of something else.
struct SpareThreadMachine<Spare: AnyObject, Life> {
    /// An order to the caller, to be followed outside the lock.
    enum Order {
        case wake(Spare, Life)
        /// Start a thread; if the system refuses it, ``refused(_:)`` follows.
        case start(Life)
    }

    /// How many threads were called and have not begun at most.
    let mostComing: Int
    private var comingCount = 0
    /// Last in, first out, because the caches of the last thread are warm.
    private var spares: [Spare] = []
    /// Those that wait: the later ones in order, and the first ones in reverse order.
    private var later: [Life] = []
    private var first: [Life] = []

    init(mostComing: Int) { self.mostComing = mostComing }

    var spareCount: Int { spares.count }

    /// Something needs a thread; nil if the next thread that begins or is free cares for it.
    mutating func call(_ life: Life) -> Order? {
        guard comingCount < mostComing else {
            later.append(life)
            return nil
        }
        return order(life)
    }

    /// A thread that was called has begun.
    mutating func began() -> Order? {
        comingCount -= 1
        return next().map { order($0) }
    }

    /// A thread has ended its work; returns what it does next, nil if it is spare now.
    mutating func ended(_ spare: Spare) -> Life? {
        if let life = next() { return life }
        spares.append(spare)
        return nil
    }

    /// A spare thread has waited long enough; returns whether it may exit. Otherwise it has just been called.
    mutating func leaves(_ spare: Spare) -> Bool {
        guard let place = spares.firstIndex(where: { $0 === spare }) else { return false }
        spares.remove(at: place)
        return true
    }

    /// The system has refused a thread; what was to run waits, if it is given.
    ///
    /// - Returns: Whether something waits, and no thread comes that would call the next one: the caller has to try
    ///   again later, by ``again()``.
    mutating func refused(_ life: Life?) -> Bool {
        comingCount -= 1
        if let life { first.append(life) }
        return isStuck
    }

    /// Calls a thread again for what waits, if no other comes.
    mutating func again() -> Order? { isStuck ? next().map { order($0) } : nil }

    private var isStuck: Bool { comingCount == 0 && !(first.isEmpty && later.isEmpty) }

    private mutating func order(_ life: Life) -> Order {
        comingCount += 1
        return spares.popLast().map { .wake($0, life) } ?? .start(life)
    }

    private mutating func next() -> Life? {
        if first.isEmpty { swap(&first, &later); first.reverse() }
        return first.popLast()
    }
}
