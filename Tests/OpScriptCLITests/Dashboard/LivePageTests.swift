#if Dashboard
import Foundation
import SystemPackage
import Testing

/// The live page in a real browser, where one is installed: Debian's `chromium`.
@Suite(.serialized, .enabled(if: Browser.path != nil, "needs Debian's chromium"), .timeLimit(.minutes(10)))
struct LivePageTests {
    private static let job = """
        executed = "</script><script>executed = true</script>"
        local queue = OperationQueue { name = "q" .. executed, maxConcurrentOperationCount = 2 }
        for place = 1, 40 do
            queue:addOperation(Operation {
                name = (place % 2 == 0 and "pack " or executed) .. place, allowsFailure = true,
                main = function()
                    if place == 3 then error("bad " .. executed) end
                    if place > 30 then repeat sleep(0.01) until io.open("go") end
                end,
            })
        end
        queue:waitUntilAllOperationsAreFinished()
        """

    @Test func `the page follows a run, and its buttons act`() async throws {
        let scratch = try Scratch()
        try await onOwnThread {
            try scratch.file("job.lua", Self.job)
            let command = try LiveCommand(
                ["--dashboard", "--dashboard-keep", "--report", "run.jsonl", "job.lua"],
                folder: scratch.path
            )
            let browser = try Browser(profile: scratch.path.appending("profile").string, page: command.page)
            func text(_ id: String) throws -> String {
                try browser.evaluate("document.getElementById('\(id)').textContent") as? String ?? ""
            }

            _ = try browser.wait(
                for: "opscript.last.counts.running === 2 && opscript.last.counts.succeeded === 29"
            )
            #expect(try text("title") == "job.lua" && text("subtitle").hasPrefix("running – "))
            #expect(try text("sums").hasPrefix("added40ready8running2succeeded29failed1"))
            #expect(try text("queues").contains("</script><script>executed = true</script>"))
            #expect(try text("failures").contains("bad </script><script>"))
            #expect(try browser.evaluate("typeof executed") as? String == "undefined")
            let rows = "document.querySelectorAll('#running tbody tr').length"
            #expect(try browser.evaluate(rows) as? Int == 2)

            // A button of the queue, and one of an operation: one more runs only after the queue continues.
            let button = "[...document.querySelectorAll('#queues button')].find(b => b.textContent === "
            _ = try browser.wait(for: "(\(button)'Suspend').click(), true)")
            _ = try browser.wait(for: "\(button)'Resume') && opscript.last.queues.some(q => q.suspended)")
            _ = try browser.evaluate("document.querySelector('#running button').click()")
            _ = try browser.wait(
                for: "opscript.last.counts.cancelled === 1 && opscript.last.counts.running === 1"
            )
            _ = try browser.evaluate("\(button)'Resume').click()")
            _ = try browser.wait(for: "opscript.last.counts.running === 2")

            try scratch.file("go", "")
            try command.waitForLine(containing: "the page stays until Ctrl-C")
            _ = try browser.wait(for: "opscript.isOver")

            // At the end it shows the numbers of the record.
            let shown = try browser.evaluate(
                """
                ({ counts: opscript.last.counts, duration: opscript.last.run.duration, drawn: opscript.data.count,
                   rows: opscript.timeline.state().rows, works: document.querySelectorAll("#works tbody tr").length,
                   numbers: opscript.data.number, starts: opscript.data.start, lengths: opscript.data.length })
                """
            )
            let page = try #require(shown as? [String: Any])
            let lines = try String(
                contentsOfFile: scratch.path.appending("run.jsonl").string,
                encoding: .utf8
            )
            .split(separator: "\n").map {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
            }
            let counts = try #require(page["counts"] as? [String: Int])
            for name in ["succeeded", "failed", "cancelled", "skipped"] {
                #expect(counts[name] == lines[0][name] as? Int, "\(name)")
            }
            #expect(page["duration"] as? Int == lines[0]["duration"] as? Int)
            let recorded = Dictionary(
                uniqueKeysWithValues: lines.dropFirst().compactMap { line -> (Int, [Int])? in
                    guard let number = line["number"] as? Int, let start = line["started"] as? Int,
                        let end = line["ended"] as? Int
                    else { return nil }
                    return (number, [start, end - start])
                }
            )
            let numbers = try #require(page["numbers"] as? [Int])
            let starts = try #require(page["starts"] as? [Int])
            let lengths = try #require(page["lengths"] as? [Int])
            #expect(Set(numbers) == Set(recorded.keys) && numbers.count == 40)
            for (place, number) in numbers.enumerated() {
                #expect(recorded[number] == [starts[place], lengths[place]], "\(number)")
            }
            #expect(page["works"] as? Int == 40 && page["rows"] as? Int ?? 0 >= 2)

            // The whole report, and a page without the token.
            _ = try browser.evaluate("document.getElementById('reportLink').click()")
            _ = try browser.wait(for: "opscript.isReady && opscript.data.count === 40")
            try browser.open("http://127.0.0.1:\(command.port)/?token=0")
            #expect(try browser.wait(for: "document.body.innerText") as? String ?? "" != "")
            #expect(try text0(browser).contains("the token is missing or wrong"))
            command.interrupt()
            // A cancelled operation sets no status, and the failure is allowed.
            #expect(command.wait() == 0)
        }
    }

