/// The object to which a Swift closure reports its progress.
protocol ProgressFeed: AnyObject {
    var progressCounts: (completed: Int64, total: Int64) { get }

    /// The text of the closure about itself.
    var progressText: String? { get }

    /// Calls `handler` once, when the closure next reports progress.
    func observeProgress(_ handler: @escaping @Sendable () -> Void)
}

extension WorkBody: ProgressFeed {}

extension WorkContext: ProgressFeed {
    var progressCounts: (completed: Int64, total: Int64) {
        (progress.completedUnitCount, progress.totalUnitCount)
    }

    func observeProgress(_ handler: @escaping @Sendable () -> Void) { onReport(handler) }
}
