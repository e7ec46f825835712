@testable import OpScript
import OpScriptRecord
import Synchronization
import Testing

/// Ready operations start longest first, by the durations of an earlier run.
@Suite struct LongestFirstTests {
    private func engine(_ durations: OperationDurations?) -> ScriptEngine {
        var configuration = ScriptEngine.Configuration()
        configuration.clock = .virtual
        configuration.recordsRuns = true
        configuration.standardOutput = { _ in }
        if let durations {
            configuration.durations = durations
            configuration.startsLongestFirst = true
        }
        return ScriptEngine(configuration)
    }

    private func run(_ code: String, _ durations: OperationDurations? = nil) async throws -> RunRecord {
        let report = try await engine(durations).run(code: code, named: "=job")
        return try #require(report.record)
    }

    /// Two workers, four short parts and a long one that comes last.
    private static let graph = """
        local queue = OperationQueue { maxConcurrentOperationCount = 2 }
        for i = 1, 4 do queue:addOperation(Operation { name = "part " .. i, main = function() sleep(1) end }) end
        queue:addOperation(Operation { name = "all", main = function() sleep(4) end })
        queue:waitUntilAllOperationsAreFinished()
        """

    @Test func `the second run of a graph with a long end takes less time`() async throws {
        let first = try await run(Self.graph)
        #expect(first.duration == 6_000_000_000)
        let second = try await run(Self.graph, OperationDurations(first))
        #expect(second.duration == 4_000_000_000)
    }

    /// The order in which a queue of one slot starts what it has, with some names.
    private func order(of names: String, _ durations: OperationDurations? = nil) async throws -> [String] {
        let record = try await run(
            """
            local seconds = { short = 1, long = 9, urgent = 1, new = 3 }
            local queue = OperationQueue { isSuspended = true, maxConcurrentOperationCount = 1 }
            for name in ("\(names)"):gmatch "%a+" do
                local op = Operation { name = name, main = function() sleep(seconds[name]) end }
                if name == "urgent" then op.queuePriority = "high" end
                queue:addOperation(op)
            end
            queue.isSuspended = false
            queue:waitUntilAllOperationsAreFinished()
            """,
            durations
        )
        return record.operations.sorted { ($0.started ?? 0) < ($1.started ?? 0) }.map(\.name)
    }

    @Test func `priorities decide first, and what is not known comes before what is known`() async throws {
        let known = OperationDurations(
            try await run(
                """
                local seconds = { short = 1, long = 9, urgent = 1 }
                local queue = OperationQueue()
                for name in ("short long urgent"):gmatch "%a+" do
                    local op = Operation { name = name, main = function() sleep(seconds[name]) end }
                    queue:addOperation(op)
                end
                queue:waitUntilAllOperationsAreFinished()
                """
            )
        )
        #expect(try await order(of: "short long new urgent") == ["urgent", "short", "long", "new"])
        #expect(try await order(of: "short long new urgent", known) == ["urgent", "new", "long", "short"])
    }

    @Test func `a queue and the default queue say whether they start longest first`() async throws {
        let lines = """
            print(OperationQueue.default.startsLongestFirst, OperationQueue().startsLongestFirst)
            local queue = OperationQueue { startsLongestFirst = false }
            print(queue.startsLongestFirst)
            queue.startsLongestFirst = true
            print(queue.startsLongestFirst, OperationQueue.main.startsLongestFirst)
            print(select(2, pcall(function() OperationQueue.main.startsLongestFirst = true end)).code)
            """
        for (durations, first) in [(nil, "false\tfalse"), (OperationDurations(), "true\ttrue")] {
            let output = Mutex<[String]>([])
            var configuration = ScriptEngine.Configuration()
            configuration.standardOutput = { bytes in
                output.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            }
            configuration.startsLongestFirst = durations != nil
            _ = try await ScriptEngine(configuration).run(code: lines)
            #expect(
                output.withLock { $0.joined() } == first + "\nfalse\ntrue\tfalse\nmisuse\n"
            )
        }
    }

    // MARK: The file

    private func lines(_ text: String) throws -> OperationDurations {
        try OperationDurations(jsonLines: Array(text.utf8))
    }

    @Test func `a record in JSON lines has the same durations`() async throws {
        let record = try await run(Self.graph)
        let text = Mutex<[UInt8]>([])
        try record.write(.jsonLines) { piece in text.withLock { $0 += piece } }
        let second = try await run(Self.graph, OperationDurations(jsonLines: text.withLock { $0 }))
        #expect(second.duration == 4_000_000_000)
    }

    @Test func `a work that is new by its name takes the mean of its work`() async throws {
        let durations = try lines(
            """
            {"type":"run","schema":1}
            {"type":"operation","name":"a","work":"sleep","started":0,"ended":1000,"outcome":"succeeded"}
            {"type":"operation","name":"b","work":"sleep","started":0,"ended":9000,"outcome":"failed"}
            {"type":"operation","name":"c","place":"job:1","started":0,"ended":3000,"outcome":"succeeded"}
            {"type":"news","name":1}
            """
        )
        #expect(durations.nanoseconds(name: "b", work: "sleep", place: "x:1") == 1000)
        #expect(durations.nanoseconds(name: "c", work: nil, place: "job:1") == 3000)
        #expect(durations.nanoseconds(name: "c", work: nil, place: "job:2") == nil)
    }

    @Test(arguments: [
        ("", "no line of the record describes a run"), ("\n{\"type\":\"run\"}\nnonsense\n", "line 3"),
        ("[]", "line 1"), ("{\"type\":\"operation\"}", "no line of the record describes a run"),
    ])
    func `text that is no record is refused`(_ text: String, _ message: String) {
        let error = #expect(throws: ScriptError.self) { try lines(text) }
        #expect(error?.message.contains(message) == true)
    }
}
