internal import Scheduling

/// Progress on the script thread: a node of a tree whose leaves are fed by scripts, operations or queues.
///
/// The fraction never exceeds 1 and never decreases.
final class ScriptProgress {
    /// The source of the progress.
    enum Source {
        /// The script, and the children.
        case script
        /// A Swift closure, a Lua body, or the operations inside a group.
        case operation(OperationID, (any ProgressFeed)?)
        case queue(OperationQueueOfProgress)
    }

    /// A queue that may be deallocated before its progress.
    struct OperationQueueOfProgress {
        weak var queue: ScriptQueue?
    }

    struct Child {
        let progress: ScriptProgress
        let units: Int
    }

    let source: Source
    private(set) var total: Int
    private(set) var completed = 0
    /// Of a queue's progress: the batch that it counts.
    private var batchStart = 0
    private(set) var children: [Child] = []
    /// The progress of which this one is a child.
    private(set) weak var parent: ScriptProgress?
    /// The parent. It is retained unless the script feeds this progress, so an observer need not hold the
    /// parent.
    private var parentHold: ScriptProgress?
    var isCancelled = false
    var localizedDescription: String?
    /// The highest fraction ever computed.
    private var highest = 0.0
    /// Whether nothing feeds it any more.
    private(set) var isEnded = false

    // The fraction that its observers know.
    var observations: [Observation] = []
    var toldFraction = 0.0
    /// The moment of the last notification of observers, on the scheduler's clock.
    var toldAt = Int64.min
    /// The due item of the next notification.
    var timer: TimerHandle?

    init(_ source: Source, total: Int) {
        self.source = source
        self.total = total
    }

    // MARK: Looking

    /// Units that are done, and units in all.
    var counts: (completed: Int, total: Int) { (completed, total) }

    /// From 0 to 1; 0 while the total is not known.
    var fraction: Double {
        highest = max(highest, computedFraction)
        return highest
    }

    private var computedFraction: Double {
        guard total > 0 else { return 0 }
        // Exactly 1 if all units are completed, even if the sum of the parts is rounded.
        if completed >= total { return 1 }
        var units = Double(completed)
        for child in children { units += Double(child.units) * child.progress.fraction }
        return min(1, units / Double(total))
    }

    /// The largest number of levels: each change is checked on all levels.
    static let mostLevels = 100

    /// How many levels there are from the root down to this one.
    var depth: Int {
        var depth = 0
        var next: ScriptProgress? = self
        while let progress = next {
            depth += 1
            next = progress.parent
        }
        return depth
    }

    /// How many levels there are from this one down.
    var height: Int { 1 + (children.map(\.progress.height).max() ?? 0) }

    /// Whether it is another progress or one of that progress's descendants.
    func isBelow(_ other: ScriptProgress) -> Bool {
        var next: ScriptProgress? = self
        while let progress = next {
            if progress === other { return true }
            next = progress.parent
        }
        return false
    }

    /// Whether it or one of its ancestors is observed.
    var isObserved: Bool {
        var next: ScriptProgress? = self
        while let progress = next {
            if !progress.observations.isEmpty { return true }
            next = progress.parent
        }
        return false
    }

    /// The text that the script or the closure has set, or the fraction in words.
    var description: String {
        if let localizedDescription { return localizedDescription }
        if case .operation(_, let feed) = source, !isEnded, let text = feed?.progressText { return text }
        return "\(Int(fraction * 100))% completed"
    }

    // MARK: Changes

    /// Sets the completed units, which never decrease.
    func setCompleted(_ count: Int) { completed = max(completed, count) }

    func setTotal(_ count: Int) { total = count }

    /// Begins anew for another batch of its queue; observers are notified, as of any other change.
    ///
    /// - Parameter start: ``ScriptQueue/batchStart`` of that batch.
    func beginAgain(at start: Int) {
        guard batchStart != start else { return }
        batchStart = start
        highest = 0
        completed = 0
    }

    func add(_ child: ScriptProgress, units: Int) {
        children.append(Child(progress: child, units: units))
        child.parent = self
        if case .script = child.source {} else if !child.isEnded { child.parentHold = self }
        takeInFinished()
    }

    /// Notes that nothing feeds it any more.
    func end() {
        isEnded = true
        parentHold = nil
    }

    /// Turns completed children into completed units of this progress.
    func takeInFinished() {
        guard children.contains(where: { $0.progress.fraction >= 1 }) else { return }
        children.removeAll { child in
            guard child.progress.fraction >= 1 else { return false }
            let (sum, overflow) = completed.addingReportingOverflow(child.units)
            completed = overflow ? .max : sum
            child.progress.parent = nil
            child.progress.parentHold = nil
            return true
        }
    }
}
