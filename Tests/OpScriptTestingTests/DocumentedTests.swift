import Foundation
import OpScript
import OpScriptTesting
import Scheduling
import Synchronization
import Testing

// The code of docs/testing-scripts.md, compiled and run.

// Example begins
@Test(
    arguments: Scenario.all(in: "Scenarios") { engine in
        engine.register("price") { (name: String) in name == "tea" ? 30 : 0 }
    }
)
func scripts(_ scenario: Scenario) async {
    await scenario.run()
}
// Example ends

// Example begins
@Test(arguments: UInt64(0)..<20)
func retriesTakeAnHour(seed: UInt64) throws {
    let clock = VirtualClock()
    let scheduler = Scheduler(clock.configuration(seed: seed))
    let queue = ScheduledQueue(scheduler, width: 2)
    let attempts = Mutex(0)
    let upload = ScheduledOperation(scheduler) {
        let count = attempts.withLock {
            $0 += 1
            return $0
        }
        if count < 3 { throw CancellationError() }
    }
    upload.setRetry(RetryPolicy(attempts: 3, delay: SchedulerClock.nanoseconds(1800)))
    try queue.add(upload)
    SimulatedExecutor(scheduler).run()
    #expect(upload.outcome == .succeeded)
    #expect(clock.now == .seconds(3600))
}
// Example ends

@Suite struct DocumentedTests {
    @Test func `the page shows this code`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/testing-scripts.md"), encoding: .utf8)
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let shown = page.split(separator: "```swift\n").dropFirst().compactMap { block -> String? in
            let code = block.prefix { $0 != "`" }
            return code.range(of: "@Test").map { code[$0.lowerBound...].trimmingCharacters(in: .newlines) }
        }
        let run = source.split(separator: "\n// Example begins\n").dropFirst().compactMap {
            $0.split(separator: "\n// Example ends\n").first.map(String.init)
        }
        #expect(shown.count == 2)
        #expect(shown == run)
    }
}
