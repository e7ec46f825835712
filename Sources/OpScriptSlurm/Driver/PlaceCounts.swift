internal import OpScript
internal import Synchronization

/// How many bodies are where: in the cluster's queue, with its reason, or on which node. From any thread.
final class PlaceCounts: Sendable {
    private struct State {
        var places: [UInt64: ClusterPlace] = [:]
        var counts: [ClusterPlace: Int] = [:]
    }

    private let state = Mutex(State())

    /// A body is somewhere now; nil once it has ended.
    func set(_ place: ClusterPlace?, of number: UInt64) {
        state.withLock { state in
            if let old = state.places[number] {
                if old == place { return }
                let count = (state.counts[old] ?? 1) - 1
                state.counts[old] = count == 0 ? nil : count
            }
            state.places[number] = place
            if let place { state.counts[place, default: 0] += 1 }
        }
    }

    /// `20 pending (Resources), 3 on n1, 2 on n2`: the waiting ones first; nil if there are no bodies.
    var summary: ClusterSummary? {
        let counts = state.withLock { $0.counts }
        if counts.isEmpty { return nil }
        let sorted = counts.sorted { left, right in
            let (leftRuns, rightRuns) = (left.key.node != nil, right.key.node != nil)
            return leftRuns == rightRuns ? left.key.text < right.key.text : rightRuns
        }
        return ClusterSummary(
            text: sorted.map { "\($0.value) \($0.key.text)" }.joined(separator: ", "),
            waiting: counts.reduce(0) { $0 + ($1.key.node == nil ? $1.value : 0) }
        )
    }
}
