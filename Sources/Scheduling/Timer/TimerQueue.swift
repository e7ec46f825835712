/// The deadline and identity of an entry of a ``TimerHeap``.
@usableFromInline
struct TimerNode: Comparable, BitwiseCopyable {
    @usableFromInline var deadline: Int64
    @usableFromInline var sequence: UInt64
    @usableFromInline var handle: TimerHandle

    @inlinable
    init(deadline: Int64, sequence: UInt64, handle: TimerHandle) {
        self.deadline = deadline
        self.sequence = sequence
        self.handle = handle
    }

    @inlinable
    static func < (left: TimerNode, right: TimerNode) -> Bool {
        left.deadline != right.deadline ? left.deadline < right.deadline : left.sequence < right.sequence
    }
}

/// Nodes in the order in which they come out: by deadline, and by number if deadlines are equal.
///
/// Programs mostly use few different delays, and entries with the same delay become due in the order of
/// scheduling. Therefore there are a few *runs*: a node that is not due before the last node of a run is
/// appended to that run. All other nodes go into a heap.
/// - Complexity: O(1) to insert and to remove if the runs suffice; else O(log *n*).
@usableFromInline
struct TimerQueue: ~Copyable {
    /// The first node of a run, or of the heap.
    @usableFromInline
    struct Head: Comparable, BitwiseCopyable {
        @usableFromInline let node: TimerNode
        /// The number of the run, or `heap`.
        @usableFromInline let run: Int

        @inlinable static var heap: Int { -1 }

        @inlinable
        init(_ node: TimerNode, of run: Int) {
            self.node = node
            self.run = run
        }

        @inlinable
        static func < (left: Head, right: Head) -> Bool { left.node < right.node }
    }

    /// The deadline of the node that was appended to a run last.
    @usableFromInline
    struct End: BitwiseCopyable {
        @usableFromInline var deadline: Int64
        @usableFromInline let run: Int

        @inlinable
        init(deadline: Int64, run: Int) {
            self.deadline = deadline
            self.run = run
        }
    }

    /// How many runs there are at most: a new entry may examine the ends of all.
    @inlinable static var mostRuns: Int { 16 }

    @usableFromInline var runs: [TimerFIFO] = []
    @usableFromInline var memory = TimerFIFO.Memory()
    /// The ends of runs, ordered by deadline. The order stays the same when a node is appended to the run before the
    /// first end that is later.
    @usableFromInline var ends: [End] = []
    @usableFromInline var heap = QuaternaryHeap<TimerNode>()
    @usableFromInline var heads = QuaternaryHeap<Head>()
    /// How many nodes there are.
    @usableFromInline private(set) var count = 0

    @inlinable
    init() {}

    /// The first node.
    @inlinable var first: TimerNode? { heads.first?.node }

    /// - Parameter node: Its number is higher than that of all others.
    @inlinable
    mutating func insert(_ node: TimerNode) {
        if count == 0 { ends.removeAll(keepingCapacity: true) }
        count += 1
        guard let run = run(for: node.deadline) else { return insertIntoHeap(node) }
        if runs[run].append(node, &memory) { heads.insert(Head(node, of: run)) }
    }

    /// Removes the first node, which must exist.
    @inlinable
    mutating func removeFirst() {
        guard let run = heads.first?.run else { preconditionFailure("a queue of timers has no first one") }
        count -= 1
        let next: TimerNode?
        if run == Head.heap {
            heap.removeFirst()
            next = heap.first
        } else {
            runs[run].removeFirst(&memory)
            next = runs[run].first
        }
        if let next { heads.replaceFirst(with: Head(next, of: run)) } else { heads.removeFirst() }
    }

    /// Replaces all nodes.
    /// - Parameter nodes: In the order in which they come out.
    /// - Complexity: O(*n*).
    @usableFromInline
    mutating func replaceAll(with nodes: [TimerNode]) {
        for run in runs.indices { runs[run].removeAll(&memory) }
        heap = QuaternaryHeap()
        heads = QuaternaryHeap()
        ends = []
        count = 0
        for node in nodes { insert(node) }
    }

    /// All nodes, in no particular order.
    @usableFromInline
    func nodes() -> [TimerNode] {
        var result = heap.elements
        for run in runs { run.forEach { result.append($0) } }
        return result
    }

    /// The nodes with a deadline that is not after `now`, in no particular order.
    func nodes(dueBy now: Int64) -> [TimerNode] { nodes().filter { $0.deadline <= now } }

    /// Returns the run to which a node with a deadline is appended, and moves the end of the run to that deadline;
    /// nil if there can be no such run.
    @inlinable
    mutating func run(for deadline: Int64) -> Int? {
        var place = ends.count
        while place > 0, ends[place - 1].deadline > deadline { place -= 1 }
        guard place > 0 else { return newRun(for: deadline) }
        ends[place - 1].deadline = deadline
        return ends[place - 1].run
    }

    /// A run that had no end before; its new end is before all others.
    @usableFromInline
    mutating func newRun(for deadline: Int64) -> Int? {
        guard ends.count < Self.mostRuns else { return nil }
        let ended = ends.map(\.run)
        let run = runs.indices.first { !ended.contains($0) } ?? runs.count
        if run == runs.count { runs.append(TimerFIFO()) }
        ends.insert(End(deadline: deadline, run: run), at: 0)
        return run
    }

    @usableFromInline
    mutating func insertIntoHeap(_ node: TimerNode) {
        let former = heap.first
        guard heap.insert(node) else { return }
        let head = Head(node, of: Head.heap)
        if former != nil, let place = heads.elements.firstIndex(where: { $0.run == Head.heap }) {
            heads.lower(at: place, to: head)
        } else {
            heads.insert(head)
        }
    }
}
