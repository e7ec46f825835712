import Foundation
import OpScript
import Testing

@testable import OpScriptCLI

/// The progress of a run.
@Suite struct ProgressTests {
    private func status(_ running: [(String, Double)], finished: Int = 5, total: Int = 10) -> ScriptStatus {
        var status = ScriptStatus()
        status.finished = finished
        status.total = total
        status.runningCount = running.count
        status.running = running.map { ScriptStatus.Running(name: $0.0, seconds: $0.1) }
        return status
    }

    private func lines(_ status: ScriptStatus, rows: Int = 10, columns: Int = 60, elapsed: Double = 10)
        -> [String]
    {
        ProgressText.lines(status, elapsed: elapsed, rows: rows, columns: columns, takesColours: false)
    }

    @Test func `the numbers come first, then the running operations, the longest first`() {
        var status = status([("one", 3), ("two", 1)])
        status.running[0].fraction = 0.42
        status.running[0].text = "linking"
        status.running[1].text = "a\u{1B}b"
        #expect(
            lines(status) == [
                "5 of 10 done, 2 running, 10 s", "  3 s  one  42 %  linking", "  1 s  two  a?b",
            ]
        )
        status.isGrowing = true
        status.failed = 1
        #expect(lines(status)[0] == "5 of 10 so far done, 2 running, 1 failed, 10 s")
        status.retryingCount = 1
        #expect(lines(status)[0].contains("2 running, 1 waits for a retry, 1 fail"))
        status.retryingCount = 2
        #expect(lines(status)[0].contains(", 2 wait for a retry, "))
        // Only the main chunk waits, for a step of its own.
        status = self.status([("one", 3)], finished: 0, total: 0)
        #expect(lines(status)[0] == "1 running, 10 s")
    }

    @Test func `the rest is estimated from what operations of its kind took and how many ran at once`() {
        var status = status([])
        // Four at once: 40 s of work in 10 s; as much is left.
        status.finishedWork = 40
        status.remainingWork = 40
        #expect(ProgressText.estimate(status, elapsed: 10) == 10)
        #expect(lines(status)[0] == "5 of 10 done, 0 running, 10 s, about 10 s left")
        status.remainingWork = 20
        #expect(ProgressText.estimate(status, elapsed: 10) == 5)
        // Operations that take no time continue at their pace.
        status.finishedWork = 0
        status.remainingWork = 0
        #expect(ProgressText.estimate(status, elapsed: 10) == 10)
        status.finished = 4
        #expect(ProgressText.estimate(status, elapsed: 10) == nil)
        status.finishedWork = 40
        status.remainingWork = nil
        #expect(ProgressText.estimate(status, elapsed: 10) == nil)
        status.remainingWork = 40
        // Operations that are still to be added are in no estimate.
        status.isGrowing = true
        #expect(ProgressText.estimate(status, elapsed: 10) == 10)
    }

    @Test func `no more lines than rows, and no more columns than the terminal has`() {
        let status = status((1...30).map { ("operation \($0)", Double(40 - $0)) })
        for rows in 1...12 {
            let shown = lines(status, rows: rows, columns: 20)
            #expect(shown.count <= rows)
            #expect(shown.allSatisfy { ProgressText.width(of: $0) <= 20 })
        }
        #expect(lines(status, rows: 4).last == "  … and 28 more")
    }

    @Test func `names cannot move the cursor`() {
        #expect(lines(status([("a\u{1B}[2J\nb", 1)]))[1] == "  1 s  a?[2J?b")
    }

    @Test func `colours take no columns`() {
        var status = status([])
        status.failed = 2
        let line = ProgressText.lines(status, elapsed: 1, rows: 1, columns: 60, takesColours: true)[0]
        #expect(line.hasPrefix("\u{1B}[31m") && line.hasSuffix("\u{1B}[0m"))
        #expect(ProgressText.width(of: line) == lines(status, elapsed: 1)[0].count)
    }

    @Test func `lines of JSON are JSON`() throws {
        var status = status([("a\"\n\u{1}\\", 1.5)])
        status.running[0].fraction = 0.5
        status.running[0].text = "\"half\""
        (status.finishedWork, status.remainingWork) = (4.5, 9)
        let text = ProgressText.json(status, elapsed: 2.25)
        let value = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(value["finished"] as? Int == 5 && value["elapsed"] as? Double == 2.25)
        let running = try #require(value["running"] as? [[String: Any]])
        #expect(running[0]["name"] as? String == "a\"\n\u{1}\\")
        #expect(running[0]["fraction"] as? Double == 0.5 && running[0]["text"] as? String == "\"half\"")
        #expect(value["left"] as? Double == 4.5)
    }

    @Test func `programs get an end in JSON`() async throws {
        let run = try await CommandRun.command("--progress", "json", "-e", "await(work.sleep(0))")
        let line = try #require(run.errorLines.last)
        let value = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(value["type"] as? String == "end" && value["succeeded"] as? Int == 0)
        #expect(value["steps"] as? Int == 1)
        #expect(value["status"] as? Int == 0)
    }

    @Test func `an unhandled failure is reported during the run, and only once`() async throws {
        let code = """
            local op = Operation { name = "bad", main = function() error("no") end }
            local slow, last = Gate "slow", Operation { name = "last", main = function() end }
            last:addDependency(slow)
            last:addDependency(op)
            OperationQueue():addOperations { op, last }
            local handled = Operation { name = "caught", main = function() error("never mind") end }
            OperationQueue():addOperation(handled)
            pawait(handled)
            io.stderr:write("before\\n")
            repeat sleep(0.1) until io.open(arg[1])
            slow:finish()
            """
        let scratch = try Scratch()
        try scratch.file("job.lua", code)
        // The script continues until the failure was reported, so the test asserts no time.
        let line = """
            mkfifo pipe; "$opscript" job.lua flag 2> pipe & \
            while read -r text; do echo "$text"; case "$text" in failed*) touch flag;; esac; done < pipe; wait
            """
        let run = try await CommandRun.shell(line, folder: scratch.path)
        let lines = run.text.split(separator: "\n").map(String.init)
        #expect(lines.first == "before")
        #expect(lines.filter { $0.hasPrefix("failed: 'bad'") }.count == 1)
        #expect(!run.text.contains("caught"))
        let totals = "opscript: 1 succeeded, 1 failed, 1 failure handled, 1 not run in"
        #expect(lines.suffix(2).first?.hasPrefix(totals) == true, "\(run.text)")
        // When the failure was reported, it was not known yet.
        #expect(lines.last == "opscript: not run because of 'bad': last")
    }

    @Test func `for programs, a failure in the last second is JSON as well`() async throws {
        let run = try await CommandRun.command(
            "--progress",
            "json",
            "-e",
            "OperationQueue.default:addOperation(Operation { name = 'a', main = function() error('no', 0) end })"
        )
        #expect(run.status == 1)
        let types = try run.errorLines.map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return value?["type"] as? String ?? ""
        }
        // A slow machine prints progress as well.
        #expect(types.filter { $0 != "progress" } == ["failure", "end"])
    }

    @Test(arguments: [
        (#"error("a\n{b", 0)"#, ["a\n{b"]),
        (#"local op = async(function() error("in\n{side", 0) end) op.name = "{n" await(op)"#, ["in\n{side"]),
        (
            #"""
            for _, text in ipairs { "one\n{", "two\n{" } do
                local op = Operation(function() end)
                op.completionBlock = function() error(text, 0) end
                OperationQueue():addOperation(op)
            end
            """#, ["one\n{", "two\n{"]
        ),
        (#"local op = Operation(function() end) op.name = "a\n{b""#, []),
        (#"warn("@on") warn("a\n{b")"#, []),
    ]) func `for programs, each line that begins with a brace is an object, and each error has one`(
        _ code: String,
        _ errors: [String]
    ) async throws {
        let run = try await CommandRun.command("--progress", "json", "-e", code)
        let objects = try run.errorLines.filter { $0.hasPrefix("{") }.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let failures = objects.filter { $0["type"] as? String == "failure" }
        #expect(failures.compactMap { $0["error"] as? String }.sorted() == errors, "\(run.errors)")
        for failure in failures {
            #expect(failure["name"] is String && failure["place"] is String && failure["seconds"] is Double)
        }
        #expect(objects.last?["type"] as? String == "end")
        #expect(run.status == (errors.isEmpty ? 0 : 1))
    }
}
