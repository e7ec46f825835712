/// Where the bodies are that a run has on a cluster.
package struct ClusterSummary: Sendable, Equatable {
    /// `20 pending (Resources), 3 on n1`.
    package var text: String
    /// How many are on no node.
    package var waiting: Int

    package init(text: String, waiting: Int) { (self.text, self.waiting) = (text, waiting) }
}
