#if Journal
import Testing

@testable import OpScript
@testable import OpScriptJournal

/// The end of a run that its program decides later.
@Suite struct PendingEndTests {
    @Test func `a run that is finished later ends as its program says, and counts as killed before`() throws {
        let ground = JournalGround()
        var options = Journal.Options(resumes: true)
        options.isFinishedLater = true
        func run(_ outcome: String, isGood: Bool) throws -> Journal {
            let journal = try ground.open(options)
            _ = journal.end(outcome, isGood: isGood)
            return journal
        }
        #expect(try run("ended well", isGood: true).notes == [])
        let second = try run("ended well", isGood: true)
        #expect(second.notes.first?.hasSuffix("which was killed") == true)
        #expect(throws: ScriptError.self) { try second.decide(operation("late", [], .once)) }
        #expect(second.finish(isGood: false, otherwise: "lost its output") == nil)
        let third = try run("failed", isGood: false)
        #expect(third.notes.first?.hasSuffix("which lost its output") == true)
        #expect(third.finish(isGood: true, otherwise: "") == nil)
        let fourth = try run("ended well", isGood: true)
        #expect(fourth.notes.first?.hasSuffix("which failed") == true)
        #expect(fourth.finish(isGood: true, otherwise: "") == nil)
        #expect(try run("ended well", isGood: true).notes == ["begins run 2: run 1 ended well"])
        #expect(try ground.open().finish(isGood: false, otherwise: "x")?.contains("isFinishedLater") == true)
        withExtendedLifetime(ground) {}
    }
}
#endif
