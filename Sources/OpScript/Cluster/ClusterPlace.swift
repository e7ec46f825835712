/// Where a body is on a cluster.
package enum ClusterPlace: Sendable, Hashable {
    /// On no node. The text is for people: `pending (Resources)`.
    case waiting(String)
    /// On a node, where it runs.
    case running(node: String)
    /// On a node, where it stands still.
    case suspended(node: String)

    /// The node; nil for none.
    package var node: String? {
        switch self {
        case .waiting: nil
        case .running(let node), .suspended(let node): node
        }
    }

    /// For people: `on n1`.
    package var text: String {
        switch self {
        case .waiting(let text): text
        case .running(let node): "on \(node)"
        case .suspended(let node): "suspended on \(node)"
        }
    }
}

/// The stay of a body on a node.
struct NodeStay: Sendable {
    let node: String
    /// Since when the body was known to be there, in nanoseconds on the scheduler's clock.
    let since: Int64
    /// How long it has run there, in seconds; nil if that is not known.
    let seconds: Double?
}
