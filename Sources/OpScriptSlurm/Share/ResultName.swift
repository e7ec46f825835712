/// The name of the file in which a node leaves the result of a body: `3.17.0` for element 17 of batch 3, begun again
/// never.
///
/// The number of restarts distinguishes the result of a job that Slurm has begun again from that of its first attempt.
struct ResultName: Hashable {
    var batch: Int
    var index: Int
    var restarts: Int

    init(batch: Int, index: Int, restarts: Int) {
        (self.batch, self.index, self.restarts) = (batch, index, restarts)
    }

    /// nil for another file, such as one that is being written.
    init?(_ name: String) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, let batch = parts[0], let index = parts[1], let restarts = parts[2],
            batch >= 0, index >= 0, restarts >= 0
        else { return nil }
        self.init(batch: batch, index: index, restarts: restarts)
    }

    var text: String { "\(batch).\(index).\(restarts)" }
}

/// One body of a batch.
struct BatchPlace: Hashable {
    var batch: Int
    var index: Int
}
