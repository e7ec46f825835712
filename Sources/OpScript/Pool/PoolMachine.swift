/// Decides which run of a pool gets an engine, and when engines are made ahead. Without threads.
///
/// At most `count` runs go on at once; others wait in the order in which they came. Ready engines are made ahead: one
/// for each run that could begin, and at least one.
struct PoolMachine<Waiter, Engine> {
    /// What is to be done after an input, in this order.
    enum Effect {
        /// The run that waited may use this engine.
        case begin(Waiter, Engine)
        /// The run that waited may begin; there was no engine ahead, so it makes one.
        case beginWithNew(Waiter)
        /// Make an engine ahead, and give it to ``engineIsReady(_:)``.
        case makeEngine
        /// The pool is shut down.
        case refuse(Waiter)
        case close(Engine)
    }

    let count: Int
    private(set) var runningCount = 0
    private(set) var isShutDown = false
    private var ready: [Engine] = []
    private var madeCount = 0
    private var waiters: [(number: Int, waiter: Waiter)] = []
    private var lastNumber = 0

    init(count: Int) { self.count = max(1, count) }

    /// How many runs wait.
    var waitingCount: Int { waiters.count }

    /// A run asks for an engine; its number is for ``cancel(_:)``.
    mutating func request(_ waiter: Waiter) -> (number: Int, [Effect]) {
        lastNumber += 1
        if isShutDown { return (lastNumber, [.refuse(waiter)]) }
        waiters.append((lastNumber, waiter))
        return (lastNumber, next())
    }

    /// A run that may still wait does not want an engine any more; nil if it does not wait.
    mutating func cancel(_ number: Int) -> Waiter? {
        guard let place = waiters.firstIndex(where: { $0.number == number }) else { return nil }
        return waiters.remove(at: place).waiter
    }

    /// An engine that was made ahead is ready.
    mutating func engineIsReady(_ engine: Engine) -> [Effect] {
        madeCount -= 1
        if isShutDown { return [.close(engine)] }
        ready.append(engine)
        return next()
    }

    /// A run has ended. Its engine is not used again.
    mutating func runEnded(_ engine: Engine) -> [Effect] {
        runningCount -= 1
        return [.close(engine)] + next()
    }

    /// Refuses everything from now on; runs that go on end.
    mutating func shutDown() -> [Effect] {
        isShutDown = true
        defer {
            ready = []
            waiters = []
        }
        return ready.map { .close($0) } + waiters.map { .refuse($0.waiter) }
    }

    /// Makes engines ahead, before there are runs.
    mutating func warmUp() -> [Effect] { next() }

    private mutating func next() -> [Effect] {
        if isShutDown { return [] }
        var effects: [Effect] = []
        while runningCount < count, !waiters.isEmpty {
            runningCount += 1
            let waiter = waiters.removeFirst().waiter
            if let engine = ready.popLast() {
                effects.append(.begin(waiter, engine))
            } else {
                effects.append(.beginWithNew(waiter))
            }
        }
        // One even while no other run could begin: the next one finds an engine when a run has just ended.
        let wanted = max(1, count - runningCount)
        while ready.count + madeCount < wanted {
            madeCount += 1
            effects.append(.makeEngine)
        }
        return effects
    }
}
