/// Where a Swift closure says how far it has come.
protocol ProgressFeed: AnyObject {
    var progressCounts: (completed: Int64, total: Int64) { get }

    /// Has `handler` called once, when the closure reports progress next.
    func observeProgress(_ handler: @escaping @Sendable () -> Void)
}

extension WorkBody: ProgressFeed {}

extension WorkContext: ProgressFeed {
    var progressCounts: (completed: Int64, total: Int64) {
        (progress.completedUnitCount, progress.totalUnitCount)
    }

    func observeProgress(_ handler: @escaping @Sendable () -> Void) { onReport(handler) }
}
