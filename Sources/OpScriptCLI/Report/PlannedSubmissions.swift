internal import OpScript
internal import OpScriptRecord

/// The submissions to a cluster that a plan would make, queue by queue.
///
/// Operations with the same options that are ready together are one submission. How long bodies take is not known, so
/// the number of submissions is an estimate: operations of equal depth in the graph count as ready together.
struct PlannedSubmissions {
    private let record: RunRecord
    /// The numbers of the operations on clusters, by queue.
    private var numbers: [Int: [Int]] = [:]
    /// For each operation: the length of the longest chain of dependencies before it.
    private var depths: [Int] = []
    /// The most operations of one submission.
    private static let largest = 1000

    init(_ record: RunRecord, _ operations: [RecordedOperation]) {
        self.record = record
        guard !record.submissions.isEmpty else { return }
        depths = Self.depths(record)
        for operation in operations where record.submissions[operation.number] != nil {
            if let queue = operation.queue { numbers[queue, default: []].append(operation.number) }
        }
    }

    /// The name of the cluster that a queue submits to; nil for none.
    func cluster(ofQueue queue: Int) -> String? {
        (numbers[queue]?.first).flatMap { record.submissions[$0]?.cluster }
    }

    /// A line for each kind of submission of a queue, in the order of the operations.
    func lines(ofQueue queue: Int) -> [String] {
        var kinds: [RecordedSubmission] = []
        var counts: [RecordedSubmission: [Int: Int]] = [:]
        for number in numbers[queue] ?? [] {
            guard let submission = record.submissions[number] else { continue }
            if counts[submission] == nil { kinds.append(submission) }
            counts[submission, default: [:]][depths[number], default: 0] += 1
        }
        let most = max(1, min(record.queues[queue].width ?? Self.largest, Self.largest))
        return kinds.map { kind in
            let byDepth = counts[kind] ?? [:]
            let total = byDepth.values.reduce(0, +)
            let operations = total == 1 ? "1 operation" : "\(total) operations"
            if kind.isForPilots { return "\(kind.command): \(operations), by pilots" }
            if total == 1 { return "\(kind.command): \(operations)" }
            let submissions = byDepth.values.reduce(0) { $0 + ($1 + most - 1) / most }
            return
                "\(kind.command): \(operations), about \(submissions) submission\(submissions == 1 ? "" : "s")"
        }
    }

    private static func depths(_ record: RunRecord) -> [Int] {
        var depths = Array(repeating: -1, count: record.operations.count)
        // A stack instead of recursion: a chain may be long. There are no cycles.
        for number in depths.indices where depths[number] < 0 {
            var stack = [number]
            while let last = stack.last {
                if depths[last] >= 0 {
                    stack.removeLast()
                    continue
                }
                let dependencies = record.operations[last].dependencies.map(\.operation)
                let unknown = dependencies.filter { depths[$0] < 0 }
                if unknown.isEmpty {
                    depths[last] = dependencies.reduce(0) { max($0, depths[$1] + 1) }
                    stack.removeLast()
                } else {
                    stack += unknown
                }
            }
        }
        return depths
    }
}
