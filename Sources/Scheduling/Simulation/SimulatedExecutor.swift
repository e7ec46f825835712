/// Runs bodies without threads: one after the other, on the calling thread, in virtual time.
///
/// The rules leave open which of several executing bodies ends first, and which queue starts something next. A seed
/// decides that, so that one seed is one interleaving. Priorities, first in first out and the order of timers are
/// never varied. Bodies of async closures are refused: they run on Swift's own threads.
public final class SimulatedExecutor {
    private let scheduler: Scheduler
    private var chance: RandomSequence
    /// Bodies that have started and not ended.
    private var executing: [(id: OperationID, body: (any OperationBody)?)] = []
    /// How many choices were made.
    public private(set) var stepCount = 0

    /// Makes an executor for a scheduler that was set up as simulated.
    public init(_ scheduler: Scheduler) {
        guard case .simulated(let seed) = scheduler.executor else {
            preconditionFailure("this scheduler runs its bodies on threads; set it up with .simulated(seed:)")
        }
        self.scheduler = scheduler
        chance = RandomSequence(seed: seed ^ 0x5ced_0000_0000_0001)
    }

    /// Runs until no progress is possible.
    ///
    /// Virtual time jumps to the next due moment as soon as nothing else can run.
    public func run() {
        while step() {}
    }

    /// Makes one choice: starts a body, ends one, or lets time jump.
    ///
    /// Returns false if none is left.
    @discardableResult
    public func step() -> Bool {
        stepCount += 1
        if !executing.isEmpty, chance.next() & 1 == 0 || !startNext() {
            endOne()
            return true
        }
        if !executing.isEmpty || startNext() { return true }
        guard let deadline = scheduler.nextDeadline else { return false }
        if scheduler.clock.isVirtual {
            scheduler.advance(to: deadline)
            return true
        }
        preconditionFailure("a simulated scheduler needs a virtual clock to wait for a timer")
    }

    private func startNext() -> Bool {
        var pick = chance.next()
        let started = scheduler.feed { core -> (id: OperationID, body: (any OperationBody)?)? in
            var queues = core.queues(on: .worker)
            while !queues.isEmpty {
                let queue = queues.remove(at: Int(pick % UInt64(queues.count)))
                if let id = core.takeNext(.worker, from: queue) { return (id, core.body(id)) }
                pick = chance.next()
            }
            return nil
        }
        guard let started else { return false }
        executing.append(started)
        return true
    }

    private func endOne() {
        let index = Int(chance.next() % UInt64(executing.count))
        let (id, body) = executing.remove(at: index)
        var failure: (any Error)?
        do {
            try body?.execute()
        } catch {
            failure = error
        }
        scheduler.feed { $0.bodyEnded(id, failure) }
    }
}
