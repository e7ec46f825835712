import Testing

@testable import OpScriptScenarios

/// The way of results, which come in any order, to a reporter that receives them in the order of the files.
@Suite struct ResultOrderTests {
    /// Notes what it receives, a line each.
    private struct Notes: ScenarioReporter {
        var lines: [String] = []

        mutating func fileBegan(_ path: String, _ listing: ScenarioListing) {
            lines.append("file \(path)" + listing.problems.map { " ! \($0.message)" }.joined())
        }
        mutating func problem(_ path: String, _ problem: ScenarioProblem, output: [UInt8]) {
            lines.append("problem \(path) \(problem.message)")
        }
        mutating func noted(_ path: String, _ note: String) { lines.append("note \(path) \(note)") }
        mutating func ended(_ result: ScenarioResult) { lines.append("\(result.outcome) \(result.name)") }
        mutating func finished(_ summary: ScenarioSummary) {
            lines.append("end \(summary.passed) \(summary.failed) \(summary.pending) \(summary.problems)")
        }
    }

    private func order(_ change: (inout ScenarioOrder) -> Void = { _ in }, slowest: Bool = false)
        -> ResultOrder<Notes>
    {
        var order = ScenarioOrder()
        change(&order)
        return ResultOrder(Notes(), order, keepsSlowest: slowest)
    }

    private func result(_ name: String, failed: Bool = false, pending: Bool = false, seconds: Double = 0)
        -> ScenarioResult
    {
        var result = ScenarioResult(
            Scenario(file: "f.lua", index: 1, names: [name], isReal: false, isPending: pending)
        )
        if failed { result.problems = [ScenarioProblem(.failure, "no")] }
        if pending { result.pendingReason = .some("later") }
        result.duration = seconds
        return result
    }

    private func lines(_ order: ResultOrder<Notes>) -> [String] {
        var order = order
        order.finish { _ in }
        return order.reporter.lines
    }

    @Test func `a later file waits for the earlier one`() {
        var order = order()
        let (a, b) = (order.open("a", isKnown: false), order.open("b", isKnown: false))
        order.add(result("b1"), to: b)
        order.add("said", to: b)
        order.close(b)
        #expect(order.reporter.lines == [])
        order.add(result("a1"), to: a)
        #expect(order.reporter.lines == ["file a", "passed a1"])
        order.close(a)
        #expect(lines(order) == ["file a", "passed a1", "file b", "passed b1", "note b said", "end 2 0 0 0"])
    }

    @Test func `a result is reported in the place that was reserved for it`() {
        var order = order()
        let lane = order.open("a", isKnown: false)
        let (first, second) = (order.reserve(in: lane), order.reserve(in: lane))
        order.add(result("third"), to: lane)
        order.fill(second, of: lane, result("second"))
        #expect(order.reporter.lines == [])
        order.fill(first, of: lane, result("first"))
        order.close(lane)
        #expect(lines(order) == ["file a", "passed first", "passed second", "passed third", "end 3 0 0 0"])
    }

    @Test func `a file is reported once, unless all of it was left out`() {
        var order = order()
        let (a, b, c, again) = (
            order.open("a", isKnown: false), order.open("b", isKnown: false), order.open("c", isKnown: false),
            order.open("a", isKnown: true)
        )
        order.leaveOut(3, of: a)
        order.leaveOut(3, of: again)
        order.add(result("c1"), to: c)
        for lane in [a, b, c, again] { order.close(lane) }
        #expect(order.summary.leftOut == 3)
        #expect(lines(order) == ["file b", "file c", "passed c1", "end 1 0 0 0"])
    }

    @Test func `problems of a file come with its beginning or where they were found`() {
        var order = order()
        let lane = order.open("a", isKnown: false)
        order.add(ScenarioProblem(.error, "early"), output: [], to: lane)
        order.add(result("a1"), to: lane)
        order.add(ScenarioProblem(.error, "late"), output: [], to: lane)
        order.close(lane)
        #expect(lines(order) == ["file a ! early", "passed a1", "problem a late", "end 1 0 0 2"])
    }

    @Test func `nothing is reported after the first failure, if that ends the suite`() {
        var order = order { $0.failsFast = true }
        let (a, b) = (order.open("a", isKnown: false), order.open("b", isKnown: false))
        order.add(result("b1"), to: b)
        order.add(result("a1", failed: true), to: a)
        order.add(result("a2"), to: a)
        order.close(a)
        order.close(b)
        #expect(order.isOver && order.summary.endedEarly)
        #expect(lines(order) == ["file a", "failed a1", "end 0 1 0 0"])
        var other = self.order { $0.failsFast = true }
        let lane = other.open("a", isKnown: false)
        other.add(ScenarioProblem(.error, "bad"), output: [], to: lane)
        other.add(result("a1"), to: lane)
        #expect(lines(other) == ["file a ! bad", "end 0 0 0 1"])
    }

    @Test func `a problem of all files ends the suite`() {
        var order = order()
        let (a, b) = (order.open("a", isKnown: false), order.open("b", isKnown: false))
        var problem = ScenarioProblem(.error, "no helper")
        problem.preventsAllFiles = true
        order.add(problem, output: [], to: b)
        order.add(problem, output: [], to: a)
        order.close(a)
        order.close(b)
        #expect(order.isOver)
        #expect(lines(order) == ["file a ! no helper", "end 0 0 0 1"])
    }

    @Test func `nothing is reported after an interruption`() {
        var order = order()
        let lane = order.open("a", isKnown: false)
        order.add(result("a1"), to: lane)
        order.interrupt()
        order.add(result("a2"), to: lane)
        #expect(lines(order) == ["file a", "passed a1", "end 1 0 0 0"])
    }

    @Test func `pending scenarios can be left out of the reports, but are counted`() {
        var order = order { $0.hidesPending = true }
        let lane = order.open("a", isKnown: false)
        order.add(result("a1", pending: true), to: lane)
        order.add(result("a2"), to: lane)
        #expect(lines(order) == ["file a", "passed a2", "end 1 0 1 0"])
    }

    @Test func `the ten slowest are kept, the slowest first`() {
        var order = order(slowest: true)
        let lane = order.open("a", isKnown: false)
        for number in [3, 12, 1, 7, 5, 9, 2, 11, 4, 8, 10, 6] {
            order.add(result("s\(number)", seconds: Double(number)), to: lane)
        }
        #expect(order.summary.slowest.map(\.seconds) == [12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
    }
}
