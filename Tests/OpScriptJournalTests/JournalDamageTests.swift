#if Journal
import Glibc
import Scheduling
import Testing

@testable import OpScript
@testable import OpScriptJournal

/// Journals whose bytes were changed, lost or moved.
@Suite(.timeLimit(.minutes(10))) struct JournalDamageTests {
    /// Flips bits of the file. An operation gets its own result or runs again; an effect is never repeated.
    @Test func `a changed byte is noticed, or changes nothing that counts`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        for number in 1...12 {
            _ = try perform(journal, operation("a", number: number), .text("result \(number)"))
            _ = try perform(journal, operation("effect", number: number, .once), .text("effect \(number)"))
        }
        let large = [UInt8](repeating: 7, count: 3_000)
        _ = try perform(journal, operation("large"), .string(large))
        _ = journal.end("failed", isGood: false)
        let whole = ground.bytes
        var random = RandomSequence(seed: 7)
        var refused = 0
        for place in whole.indices where Int.random(in: 0..<61, using: &random) == 0 {
            var bytes = whole
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            ground.bytes = bytes
            do throws(ScriptError) {
                let journal = try Journal(ground.path, Journal.Options(resumes: true))
                try journal.begin("job.lua")
                for number in 1...12 {
                    let own = ScriptValue.text("result \(number)")
                    let got = try answer(of: operation("a", number: number), journal)
                    #expect(got == nil || got == own, "byte \(place)")
                    let effect = try effectIsKept(number, journal)
                    #expect(effect, "byte \(place): effect \(number)")
                }
                let got = try answer(of: operation("large"), journal)
                #expect(got == nil || got == .string(large), "byte \(place)")
                journal.abandon()
            } catch {
                refused += 1
                #expect(error.message.contains(ground.path), "byte \(place): \(error.message)")
            }
        }
        #expect(refused > 10)
    }

    /// Whether an effect has its own result, or is unknown.
    private func effectIsKept(_ number: Int, _ journal: Journal) throws(ScriptError) -> Bool {
        do throws(ScriptError) {
            let got = try answer(of: operation("effect", [], number: number, .once), journal)
            return got == .text("effect \(number)")
        } catch {
            if error.code == .unknown { return true }
            throw error
        }
    }

    /// The recorded result; nil if it would run.
    private func answer(of operation: JournaledOperation, _ journal: Journal) throws(ScriptError)
        -> ScriptValue?
    {
        if case .reuse(let values, _) = try journal.decide(operation) { return values.first }
        return nil
    }

    @Test func `an effect whose result is damaged counts among those of its name`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        let known = operation("effect", ["a"], .once)
        let open = operation("effect", ["b"], .once)
        _ = try perform(journal, known, .text("a known result"))
        _ = try journal.decide(open)
        journal.flush()
        journal.abandon()
        let whole = ground.bytes
        func answerNeeded() throws -> String? {
            let second = try ground.open()
            defer { second.abandon() }
            return #expect(throws: ScriptError.self) { try second.decide(open) }?.message
        }
        #expect(try answerNeeded()?.contains("--resolve effect=done") == true)
        let place = try #require(whole.firstRange(of: Array("a known".utf8))).lowerBound
        ground.bytes[place] = UInt8(ascii: "A")
        #expect(try answerNeeded()?.contains("--resolve '#2=done'") == true)
        withExtendedLifetime(ground) {}
    }

    @Test func `check names what was changed, and a changed result is not used`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        _ = try perform(journal, operation("small"), .text("a small result"))
        _ = try perform(journal, operation("effect", [], .once), .text("an effect's result"))
        _ = try perform(journal, operation("large"), .string([UInt8](repeating: 1, count: 300_000)))
        _ = journal.end("failed", isGood: false)
        #expect(try JournalReader(ground.path).problems() == [])
        for (text, name) in [("a small", "small"), ("an effect", "effect")] {
            let whole = ground.bytes
            let place = try #require(whole.firstRange(of: Array(text.utf8))).lowerBound
            ground.bytes[place] = UInt8(ascii: "A")
            #expect(
                try JournalReader(ground.path).problems() == ["the result of '\(name)' in run 1 is damaged"]
            )
            let second = try ground.open()
            if name == "small" {
                #expect(try answer(of: operation("small"), second) == nil)
            } else {
                let error = #expect(throws: ScriptError.self) {
                    try second.decide(operation("effect", [], .once))
                }
                #expect(error?.code == .unknown && error?.message.contains("missing or damaged") == true)
            }
            second.abandon()
            ground.bytes = whole
        }
        let file = try #require(
            try Database(ground.path, isReadOnly: true).rows(
                "SELECT resultfile FROM entries WHERE resultfile IS NOT NULL",
                []
            ) { $0.text(0) ?? "" }.first
        )
        _ = FileReading.write([1, 2], to: "\(ground.path).results/\(file)", isSynced: false)
        #expect(
            try JournalReader(ground.path).problems().first?.hasSuffix("of 'large' in run 1 was altered")
                == true
        )
        unlink("\(ground.path).results/\(file)")
        #expect(
            try JournalReader(ground.path).problems().first?.hasSuffix("of 'large' in run 1 is missing")
                == true
        )
    }

    @Test func `an effect is known without the log, under way or ended`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        _ = try perform(journal, operation("ended", [], .once), .text("ended"))
        _ = try journal.decide(operation("under way", [], .once))
        // The file alone, as it is now.
        let copy = JournalGround()
        copy.bytes = ground.bytes
        let second = try copy.open()
        #expect(try answer(of: operation("ended", [], .once), second) == .text("ended"))
        let error = #expect(throws: ScriptError.self) { try second.decide(operation("under way", [], .once)) }
        #expect(error?.code == .unknown)
        journal.abandon()
    }

    @Test func `a journal that was removed during the run is a problem, and no effect begins then`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        _ = try perform(journal, operation("a"))
        unlink(ground.path)
        let error = #expect(throws: ScriptError.self) { try journal.decide(operation("effect", [], .once)) }
        #expect(error?.message.contains("was removed") == true)
        #expect(journal.end("ended well", isGood: true).problem?.contains("was removed or replaced") == true)
        // Another file in its place is none of its own.
        let second = try ground.open()
        unlink(ground.path)
        _ = ground.write("", to: "journal")
        #expect(second.end("ended well", isGood: true).problem?.contains("was removed or replaced") == true)
    }

    @Test func `a run that continues with another script says so`() throws {
        let ground = JournalGround()
        let journal = try ground.open()
        _ = journal.end("failed", isGood: false)
        let second = try Journal(ground.path, Journal.Options(resumes: true))
        try second.begin("other.lua")
        #expect(
            second.notes.last
                == "note: run 1 was one of 'job.lua', and this is 'other.lua': give each script a journal of its own by --journal"
        )
    }
}
#endif
