internal import Scheduling

/// An ordered list of identities of operations, stored as runs of consecutive slots: operations that are
/// created one after another usually have consecutive slots.
final class IdentityRuns {
    /// Identities with neighbouring slots and the same generation.
    private struct Run: BitwiseCopyable {
        var first: OperationID
        var count: UInt32

        func id(_ place: UInt32) -> OperationID {
            OperationID(slot: first.slot + place, generation: first.generation)
        }
    }

    private let runs = PlainBuffer<Run>(capacity: 8)
    /// How many identities there are.
    private(set) var count = 0

    @inline(__always)
    func append(_ id: OperationID) {
        count += 1
        let last = runs.count - 1
        if last >= 0 {
            var run = runs[last]
            if run.first.generation == id.generation, run.first.slot + run.count == id.slot {
                run.count += 1
                runs[last] = run
                return
            }
        }
        runs.append(Run(first: id, count: 1))
    }

    /// Keeps the identities that fulfil a condition, in their order.
    func keep(_ condition: (OperationID) -> Bool) {
        var kept: [OperationID] = []
        forEach { if condition($0) { kept.append($0) } }
        runs.truncate()
        count = 0
        for id in kept { append(id) }
    }

    func compactMap(_ change: (OperationID) -> OperationID?) -> [OperationID] {
        var result: [OperationID] = []
        forEach { if let changed = change($0) { result.append(changed) } }
        return result
    }

    private func forEach(_ body: (OperationID) -> Void) {
        for run in runs.elements {
            for place in 0..<run.count { body(run.id(place)) }
        }
    }
}