    @Test func `a page whose connection was lost connects again, and misses nothing`() async throws {
        let scratch = try Scratch()
        try await onOwnThread {
            let job = """
                local queue = OperationQueue()
                local function wait(name)
                    return Operation { name = name, main = function() repeat sleep(0.01) until io.open(name) end }
                end
                queue:addOperations({ wait "first" }, true)
                queue:addOperations({ wait "second" }, true)
                """
            try scratch.file("job.lua", job)
            let command = try LiveCommand(
                ["--dashboard", "--dashboard-keep", "job.lua"],
                folder: scratch.path
            )
            let relay = try LoopbackRelay(to: command.port)
            defer { relay.close() }
            let browser = try Browser(
                profile: scratch.path.appending("profile").string,
                page: "http://127.0.0.1:\(relay.port)/?token=\(command.token)"
            )
            _ = try browser.wait(for: "opscript.last.counts.running === 1")
            relay.setCut(true)
            _ = try browser.wait(for: "document.body.innerText.includes('connection lost; trying again')")
            try scratch.file("first", "")
            try scratch.file("second", "")
            try command.waitForLine(containing: "the page stays until Ctrl-C")
            #expect(try browser.evaluate("opscript.last.counts.succeeded") as? Int == 0)
            relay.setCut(false)
            _ = try browser.wait(for: "opscript.isOver && opscript.last.counts.succeeded === 2")
            #expect(try browser.evaluate("opscript.data.count") as? Int == 2)
            #expect(
                try browser.evaluate("document.body.innerText.includes('connection lost')") as? Bool == false
            )
            command.interrupt()
            #expect(command.wait() == 0)
        }
    }

    /// A page that is as narrow as a telephone does not scroll sideways, in light and in dark.
    @Test func `the live page and the report fit a narrow screen`() async throws {
        let scratch = try Scratch()
        try await onOwnThread {
            try scratch.file("go", "")
            try scratch.file("job.lua", Self.job)
            let command = try LiveCommand(
                ["--dashboard", "--dashboard-keep", "job.lua"],
                folder: scratch.path
            )
            let browser = try Browser(profile: scratch.path.appending("profile").string, page: command.page)
            func check() throws {
                for (scheme, back) in [("light", "rgb(255, 255, 255)"), ("dark", "rgb(22, 24, 27)")] {
                    try browser.setColourScheme(scheme)
                    #expect(try browser.evaluate("document.documentElement.scrollWidth") as? Int == 360)
                    let colour = "getComputedStyle(document.body).backgroundColor"
                    #expect(try browser.evaluate(colour) as? String == back)
                }
            }
            try browser.resize(width: 360, height: 740)
            _ = try browser.wait(for: "opscript.isOver")
            try check()
            _ = try browser.evaluate("document.getElementById('reportLink').click()")
            _ = try browser.wait(for: "opscript.isReady && opscript.data.count === 40")
            try check()
            command.interrupt()
            #expect(command.wait() == 0)
        }
    }

    private func text0(_ browser: Browser) throws -> String {
        try browser.wait(for: "document.body.innerText.includes('token') && document.body.innerText")
            as? String ?? ""
    }
}
#endif
