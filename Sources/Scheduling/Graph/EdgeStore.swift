/// A dependency: `to` starts only after `from` has finished.
struct Edge {
    var from: OperationID
    var to: UInt32
    var condition: DependencyCondition
    /// It came with an argument: its condition stays.
    var isStrict = false
    /// How `from` ended; nil while it has not.
    var outcome: OperationOutcome?
    // In both lists `next` of the last one is `.max`, and `previous` of the first one is the last.
    /// Neighbours among the edges that start at the same operation; only while it has not finished.
    var previousDependent: UInt32 = .max
    var nextDependent: UInt32 = .max
    /// Neighbours among the edges that end at the same operation; `next` is the next free one while free.
    var previousDependency: UInt32 = .max
    var nextDependency: UInt32 = .max
}

/// The memory of all edges: slots in chunks that never move.
struct EdgeStore: ~Copyable {
    private let edges = ChunkedStorage<Edge>()
    private var firstFree: UInt32 = .max

    @inline(__always)
    func pointer(_ index: UInt32) -> UnsafeMutablePointer<Edge> { edges.pointer(index) }

    subscript(index: UInt32) -> Edge {
        @inline(__always) get { edges.pointer(index).pointee }
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
}
