internal import OpScript
internal import OpScriptRecord

/// The output of `--plan`: the operations that a script has added, as trees from the last operations to their
/// dependencies.
struct PlanText {
    private let record: RunRecord
    private let operations: [RecordedOperation]
    private var dependents: [Int]
    /// The operations inside each group, by its number.
    private var members: [Int: [RecordedOperation]] = [:]
    /// Deeper lines are not indented further, since a chain may be very long.
    private static let indentLimit = 16

    private var shown: Set<Int> = []
    private var lines: [String] = []

    /// - Parameter end: The place where the plan ends.
    static func lines(_ record: RunRecord, end: String) -> [String] {
        var text = PlanText(record)
        text.write()
        text.lines.append(end)
        return text.lines
    }

    private init(_ record: RunRecord) {
        self.record = record
        // Works by which the plan itself has read something are done.
        operations = record.operations.filter { $0.added != nil && !($0.isStep && $0.outcome != nil) }
        dependents = Array(repeating: 0, count: record.operations.count)
        for operation in operations {
            for dependency in operation.dependencies { dependents[dependency.operation] += 1 }
            if let group = group(of: operation) { members[group, default: []].append(operation) }
        }
    }

    private mutating func write() {
        let count = operations.count == 1 ? "1 operation" : "\(operations.count) operations"
        lines.append("plan of \(VisibleText.line(record.name)): \(count)")
        let submissions = PlannedSubmissions(record, operations)
        for (place, queue) in record.queues.enumerated() {
            let inside = operations.count { $0.queue == place }
            guard inside > 0 else { continue }
            let width = queue.width.map { "width \($0)" } ?? "no width"
            let kind = queue.group == nil ? "queue" : "group"
            let cluster = submissions.cluster(ofQueue: place).map { "; on \($0)" } ?? ""
            lines.append("\(kind) '\(VisibleText.line(queue.name))' (\(width)\(cluster)): \(inside)")
            lines += submissions.lines(ofQueue: place).map { "  \(VisibleText.line($0))" }
        }
        writeTree(operations.filter { dependents[$0.number] == 0 && group(of: $0) == nil })
    }

    /// The number of the group that it is in.
    private func group(of operation: RecordedOperation) -> Int? {
        operation.queue.flatMap { record.queues[$0].group }
    }

    /// Writes operations; operations that look alike and depend on nothing are one line.
    private mutating func writeTree(_ roots: [RecordedOperation]) {
        // A stack instead of recursion: a chain may be long.
        var stack: [(operation: RecordedOperation, mark: Character, depth: Int, count: Int)] = []
        func push(_ list: [RecordedOperation], _ mark: Character, _ depth: Int) {
            var folded: [(RecordedOperation, Int)] = []
            for operation in list {
                if let last = folded.last, isLeaf(operation), isLeaf(last.0),
                    description(last.0) == description(operation)
                {
                    folded[folded.count - 1].1 += 1
                } else {
                    folded.append((operation, 1))
                }
            }
            for (operation, count) in folded.reversed() { stack.append((operation, mark, depth, count)) }
        }
        push(roots, "←", 0)
        while let (operation, mark, depth, count) = stack.popLast() {
            let level = min(depth, Self.indentLimit)
            let indent = level == 0 ? "" : String(repeating: "    ", count: level - 1) + "  \(mark) "
            let isRepeated = !isLeaf(operation) && shown.contains(operation.number)
            let times = count > 1 ? " × \(count)" : ""
            lines.append("\(indent)\(description(operation))\(times)\(isRepeated ? " (see above)" : "")")
            guard !isRepeated, !isLeaf(operation) else { continue }
            shown.insert(operation.number)
            push(operation.dependencies.map { record.operations[$0.operation] }, "←", depth + 1)
            let inside = members[operation.number] ?? []
            let earlier = Set(inside.lazy.flatMap(\.dependencies).map(\.operation))
            push(inside.filter { !earlier.contains($0.number) }, "·", depth + 1)
        }
    }

    /// Whether it depends on nothing, and nothing is inside it.
    private func isLeaf(_ operation: RecordedOperation) -> Bool {
        operation.dependencies.isEmpty && members[operation.number] == nil
    }

    private func description(_ operation: RecordedOperation) -> String {
        var text = "'\(VisibleText.line(operation.name))'"
        if let work = operation.work, work != operation.name { text += ", work \(work)" }
        if let queue = operation.queue, record.queues[queue].group == nil {
            text += ", queue '\(VisibleText.line(record.queues[queue].name))'"
        }
        if !operation.place.isEmpty { text += ", \(VisibleText.line(operation.place))" }
        return text
    }
}
