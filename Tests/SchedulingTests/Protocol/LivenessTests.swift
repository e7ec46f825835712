internal import Glibc
import Testing

@testable import Scheduling

/// Random jobs on real threads end without help.
///
/// `OPSCRIPT_FUZZ_SECONDS` sets the time, `OPSCRIPT_FUZZ_SEED` repeats one job, and `OPSCRIPT_FUZZ_DEFECT`
/// names a planted defect, to see that the jobs find it.
@Suite struct LivenessTests {
    private static func number(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }

    @Test func `random jobs end`() {
        let seed = Self.number("OPSCRIPT_FUZZ_SEED")
        let seconds = Self.number("OPSCRIPT_FUZZ_SECONDS")
        let end = SchedulerClock.systemNow + Int64(seconds ?? 0) * 1_000_000_000
        let name = getenv("OPSCRIPT_FUZZ_DEFECT").map { String(cString: $0) }
        let defect = name.flatMap(PlantedDefect.init(rawValue:))
        var next = seed.map(UInt64.init) ?? UInt64.random(in: 0..<1_000_000_000)
        var count = 0
        print("the first seed is \(next)")
        while true {
            let isOver = seconds.map { _ in SchedulerClock.systemNow >= end } ?? (count >= 20)
            if isOver { break }
            if let hang = LivenessRun(seed: next, planting: defect).run(patience: 20) {
                print(hang)
                Issue.record("the job of seed \(next) hangs")
                // Its threads would disturb other tests.
                if seconds != nil { exit(1) }
                return
            }
            count += 1
            if seed == nil { next += 1 }
        }
        print("\(count) jobs by chance ended")
    }
}
