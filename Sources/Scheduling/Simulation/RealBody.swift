/// A real body that executes although time is virtual: on a thread of its own, or as a Swift task.
///
/// Its end is taken in when the reader of events asks for it, in an order that does not depend on how fast the body is.
struct RealBody {
    let id: OperationID
    /// Whether it is a Swift task, which may wait for something that other bodies do.
    let isTask: Bool
    /// Set once it has ended: the error that it threw, and the moment on the system's clock.
    var end: (failure: (any Error)?, moment: Int64)?
}

extension Scheduler {
    /// How long an end waits for bodies that started earlier: for example for a server that ends only if its user
    /// cancels it.
    private static let patience: Int64 = 5_000_000_000

    /// Whether the ends of bodies are taken in by ``takeInRealEnds()``.
    var ordersRealEnds: Bool {
        if case .simulated = executor { true } else { false }
    }

    /// A real body is about to begin. Under the lock.
    func realBodyBegins(_ id: OperationID, isTask: Bool, _ core: SchedulerCore) {
        core.shell.realBodies.append(RealBody(id: id, isTask: isTask))
    }

    /// A real body has ended. On any thread.
    func realBodyEnded(_ id: OperationID, _ failure: (any Error)?) {
        visit { core in
            guard let place = core.shell.realBodies.firstIndex(where: { $0.id == id && $0.end == nil }) else {
                return core.bodyEnded(id, failure)
            }
            core.shell.realBodies[place].end = (failure, SchedulerClock.systemNow)
        }
        wakeReader()
    }

    /// Takes in the ends of real bodies, in the order in which the bodies started.
    ///
    /// The caller calls this when nothing else can run. Those on threads come first, once all of them have ended; then
    /// the tasks, once all of them have ended.
    /// - Returns: Whether there was one; and the moment on the system's clock at which to ask again in any
    ///   case, if some have ended and wait for others.
    package func takeInRealEnds() -> (isAnyTaken: Bool, nextMoment: Int64?) {
        feed { core in
            let hasThreads = core.shell.realBodies.contains { !$0.isTask }
            let places = core.shell.realBodies.indices
            let group = places.filter { core.shell.realBodies[$0].isTask != hasThreads }
            let ended = group.filter { core.shell.realBodies[$0].end != nil }
            guard let first = ended.compactMap({ core.shell.realBodies[$0].end?.moment }).min() else {
                return (false, nil)
            }
            let deadline = first + Self.patience
            if ended.count < group.count, SchedulerClock.systemNow < deadline { return (false, deadline) }
            let bodies = ended.map { core.shell.realBodies[$0] }
            for place in ended.reversed() { core.shell.realBodies.remove(at: place) }
            for body in bodies { core.bodyEnded(body.id, body.end?.failure) }
            return (true, nil)
        }
    }
}
