import Synchronization
import Testing

@testable import Scheduling

/// In debug builds, a watchdog reports operations that are left behind.
@Suite(.enabled(if: PlantedDefect.isPossible)) struct WatchdogTests {
    /// Reports that the watchdog made.
    private final class Reports: Sendable {
        private let all = Mutex<[String]>([])
        var words: [String] { all.withLock { $0 } }
        func note(_ report: String) { all.withLock { $0.append(report) } }
    }

    private let threads = SteppedThreads()
    private let reports = Reports()

    private func scheduler(_ defect: PlantedDefect?) -> Scheduler {
        var configuration = Scheduler.Configuration()
        configuration.workers = 2
        configuration.threads = threads
        configuration.plantedDefect = defect
        let reports = reports
        configuration.watchdogHandler = { reports.note($0) }
        return Scheduler(configuration)
    }

    @Test func `an operation that is left behind is reported once`() throws {
        let scheduler = scheduler(.leftWorkWakesNobody)
        let queue = ScheduledQueue(scheduler, width: 2)
        let first = ScheduledOperation(scheduler, name: "first") {}
        try queue.add([first, ScheduledOperation(scheduler, name: "second") {}])
        scheduler.checkWakes()
        #expect(reports.words.isEmpty)
        // It takes the first one, and wakes no worker for the second one.
        let worker = threads.begin(on: scheduler)
        #expect(worker.isExecuting)
        scheduler.checkWakes()
        scheduler.checkWakes()
        #expect(reports.words.count == 1)
        #expect(reports.words.first?.contains("'second'") == true)
    }

    @Test func `nothing is reported if nothing is left behind`() throws {
        let scheduler = scheduler(nil)
        let queue = ScheduledQueue(scheduler)
        try queue.add([ScheduledOperation(scheduler) {}, ScheduledOperation(scheduler) {}])
        let worker = threads.begin(on: scheduler)
        scheduler.checkWakes()
        worker.step()
        scheduler.checkWakes()
        #expect(reports.words.isEmpty)
    }
}
