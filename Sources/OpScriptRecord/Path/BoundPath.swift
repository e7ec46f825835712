/// The longest chain of dependencies by run time. No machine can run the same operations in less time.
public struct BoundPath: Sendable, Hashable {
    /// The numbers of the operations along the chain, the first one first.
    public let operations: [Int]
    /// Nanoseconds that their attempts took.
    public let length: Int64

    /// Makes a chain.
    public init(operations: [Int], length: Int64) {
        self.operations = operations
        self.length = length
    }
}

extension RunRecord {
    /// The longest chain of dependencies by run time.
    ///
    /// The time of a group itself does not count, since the operations inside may have waited.
    /// - Complexity: O(operations + dependencies).
    public func boundPath() -> BoundPath {
        let count = storage.rows.count
        let attempts = RecordedAttempts(self)
        // Kahn's algorithm: an operation is taken when all its dependencies have been taken.
        var waiting = [UInt32](repeating: 0, count: count)
        var dependents = [[UInt32]](repeating: [], count: storage.dependencies.count == 0 ? 0 : count)
        if !dependents.isEmpty {
            for number in 0..<count {
                for dependency in storage.dependencies(of: number) {
                    waiting[number] += 1
                    dependents[dependency.operation].append(UInt32(number))
                }
            }
        }
        var reach = [Int64](repeating: 0, count: count)
        var before = [UInt32](repeating: OperationRow.nothing, count: count)
        var open = (0..<count).filter { waiting[$0] == 0 }
        var best: (number: Int, length: Int64)?
        while let number = open.popLast() {
            reach[number] += runTime(number, attempts)
            if reach[number] > best?.length ?? 0 { best = (number, reach[number]) }
            guard !dependents.isEmpty else { continue }
            for dependent in dependents[number] {
                let dependent = Int(dependent)
                if reach[number] > reach[dependent] {
                    reach[dependent] = reach[number]
                    before[dependent] = UInt32(number)
                }
                waiting[dependent] -= 1
                if waiting[dependent] == 0 { open.append(dependent) }
            }
        }
        var chain: [Int] = []
        var next = best.map { UInt32($0.number) } ?? OperationRow.nothing
        while next != OperationRow.nothing {
            chain.append(Int(next))
            next = before[Int(next)]
        }
        return BoundPath(operations: chain.reversed(), length: best?.length ?? 0)
    }

    /// Nanoseconds that the attempts of an operation took; 0 for an operation without a body.
    private func runTime(_ number: Int, _ attempts: RecordedAttempts) -> Int64 {
        let row = storage.rows.pointer(number).pointee
        guard RecordedRunner.hasRun(row.runner), row.ended != OperationRow.never else { return 0 }
        return attempts.attempts(of: number).reduce(0) { $0 + $1.ended - $1.started }
    }
}
