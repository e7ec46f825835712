import Dispatch
import OpScript
import Synchronization
import Testing

/// A host's data about a run that threw, and about the values that scripts raise.
struct ReportTests {
    @Test func `an error has the report with the failures before it`() async throws {
        let engine = ScriptEngine()
        engine.register("fail") { throw ScriptError(.failed, "no disk") }
        let code =
            "pcall(await, work.fail()) local q = OperationQueue() q:addOperation(work.fail()) q:waitUntilAllOperationsAreFinished() error('then this')"
        let error = try #require(
            await scriptError { _ = try await engine.run(code: code, named: "@job.lua") }
        )
        let report = try #require(error.report)
        #expect(report.failures.map(\.message) == ["no disk", "no disk"])
        #expect(report.failed == 1 && report.handled == 0 && report.steps == 1)
        #expect(report.error?.message == error.message)
        #expect(error.message == "job.lua:1: then this")
    }

    @Test(arguments: [
        "Operation { name = 'bad', main = print, timeout = 0 }",
        "Operation { name = 'bad', main = print, retry = 3 }",
        "Operation { main = print, dependencies = { 1 } }", "GroupOperation { nmae = 1 }",
        "GroupOperation { 1 }",
        "local T = Operation:subclass 'T' function T:init() error 'no' end function T:main() end T {}",
    ])
    func `an operation that its constructor refused was not the script's to add`(code: String) async throws {
        let engine = ScriptEngine()
        let guarded = "local ok = pcall(function() \(code) end) assert(not ok)"
        #expect(try await engine.run(code: guarded).neverAdded == [])
        #expect(try await engine.run(code: guarded + " collectgarbage() collectgarbage()").neverAdded == [])
        // An operation that the script got is still named.
        #expect(try await engine.run(code: "Operation { name = 'good', main = print }").neverAdded.count == 1)
    }

    @Test(arguments: [
        "error({ code = 42, list = { 1, 2 }, print })", "async(error, { code = 42, list = { 1, 2 }, print })",
    ])
    func `a table that was raised arrives as a value`(code: String) async throws {
        let engine = ScriptEngine()
        let error: ScriptError
        do {
            error = try #require(try await engine.run(code: code).failures.first?.error)
        } catch let thrown as ScriptError {
            error = thrown
        }
        let object = try #require(error.underlying as? ScriptErrorObject)
        struct Raised: Codable, Equatable {
            var code: Int
            var list: [Int]
        }
        #expect(try object.decode(Raised.self) == Raised(code: 42, list: [1, 2]))
    }

    @Test func `numbers, booleans and host objects that were raised arrive as values`() async throws {
        final class Ticket: ScriptObject {
            static let scriptTypeName = "Ticket"
            static let scriptPropertyNames: [String] = []
            func scriptProperty(_ name: String) -> ScriptValue? { nil }
        }
        let engine = ScriptEngine()
        let ticket = Ticket()
        try await engine.set("ticket", ticket)
        for (code, value) in [
            ("error(42)", .integer(42)), ("error(1.5)", .number(1.5)), ("error(false)", .boolean(false)),
            ("error(ticket)", .object(ticket)),
        ] as [(String, ScriptValue)] {
            let error = try #require(await scriptError { _ = try await engine.run(code: code) })
            #expect((error.underlying as? ScriptErrorObject)?.value == value, "\(code)")
            let call = try #require(await scriptError { try await engine.evaluate(code) })
            #expect((call.underlying as? ScriptErrorObject)?.value == value, "\(code)")
        }
    }

    @Test(arguments: [
        "pcall(sleep, 3600)", "local ok = pcall(sleep, 3600) os.exit(0)",
        "shield(function() pcall(sleep, 0.01) end) sleep(3600)",
        "pcall(sleep, 3600) error('late')",
    ])
    func `a cancelled run throws, even if the script catches the cancellation`(code: String) async throws {
        let engine = ScriptEngine()
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        engine.register("begun") { _ = hasBegun.yield() }
        // The script does not wait for the closure: the cancellation may reach the closure itself before the script
        // sees its end, and `await` would raise then.
        let run = Task {
            try await engine.run(code: "OperationQueue.default:addOperation(work.begun()) \(code)")
        }
        for await _ in begun { break }
        engine.cancel()
        let error = try #require(await scriptError { _ = try await run.value })
        #expect(error.code == .cancelled)
        #expect(error.report?.wasCancelled == true)
        if code.contains("late") {
            #expect((error.underlying as? ScriptError)?.message == "code:1: late")
        }
    }

    @Test(arguments: [
        "local q = OperationQueue() for i = 1, 1000 do q:addOperation(work.add(i)) end q:waitUntilAllOperationsAreFinished()",
        "OperationQueue():addOperation(work.fail())",
        "for i = 1, 300 do OperationQueue():addOperation(work.fail()) end error('end')",
        "OperationQueue { isSuspended = true }:addOperation(work.add(1))",
    ])
    func `the status is final when a run returns or throws`(code: String) async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.tracksStatus = true
        let engine = ScriptEngine(configuration)
        engine.register("add") { (n: Int) in n + 1 }
        engine.register("fail") { throw ScriptError(.failed, "no") }
        let report: ScriptReport
        do {
            report = try await engine.run(code: code)
        } catch let error as ScriptError {
            report = try #require(error.report)
        }
        let status = engine.status
        #expect(status.finished == report.succeeded + report.failed + report.cancelled + report.skipped)
        #expect(status.failed == report.failed)
        #expect(status.total >= status.finished)
        #expect(status.runningCount == 0 && status.running.isEmpty)
    }

    // MARK: Requests from inside

    @Test(arguments: [
        "work.inside()", "work.insideTask()", "work.insideAsync()", "object:ask()", "work.insideThread()",
    ])
    func `a request from inside a closure of the same engine is refused at once`(code: String) async throws {
        var configuration = ScriptEngine.Configuration()
        configuration.capabilities = [.threads]
        let engine = ScriptEngine(configuration)
        let other = ScriptEngine()
        let errors = Log()
        @Sendable func ask() async {
            for request in [
                { _ = try await engine.run(code: "") }, { try await engine.evaluate("1") },
                { try await engine.call("print") },
            ] as [@Sendable () async throws -> Void] {
                do {
                    try await request()
                    errors.add("no error")
                } catch {
                    errors.add((error as? ScriptError)?.code.name ?? "\(error)")
                }
            }
            // Another engine may run here.
            _ = try? await other.run(code: "sleep(0)")
        }
        @Sendable func wait() {
            let isDone = DispatchSemaphore(value: 0)
            Task {
                await ask()
                isDone.signal()
            }
            isDone.wait()
        }
        engine.register("inside") { wait() }
        engine.register("insideThread") { wait() }
        engine.register("insideAsync") { () async in await ask() }
        engine.register("insideTask") { () async in await Task { await ask() }.value }
        engine.expose(Asker.self) { type in
            type.method("ask") { (asker: Asker) in asker.body() }
        }
        try await engine.set("object", Asker(body: wait))
        let statement =
            code.hasPrefix("object")
            ? code
            : code.contains("Thread")
                ? "local t = Thread { work = \"insideThread\", args = {} } t:start() repeat sleep(0) until t.isFinished"
                : "await(\(code))"
        _ = try await engine.run(code: statement)
        #expect(errors.all == ["misuse", "misuse", "misuse"])
        // The closures keep the engine that keeps them.
        engine.shutdown()
        other.shutdown()
    }

    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    final class Asker: Sendable {
        let body: @Sendable () -> Void
        init(body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
