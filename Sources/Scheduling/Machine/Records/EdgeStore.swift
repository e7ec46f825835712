/// A dependency: `to` starts only after the operation in the slot `from` has finished.
///
/// 28 bytes. ``EdgeStore/origin(_:in:)`` gives the operation to which the slot `from` belongs.
struct Edge: BitwiseCopyable {
    var from: UInt32
    var to: UInt32
    var condition: DependencyCondition
    /// The dependency came with an argument, so its condition cannot change.
    var isStrict = false
    /// The outcome of `from`; nil until it has one.
    private(set) var outcome: OperationOutcome?
    // In both lists `next` of the last one is `.max`, and `previous` of the first one is the last.
    /// Neighbours among the edges that start at the same operation, until it has finished. Afterwards,
    /// `previousDependent` is the generation of `from`, whose slot may be reused.
    var previousDependent: UInt32 = .max
    var nextDependent: UInt32 = .max
    /// Neighbours among the edges that end at the same operation; of a free edge, `next` is the next free
    /// one.
    var previousDependency: UInt32 = .max
    var nextDependency: UInt32 = .max

    /// - Parameter from: An operation that has not finished.
    @inline(__always)
    init(from: OperationID, to: UInt32, condition: DependencyCondition) {
        self.from = from.slot
        self.to = to
        self.condition = condition
    }

    /// The operation at its start has finished, and the edge is no longer in that operation's list.
    @inline(__always)
    mutating func decide(_ outcome: OperationOutcome, generation: UInt32) {
        self.outcome = outcome
        previousDependent = generation
    }
}

/// The memory of all edges: slots in chunks that never move.
struct EdgeStore: ~Copyable {
    private let edges = ChunkedStorage<Edge>()
    private var firstFree: UInt32 = .max

    /// Edges that were used since there was last no operation.
    var capacity: UInt32 { edges.count }

    @inline(__always)
    func pointer(_ index: UInt32) -> UnsafeMutablePointer<Edge> { edges.pointer(index) }

    subscript(index: UInt32) -> Edge {
        @inline(__always) get { edges.pointer(index).pointee }
    }

    /// The operation at the start of an edge.
    @inline(__always)
    func origin(_ edge: UnsafeMutablePointer<Edge>, in store: borrowing OperationStore) -> OperationID {
        edge.pointee.outcome == nil
            ? store.id(edge.pointee.from)
            : OperationID(slot: edge.pointee.from, generation: edge.pointee.previousDependent)
    }

    @inline(__always)
    mutating func allocate(_ edge: Edge) -> UInt32 {
        guard firstFree != .max else { return edges.append(edge) }
        let index = firstFree
        firstFree = edges.pointer(index).pointee.nextDependency
        edges.pointer(index).pointee = edge
        return index
    }

    @inline(__always)
    mutating func free(_ index: UInt32) {
        edges.pointer(index).pointee.nextDependency = firstFree
        firstFree = index
    }

    /// Frees all edges that end at an operation, beginning with `first`. They are freed as one linked list,
    /// without visiting each.
    @inline(__always)
    mutating func freeList(_ first: UInt32) {
        let last = edges.pointer(first).pointee.previousDependency
        edges.pointer(last).pointee.nextDependency = firstFree
        firstFree = first
    }

    /// No operation is left, and therefore no edge. The next edges will be adjacent again.
    @inline(__always)
    mutating func removeAll() {
        edges.removeAll()
        firstFree = .max
    }

    /// Descriptions of its inconsistencies.
    ///
    /// For tests.
    func faults(used: Int) -> [String] {
        var free = 0
        var index = firstFree
        while index != .max, free <= capacity {
            free += 1
            index = edges.pointer(index).pointee.nextDependency
        }
        return used + free == capacity ? [] : ["\(used) edges and \(free) free, of \(capacity)"]
    }
}
