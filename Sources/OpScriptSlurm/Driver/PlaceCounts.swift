internal import Synchronization

/// How many bodies are where: in the cluster's queue, with its reason, or on which node. From any thread.
final class PlaceCounts: Sendable {
    private struct State {
        var places: [UInt64: String] = [:]
        var counts: [String: Int] = [:]
    }

    private let state = Mutex(State())

    /// A body is somewhere now; nil once it has ended.
    func set(_ place: String?, of number: UInt64) {
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
            let (leftRuns, rightRuns) = (Self.isOnNode(left.key), Self.isOnNode(right.key))
            return leftRuns == rightRuns ? left.key < right.key : rightRuns
        }
        return ClusterSummary(
            text: sorted.map { "\($0.value) \($0.key)" }.joined(separator: ", "),
            waiting: counts.reduce(0) { $0 + (Self.isOnNode($1.key) ? 0 : $1.value) }
        )
    }

    /// `on n1`, `suspended on n1`.
    private static func isOnNode(_ place: String) -> Bool {
        place.hasPrefix("on ") || !place.hasPrefix("pending") && place.contains(" on ")
    }
}
