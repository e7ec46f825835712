#if Dashboard
import Foundation
import Glibc
import SystemPackage
import Testing

/// The live page's server, with real sockets on the loopback.
@Suite(.timeLimit(.minutes(10))) struct DashboardServerTests {
    /// One at a time; each waits for a file of its name.
    private static let job = """
        local queue = OperationQueue { name = "images", maxConcurrentOperationCount = 1 }
        for _, name in ipairs { "one", "two" } do
            queue:addOperation(Operation { name = name, main = function(op)
                repeat sleep(0.01) until io.open(op.name)
            end })
        end
        queue:waitUntilAllOperationsAreFinished()
        """

    private func events(_ command: LiveCommand, since: String? = nil) throws -> PageClient {
        let client = try PageClient(port: command.port)
        let headers = ["Host: localhost"] + (since.map { ["Last-Event-ID: \($0)"] } ?? [])
        client.send("GET", command.path("/events"), headers)
        return client
    }

    /// Reads messages until one is as expected.
    private func message(
        _ client: PageClient,
        where isExpected: ([String: Any]) -> Bool
    ) throws -> (id: String, json: [String: Any]) {
        while let message = try client.nextMessage() {
            if isExpected(message.json) { return message }
        }
        throw LiveCommand.NoPage()
    }

    private func count(_ message: [String: Any], _ name: String) -> Int {
        (message["counts"] as? [String: Int])?[name] ?? -1
    }

    private func queue(_ message: [String: Any]) -> [String: Any] {
        (message["queues"] as? [[String: Any]])?.first { $0["name"] as? String == "images" } ?? [:]
    }

    private func started(_ words: [String] = [], _ scratch: Scratch, job: String = job) throws -> LiveCommand
    {
        try scratch.file("job.lua", job)
        return try LiveCommand(["--dashboard"] + words + ["job.lua"], folder: scratch.path)
    }

    @Test func `without the token and from elsewhere nothing is served`() async throws {
        let scratch = try Scratch()
        try await onOwnThread {
            let command = try started([], scratch)
            let port = command.port
            for target in ["/", "/?token=\(String(repeating: "0", count: 32))", "/events?token=x", "/report"]
            {
                let answer = try PageClient.ask(port, "GET", target)
                #expect(answer.status == 403 && !answer.body.contains("<html"), "\(target)")
            }
            #expect(try PageClient.ask(port, "POST", "/cancelRun?token=x").status == 403)
            let strange = try PageClient.ask(port, "GET", command.path("/"), headers: ["Host: evil.example"])
            #expect(strange.status == 403)
            #expect(try PageClient.ask(port, "GET", command.path("/"), headers: []).status == 400)
            #expect(try PageClient.ask(port, "GET", command.path("/cancelRun")).status == 405)
            #expect(try PageClient.ask(port, "GET", command.path("/etc/passwd")).status == 404)
            let page = try PageClient.ask(port, "GET", command.path("/"))
            #expect(page.status == 200 && page.body.contains("<html") && !page.body.contains(command.token))
            #expect(page.head.contains("content-security-policy: default-src 'none'"))
            #expect(page.head.contains("cache-control: no-store"))
            for name in ["one", "two"] { try scratch.file(name, "") }
            #expect(command.wait() == 0)
        }
    }

    @Test func `the messages agree with the record`() async throws {
        let scratch = try Scratch()
        try await onOwnThread {
            let command = try started(["--dashboard-keep", "--report", "run.jsonl"], scratch)
            let client = try events(command)
            let first = try message(client) { count($0, "running") == 1 }
            #expect(count(first.json, "added") == 2 && count(first.json, "ready") == 1)
            #expect(queue(first.json)["width"] as? Int == 1 && queue(first.json)["length"] as? Int == 2)
            #expect(((first.json["running"] as? [[Any]])?.first?.last as? String) == "one")
            try scratch.file("one", "")
            _ = try message(client) { count($0, "succeeded") == 1 }
            try scratch.file("two", "")
            let last = try message(client) { ($0["run"] as? [String: Any])?["end"] != nil }
            #expect(try client.nextMessage() == nil)
            #expect(count(last.json, "succeeded") == 2 && count(last.json, "running") == 0)
            // A client that comes later receives all of it.
            let whole = try message(try events(command)) { _ in true }
            let spans = try #require(whole.json["spans"] as? [[Any]])
            try command.waitForLine(containing: "the page stays until Ctrl-C")
            let report = try PageClient.ask(command.port, "GET", command.path("/report"))
            #expect(report.status == 200 && report.body.contains("id=\"data\""))
            let refused = try PageClient.ask(command.port, "POST", command.path("/suspend", "&queue=0"))
            #expect(refused.status == 409 && refused.body == "the run has ended\n")
            command.interrupt()
            #expect(command.wait() == 0)

            let lines = try String(
                contentsOfFile: scratch.path.appending("run.jsonl").string,
                encoding: .utf8
            )
            .split(separator: "\n").map {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
            }
            #expect(
                (whole.json["run"] as? [String: Any])?["duration"] as? Int == lines[0]["duration"] as? Int
            )
            let recorded = lines.filter { $0["type"] as? String == "operation" && $0["started"] != nil }
            #expect(recorded.count == 2 && spans.count == 2)
            for (span, operation) in zip(spans, recorded) {
                #expect(span[0] as? Int == operation["number"] as? Int)
                #expect(span[2] as? String == operation["runner"] as? String)
                #expect(span[3] as? Int == operation["started"] as? Int)
                let end = (operation["ended"] as? Int ?? 0) - (operation["started"] as? Int ?? 0)
                #expect(span[4] as? Int == end)
                #expect(span[6] as? String == operation["name"] as? String)
            }
        }
    }

    @Test func `a client that comes back gets what is new`() async throws {
        let scratch = try Scratch()
        try await onOwnThread {
            let command = try started([], scratch)
            try scratch.file("one", "")
            let before = try message(try events(command)) { ($0["spans"] as? [Any])?.count == 1 }
            let client = try events(command, since: before.id)
            let after = try message(client) { _ in true }
            #expect(after.json["whole"] as? Bool == false && (after.json["spans"] as? [Any])?.isEmpty == true)
            try scratch.file("two", "")
            let last = try message(client) { ($0["run"] as? [String: Any])?["end"] != nil }
            // Without --dashboard-keep the end reaches open pages, and then the server is closed.
            #expect(count(last.json, "succeeded") == 2)
            #expect(command.wait() == 0)
            #expect(throws: PageClient.Failure.self) { try PageClient(port: command.port) }
        }
    }

    @Test func `a queue that the page has suspended waits for the page`() async throws {
        let scratch = try Scratch()
        try await onOwnThread {
            let command = try started([], scratch)
            let client = try events(command)
            let number = queue(try message(client) { count($0, "running") == 1 }.json)["queue"] as? Int ?? -1
            let field = "&queue=\(number)"
            #expect(try PageClient.ask(command.port, "POST", command.path("/suspend", field)).status == 200)
            try scratch.file("one", "")
            let paused = try message(client) { count($0, "running") == 0 && count($0, "succeeded") == 1 }
            #expect(queue(paused.json)["suspended"] as? Bool == true)
            // Nothing else could continue now, and the script waits: without the page that would be a deadlock.
            let later = try message(client) { _ in true }
            #expect(count(later.json, "succeeded") == 1 && count(later.json, "running") == 0)
            try scratch.file("two", "")
            #expect(try PageClient.ask(command.port, "POST", command.path("/resume", field)).status == 200)
            _ = try message(client) { count($0, "succeeded") == 2 }
            #expect(command.wait() == 0)
        }
    }

    @Test func `an operation and the run are cancelled`() async throws {
        let scratch = try Scratch()
        try await onOwnThread {
            let command = try started([], scratch)
            let client = try events(command)
            _ = try message(client) { count($0, "running") == 1 }
            #expect(
                try PageClient.ask(command.port, "POST", command.path("/cancel", "&operation=0")).status
                    == 200
            )
            _ = try message(client) { count($0, "cancelled") == 1 && count($0, "running") == 1 }
            let again = try PageClient.ask(command.port, "POST", command.path("/cancel", "&operation=0"))
            #expect(again.status == 409 && again.body == "'one' has ended\n")
            #expect(
                try PageClient.ask(command.port, "POST", command.path("/cancel", "&operation=99")).status
                    == 409
            )
            #expect(
                try PageClient.ask(command.port, "POST", command.path("/suspend", "&queue=99")).status == 409
            )
            // Twice is not the second Ctrl-C.
            for _ in 0..<2 {
                _ = try? PageClient.ask(command.port, "POST", command.path("/cancelRun"))
            }
            let last = try message(client) { ($0["run"] as? [String: Any])?["end"] != nil }
            #expect(count(last.json, "cancelled") == 2)
            #expect(command.wait() == 130)
        }
    }

    @Test func `an address that is taken is one line before the run begins`() async throws {
        let scratch = try Scratch()
        try await onOwnThread {
            let command = try started([], scratch)
            let errors = Pipe()
            let words = ["--dashboard", "\(command.port)", "-e", "io.stderr:write('ran')"]
            let process = try ChildProcess(CommandRun.commandPath.string, words, errors: errors)
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            #expect(process.wait() == 1)
            #expect(
                text
                    == "opscript: cannot serve the page at 127.0.0.1:\(command.port): something else listens there\n"
            )
            command.interrupt()
            #expect(command.wait() == 143)
        }
    }

    @Test func `too many pages are refused, and what is no HTTP ends a connection`() async throws {
        let scratch = try Scratch()
        try await onOwnThread {
            let command = try started([], scratch)
            let clients = try (0..<16).map { _ in try events(command) }
            for client in clients { _ = try message(client) { _ in true } }
            let more = try PageClient.ask(command.port, "GET", command.path("/events"))
            #expect(more.status == 503)
            let garbage = try PageClient(port: command.port)
            garbage.send("\u{1}\u{2}", "x", [])
            #expect(try garbage.nextMessage() == nil)
            let endless = try PageClient.ask(
                command.port,
                "GET",
                command.path("/") + String(repeating: "x", count: 1 << 18)
            )
            #expect(endless.status != 200)
            #expect(try PageClient.ask(command.port, "GET", command.path("/")).status == 200)
            for name in ["one", "two"] { try scratch.file(name, "") }
            for client in clients { _ = try message(client) { ($0["run"] as? [String: Any])?["end"] != nil } }
            #expect(command.wait() == 0)
        }
    }
}
#endif
