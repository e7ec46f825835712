/// A dependency: `to` starts only after `from` has finished.
struct Edge {
    var from: OperationID
    var to: UInt32
    var condition: DependencyCondition
    /// It came with an argument: its condition stays.
    var isStrict = false
    /// How `from` ended; nil while it has not.
    var outcome: OperationOutcome?
    /// The next edge that starts at the same operation.
    var nextDependent: UInt32 = .max
    /// The next edge that ends at the same operation; the next free one while free.
    var nextDependency: UInt32 = .max
}

/// The memory of all edges.
struct EdgeStore: ~Copyable {
    private var edges: [Edge] = []
    private var firstFree: UInt32 = .max

    subscript(index: UInt32) -> Edge {
        @inline(__always) get { edges[Int(index)] }
        @inline(__always) set { edges[Int(index)] = newValue }
    }

    @inline(__always)
    mutating func with<R>(_ index: UInt32, _ body: (inout Edge) -> R) -> R {
        body(&edges[Int(index)])
    }

    mutating func allocate(_ edge: Edge) -> UInt32 {
        guard firstFree != .max else {
            edges.append(edge)
            return UInt32(edges.count - 1)
        }
        let index = firstFree
        firstFree = edges[Int(index)].nextDependency
        edges[Int(index)] = edge
        return index
    }

    mutating func free(_ index: UInt32) {
        edges[Int(index)].nextDependency = firstFree
        firstFree = index
    }
}
