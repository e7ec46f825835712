/// Decides which run of a pool gets an engine, and when engines are prepared. It has no threads.
///
/// At most `count` runs are in progress at once; others wait, first come, first served. Engines are prepared
/// in advance: one for each run that could begin, and at least one.
struct PoolMachine<Waiter, Engine> {
    /// The actions after an input, in this order.
    enum Effect {
        /// The run that waited may use this engine.
        case begin(Waiter, Engine)
        /// The run that waited may begin; no prepared engine was left, so the run creates one.
        case beginWithNew(Waiter)
        /// Prepare an engine, and pass it to ``engineIsReady(_:)``.
        case makeEngine
        /// The pool is shut down.
        case refuse(Waiter)
        case close(Engine)
    }

    let count: Int
    private(set) var runningCount = 0
    private(set) var isShutDown = false
    /// Whether it takes no new runs; those that wait still begin.
    private(set) var isDraining = false
    private var ready: [Engine] = []
    private var madeCount = 0
    private var waiters: [(number: Int, waiter: Waiter)] = []
    private var lastNumber = 0

    init(count: Int) { self.count = max(1, count) }

    /// How many runs wait.
    var waitingCount: Int { waiters.count }

    /// A run requests an engine; returns its number for ``cancel(_:)``.
    mutating func request(_ waiter: Waiter) -> (number: Int, [Effect]) {
        lastNumber += 1
        if isShutDown || isDraining { return (lastNumber, [.refuse(waiter)]) }
        waiters.append((lastNumber, waiter))
        return (lastNumber, next())
    }

    /// A run that may still wait no longer needs an engine; nil if it does not wait.
    mutating func cancel(_ number: Int) -> Waiter? {
        guard let place = waiters.firstIndex(where: { $0.number == number }) else { return nil }
        return waiters.remove(at: place).waiter
    }

    /// A prepared engine is ready.
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

    /// Refuses new runs from now on.
    mutating func drain() { isDraining = true }

    /// Whether no run is in progress, and none waits.
    var isQuiet: Bool { runningCount == 0 && waiters.isEmpty }

    /// Refuses everything from now on; runs in progress end.
    mutating func shutDown() -> [Effect] {
        isShutDown = true
        defer {
            ready = []
            waiters = []
        }
        return ready.map { .close($0) } + waiters.map { .refuse($0.waiter) }
    }

    /// Prepares engines before there are runs.
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
        // One engine is prepared even while no other run could begin, so that the next run finds an engine
        // when a run has just ended.
        let wanted = max(1, count - runningCount)
        while ready.count + madeCount < wanted {
            madeCount += 1
            effects.append(.makeEngine)
        }
        return effects
    }
}
