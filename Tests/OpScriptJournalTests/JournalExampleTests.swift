#if Journal
import Foundation
import OpScript
import OpScriptJournal
import Synchronization
import Testing

/// The Swift code that docs/journals.md shows is here, too, so that it is compiled and run.
@Suite struct JournalExampleTests {
    private final class Payments: Sendable {
        let sums = Mutex<[Int]>([])
        let isFull = Mutex(true)
        func pay(_ sum: Int) { sums.withLock { $0.append(sum) } }
        /// False the first time.
        func save() -> Bool {
            isFull.withLock { isFull in
                defer { isFull = false }
                return !isFull
            }
        }
    }

    @Test func `the page's code runs`() async throws {
        let ground = JournalGround()
        let (path, payments) = (ground.path, Payments())
        // begins
        func nightly(_ script: String) async throws -> (ScriptReport, [String]) {
            var options = Journal.Options(resumes: true)
            options.isFinishedLater = true
            let journal = try Journal(path, options)
            var configuration = ScriptEngine.Configuration()
            configuration.journal = journal
            let engine = ScriptEngine(configuration)
            engine.register("price", recording: .result) { (item: String) in item.count * 10 }
            engine.register("pay", recording: .once) { (sum: Int) in payments.pay(sum) }
            defer { engine.shutdown() }
            let report: ScriptReport
            do {
                report = try await engine.run(code: script)
            } catch {
                _ = journal.finish(isGood: false, otherwise: "failed")
                throw error
            }
            let isSaved = payments.save()
            if let problem = journal.finish(isGood: isSaved, otherwise: "could not save its payments") {
                print(problem)
            }
            return (report, journal.notes)
        }
        // ends
        let script = "await(work.pay(work.price('tea')))"
        let (first, begun) = try await nightly(script)
        #expect(begun == [] && first.journal?.ran == 2)
        let (second, continued) = try await nightly(script)
        #expect(continued.first?.hasSuffix("which could not save its payments") == true)
        #expect(second.journal?.recorded == 2 && second.journal?.ran == 0)
        let (third, anew) = try await nightly(script)
        #expect(anew == ["begins run 2: run 1 ended well"] && third.journal?.ran == 2)
        #expect(payments.sums.withLock { $0 } == [30, 30])
        await #expect(throws: ScriptError.self) { _ = try await nightly("error('no')") }
        let (_, afterFailure) = try await nightly(script)
        #expect(afterFailure.first?.hasSuffix("which failed") == true)
        withExtendedLifetime(ground) {}
    }

    @Test func `without a run, nothing is recorded, and no effect begins`() async throws {
        let ground = JournalGround()
        let payments = Payments()
        for _ in 1...2 {
            let journal = try Journal(ground.path, Journal.Options(resumes: true))
            var configuration = ScriptEngine.Configuration()
            configuration.journal = journal
            let engine = ScriptEngine(configuration)
            engine.register("price", recording: .result) { (item: String) in item.count * 10 }
            engine.register("pay", recording: .once) { (sum: Int) in payments.pay(sum) }
            let code = "local op = work.price('tea') return await(op), op.isRecorded"
            let (price, isRecorded) = try await engine.evaluate(code, returning: Int.self, Bool.self)
            #expect(price == 30 && !isRecorded)
            let error = await #expect(throws: ScriptError.self) {
                try await engine.evaluate("await(work.pay(1))")
            }
            #expect(error?.code == .misuse, "\(error?.message ?? "")")
            engine.shutdown()
            await engine.waitUntilClosed()
        }
        #expect(payments.sums.withLock { $0 } == [])
        withExtendedLifetime(ground) {}
    }

    @Test func `the page shows this code`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/journals.md"), encoding: .utf8)
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let shown = Self.lines(of: page, from: "```swift", to: "```")
        #expect(!shown.isEmpty)
        #expect(shown == Self.lines(of: source, from: "// begins", to: "// ends"))
    }

    private static func lines(of text: String, from begin: String, to end: String) -> [String] {
        let all = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        guard let first = all.firstIndex(of: begin), let last = all[first...].firstIndex(of: end) else {
            return []
        }
        return Array(all[(first + 1)..<last])
    }
}
#endif
