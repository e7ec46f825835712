import OpScript
import Synchronization
import Testing

@testable import OpScriptCLI

/// The lines about operations that have ended.
@Suite struct StepLinesTests {
    private func end(_ place: Int, _ outcome: NotableEnd.Outcome = .succeeded) -> NotableEnd {
        NotableEnd(name: "step \(place)", seconds: 0.04, outcome: outcome, place: place, total: 62)
    }

    @Test func `a line has the place, the name, the time, and how it ended`() {
        let lines = StepLines {}
        lines.add(end(12))
        lines.add(end(13, .failed))
        lines.add(end(14, .cancelled))
        #expect(
            lines.take(at: 0) == [
                "[12/62] step 12  0.04 s", "[13/62] step 13  0.04 s  failed",
                "[14/62] step 14  0.04 s  cancelled",
            ]
        )
        #expect(lines.take(at: 0).isEmpty)
    }

    @Test func `a name cannot move the cursor`() {
        let lines = StepLines {}
        lines.add(NotableEnd(name: "a\u{1B}[2Jb\n", seconds: 1, outcome: .succeeded, place: 1, total: 1))
        #expect(lines.take(at: 0) == ["[1/1] a?[2Jb?  1 s"])
    }

    /// However the ends come: never more than twenty in a second, and none is left out of the sums.
    @Test(arguments: [(1, 0.01), (3, 0.05), (7, 0.1), (50, 0.3), (1000, 0.5)])
    func `there are twenty lines a second at most, and the sums say the rest`(_ burst: Int, _ pause: Double) {
        let lines = StepLines {}
        var count = 0
        var written = 0
        var told = 0
        var bySecond: [Int] = []
        var second = -1.0
        for round in 0..<100 {
            for _ in 0..<burst {
                count += 1
                lines.add(end(count))
            }
            let now = Double(round) * pause
            if now - second >= 1 || second < 0 {
                second = now
                bySecond.append(0)
            }
            for line in lines.take(at: now, isEnd: round == 99) {
                if let more = line.wholeMatch(of: /\[(\d+)\/62\] and (\d+) more/) {
                    told += Int(more.output.2) ?? 0
                    #expect(Int(more.output.1) == count)
                } else {
                    written += 1
                    bySecond[bySecond.count - 1] += 1
                }
            }
        }
        #expect(written + told == 100 * burst)
        #expect(bySecond.allSatisfy { $0 <= 20 })
        #expect(told > 0 || bySecond.allSatisfy { $0 < 20 } || burst < 7)
    }

    @Test func `a failure has its line, however many others there are`() {
        let lines = StepLines {}
        for place in 1...60 { lines.add(end(place, place > 50 && place % 2 == 0 ? .failed : .succeeded)) }
        let written = lines.take(at: 0)
        #expect(written.count { $0.hasSuffix("failed") } == 5)
        #expect(written.count == 21 && written.last == "[60/62] and 40 more")
    }

    @Test func `the owner is called once for what waits`() {
        let calls = Mutex(0)
        let lines = StepLines { calls.withLock { $0 += 1 } }
        for place in 1...5 { lines.add(end(place)) }
        #expect(calls.withLock { $0 } == 1)
        _ = lines.take(at: 0)
        lines.add(end(6))
        #expect(calls.withLock { $0 } == 2)
    }
}
