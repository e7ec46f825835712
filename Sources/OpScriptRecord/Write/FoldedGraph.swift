/// The graph of operations, in which all operations of one name and one work are one node.
struct FoldedGraph {
    /// Operations of one name.
    struct Node {
        var name: String
        var count = 0
        var failed = 0
        /// How many ended in another way than by success or failure, or not at all.
        var other = 0
        /// Nanoseconds that they took in all.
        var total: Int64 = 0
        var isOnPath = false
    }

    /// Dependencies between operations of two nodes.
    struct Edge: Hashable {
        /// The node that is depended on.
        var from: Int
        var to: Int
    }

    private(set) var nodes: [Node] = []
    /// The edges, each with the number of its dependencies, in the order of their first dependency.
    private(set) var edges: [(edge: Edge, count: Int)] = []

    init(_ record: RunRecord, _ path: CriticalPath) {
        let storage = record.storage
        var nodesByName: [UInt32: Int] = [:]
        var nodeOfRow: [Int] = []
        nodeOfRow.reserveCapacity(storage.rows.count)
        for number in 0..<storage.rows.count {
            let row = storage.rows.pointer(number).pointee
            let key = row.name == OperationRow.nothing ? row.work : row.name
            let place: Int
            if let known = nodesByName[key] {
                place = known
            } else {
                place = nodes.count
                nodes.append(Node(name: storage.text(key) ?? "operation"))
                nodesByName[key] = place
            }
            nodeOfRow.append(place)
            nodes[place].note(row)
        }
        for number in path.operations { nodes[nodeOfRow[number]].isOnPath = true }
        var places: [Edge: Int] = [:]
        for number in 0..<storage.rows.count {
            for dependency in storage.dependencies(of: number) {
                let edge = Edge(from: nodeOfRow[dependency.operation], to: nodeOfRow[number])
                if let place = places[edge] {
                    edges[place].count += 1
                } else {
                    places[edge] = edges.count
                    edges.append((edge, 1))
                }
            }
        }
    }
}

extension FoldedGraph.Node {
    fileprivate mutating func note(_ row: OperationRow) {
        count += 1
        switch RecordedOutcome(rawValue: row.outcome) {
        case .succeeded: break
        case .failed: failed += 1
        case .cancelled, .skipped, nil: other += 1
        }
        if row.started != OperationRow.never, row.ended != OperationRow.never {
            total += row.ended - row.started
        }
    }
}
