internal import Scheduling

/// `OperationQueue`: the script's picture of its queues.
///
/// Owns the table of queues, the main queue, and the default queue for operations that are submitted without
/// a queue. Called by the bindings of queues, and by every part that submits operations.
final class Queues: RuntimePart {
    let globals: ScriptGlobals

    let table = QueueTable()
    let mainQueue: ScriptQueue
    let standardQueue: ScriptQueue
    private var madeReadingQueue: ScriptQueue?
    /// How many rates were ever set.
    var rateCount = 0

    init(_ foundation: RuntimeFoundation, globals: ScriptGlobals) {
        self.globals = globals
        let main = foundation.scheduler.feed { $0.queueCreated(isMain: true) }
        let standard = foundation.scheduler.feed { $0.queueCreated() }
        mainQueue = ScriptQueue(id: main, kind: .main, name: "main", width: 1)
        standardQueue = ScriptQueue(id: standard, kind: .standard, name: "default", width: -1)
        standardQueue.startsLongestFirst = foundation.configuration.startsLongestFirst
        table.add(mainQueue)
        table.add(standardQueue)
        super.init(foundation)
        standardQueue.cluster = standardCluster
    }

    /// The queue of what a plan reads: the only one that a plan does not hold.
    func readingQueue() -> ScriptQueue {
        if let madeReadingQueue { return madeReadingQueue }
        let id = scheduler.feed { core in
            let holdsQueues = core.holdsQueues
            core.holdsQueues = false
            defer { core.holdsQueues = holdsQueues }
            return core.queueCreated()
        }
        let queue = ScriptQueue(id: id, kind: .standard, name: "reading", width: -1)
        madeReadingQueue = queue
        table.add(queue)
        return queue
    }
}
