#if Journal
import Scheduling
import Testing

@testable import OpScript
@testable import OpScriptJournal

/// Operations with equal keys: which one gets which result.
@Suite struct JournalNumberTests {
    private enum Fate: CaseIterable {
        case succeeded, failed, underWay, neverBegun
    }

    /// Random runs that are killed, and a continued run in another order: an operation gets its own result or runs.
    @Test(arguments: 0..<20) func `an operation never gets the result of another one`(seed: Int) throws {
        var random = RandomSequence(seed: UInt64(seed))
        let ground = JournalGround()
        let names = ["a", "b", "c"].prefix(Int.random(in: 1...3, using: &random))
        var fates: [String: Fate] = [:]
        var all: [(name: String, number: Int)] = []
        for name in names {
            for number in 1...Int.random(in: 1...12, using: &random) { all.append((name, number)) }
        }
        let journal = try ground.open()
        for (name, number) in all.shuffled(using: &random) {
            let fate = Fate.allCases.randomElement(using: &random) ?? .succeeded
            fates["\(name)\(number)"] = fate
            let one = operation(name, number: number)
            guard fate != .neverBegun, case .run(let entry) = try journal.decide(one) else { continue }
            switch fate {
            case .succeeded: try journal.ended(one, entry, .succeeded([.text("\(name)\(number)")]))
            case .failed: try journal.ended(one, entry, .failed("no"))
            case .underWay, .neverBegun: break
            }
            if Bool.random(using: &random) { journal.flush() }
        }
        journal.flush()
        journal.abandon()
        let second = try ground.open()
        for (name, number) in all.shuffled(using: &random) {
            let got = try perform(second, operation(name, number: number))
            let own = fates["\(name)\(number)"] == .succeeded ? ScriptValue.text("\(name)\(number)") : nil
            #expect(got == own, "\(name)\(number), which \(fates["\(name)\(number)"] ?? .neverBegun)")
        }
        #expect(second.end("failed", isGood: false).unasked == 0)
    }

    @Test
    func
        `of a kind with several keys, the only result with a key serves, and of several the one with the number`()
        throws
    {
        let ground = JournalGround()
        let journal = try ground.open()
        _ = try perform(journal, operation("only", number: 2, kind: "old"), .text("only"))
        for number in 1...3 {
            _ = try perform(journal, operation("many", number: number, kind: "old"), .text("\(number)"))
        }
        _ = journal.end("failed", isGood: false)
        let second = try ground.open()
        #expect(try perform(second, operation("only", number: 1, kind: "new")) == .text("only"))
        #expect(try perform(second, operation("only", number: 2, kind: "new")) == nil)
        #expect(try perform(second, operation("many", number: 3, kind: "new")) == .text("3"))
        #expect(try perform(second, operation("many", number: 4, kind: "new")) == nil)
        #expect(try perform(second, operation("many", number: 1, kind: "old")) == .text("1"))
        #expect(try perform(second, operation("many", number: 1, kind: "new")) == nil)
    }

    @Test func `one that was under way does not get the result of another one of its kind`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        _ = try journal.decide(operation("a", number: 1, kind: "k"))
        _ = try perform(journal, operation("a", number: 2, kind: "k"), .text("2"))
        journal.flush()
        journal.abandon()
        let second = try ground.open()
        #expect(try perform(second, operation("a", number: 1, kind: "k")) == nil)
        #expect(try perform(second, operation("a", number: 2, kind: "k")) == .text("2"))
    }

    @Test func `an explanation names the end of its own entry`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        let failing = operation("a", number: 1)
        guard case .run(let entry) = try journal.decide(failing) else { return }
        try journal.ended(failing, entry, .failed("exit status 3"))
        _ = try journal.decide(operation("a", number: 2))
        _ = try perform(journal, operation("a", number: 3))
        journal.flush()
        journal.abandon()
        var options = Journal.Options(resumes: true)
        options.onlyExplains = true
        let second = try ground.open(options)
        func reason(_ number: Int) throws -> String {
            switch try second.decide(operation("a", number: number)) {
            case .reuse(_, let text): return text
            case .explain(let text, _): return text
            case .run: return "it ran"
            }
        }
        #expect(try reason(1) == "it failed in run 1: exit status 3")
        #expect(try reason(2) == "it was under way when run 1 ended")
        #expect(try reason(3) == "its result is recorded in run 1")
        #expect(try reason(4) == "nothing is recorded for it")
    }
}
#endif
