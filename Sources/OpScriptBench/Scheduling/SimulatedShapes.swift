internal import Scheduling

extension Shape {
    /// Scheduling without a thread: each run executes the same instructions, so they can be counted.
    static let simulated: [Shape] = [
        .timed("simulated.independent") { n, tally in
            simulate { queue in
                for _ in 0..<n { queue.add { tally.add() } }
            }
        },
        .timed("simulated.batch") { n, tally in
            try simulate { queue in
                try queue.add(
                    (0..<n).map { _ in ScheduledOperation(queue.scheduler) { () throws in tally.add() } }
                )
            }
        },
        .timed("simulated.chain") { n, tally in
            try simulate { queue in try queue.add(chain(n, tally, on: queue.scheduler)) }
        },
        .timed("simulated.fan") { n, tally in
            try simulate { queue in try queue.add(fan(n, tally, on: queue.scheduler)) }
        },
    ]

    private static func simulate(_ fill: (ScheduledQueue) throws -> Void) rethrows {
        var configuration = Scheduler.Configuration()
        configuration.executor = .simulated(seed: 1)
        configuration.clock = .virtual()
        let scheduler = Scheduler(configuration)
        let queue = ScheduledQueue(scheduler, width: 2)
        try fill(queue)
        SimulatedExecutor(scheduler).run()
    }
}
