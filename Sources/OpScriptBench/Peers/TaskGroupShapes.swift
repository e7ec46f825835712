extension Shape {
    /// Swift's own concurrency: child tasks of one group.
    static let taskGroup: [Shape] = [
        .timedTask("taskgroup.batch") { n, tally in
            await withDiscardingTaskGroup { group in
                for _ in 0..<n { group.addTask { tally.add() } }
            }
        }
    ]
}
