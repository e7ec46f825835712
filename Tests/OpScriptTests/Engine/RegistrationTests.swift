import OpScript
import Synchronization
import Testing

struct RegistrationTests {
    struct Size: Codable, Equatable {
        var width: Int
        var height: Int
        var label: String?
    }

    struct Refusal: Error, CustomStringConvertible {
        var description: String { "the closure refuses" }
    }

    /// Runs a script that passes its findings to `note`, and returns them.
    private func notes(_ engine: ScriptEngine, _ code: String) async throws -> [String] {
        let log = Notes()
        engine.register("note") { (text: String) in log.add(text) }
        _ = try await engine.run(code: code)
        return log.all
    }

    @Test func `arguments are converted to the closure's types, and its result back`() async throws {
        let engine = ScriptEngine()
        engine.register("join", "Joins.", parameters: ["text", "times", "separator"]) {
            (text: String, times: Int, separator: String?) throws -> String in
            Array(repeating: text, count: times).joined(separator: separator ?? "")
        }
        let found = try await notes(
            engine,
            """
            await(work.note(await(work.join("ab", 3))))
            await(work.note(await(work.join("ab", 2, "-"))))
            """
        )
        #expect(found == ["ababab", "ab-ab"])
    }

    @Test func `codable types cross as tables`() async throws {
        let engine = ScriptEngine()
        engine.register("grow") { (size: Size, by: Int) -> Size in
            Size(width: size.width * by, height: size.height * by, label: size.label)
        }
        let found = try await notes(
            engine,
            """
            local size = await(work.grow({ width = 2, height = 3, label = "x" }, 10))
            await(work.note(size.width .. " " .. size.height .. " " .. size.label))
            """
        )
        #expect(found == ["20 30 x"])
    }

    @Test func `a wrong argument raises where the operation is made`() async throws {
        let engine = ScriptEngine()
        engine.register("square", parameters: ["number"]) { (number: Int) in number * number }
        let found = try await notes(
            engine,
            """
            for _, bad in ipairs { "x", 1.5, {} } do
                local ok, problem = pcall(work.square, bad)
                await(work.note(tostring(ok) .. " " .. problem.message:gsub("^.-: ", "")))
            end
            local ok, problem = pcall(work.square)
            await(work.note((problem.message:gsub("^.-: ", ""))))
            local ok, problem = pcall(work.square, 1, 2)
            await(work.note((problem.message:gsub("^.-: ", ""))))
            """
        )
        #expect(
            found == [
                "false bad argument #1 to 'square' (integer expected, got string)",
                "false bad argument #1 to 'square' (integer expected, got 1.5)",
                "false bad argument #1 to 'square' (integer expected, got table)",
                "bad argument #1 to 'square' (integer expected, got no value)",
                "bad argument #2 to 'square' (no value expected, got number)",
            ]
        )
    }

    @Test func `results of operations are checked when the body starts`() async throws {
        let engine = ScriptEngine()
        engine.register("text") { "twelve" }
        engine.register("square") { (number: Int) in number * number }
        let found = try await notes(
            engine,
            """
            local ok, problem = pawait(work.square(work.text()))
            await(work.note(problem.code .. ": " .. problem.message:gsub("^.-: ", "")))
            """
        )
        #expect(found == ["argument: bad argument #1 to 'square' (integer expected, got string)"])
    }

    @Test func `an error of a closure fails its operation, and is the same error in Swift again`()
        async throws
    {
        let engine = ScriptEngine()
        engine.register("refuse") { () throws -> Int in throw Refusal() }
        let report = try await engine.run(code: "OperationQueue():addOperation(work.refuse())")
        #expect(report.failed == 1)
        #expect(report.failures.map(\.message) == ["the closure refuses"])
        #expect(report.failures.map(\.name) == ["refuse"])
        await #expect {
            try await engine.run(code: "await(work.refuse())", named: "@job.lua")
        } throws: { error in
            (error as? ScriptError)?.underlying is Refusal
        }
    }

    @Test func `async closures are cancelled as tasks`() async throws {
        let engine = ScriptEngine()
        let (started, hasStarted) = AsyncStream.makeStream(of: Void.self)
        engine.register("hang") { () async throws in
            hasStarted.yield()
            // Ends by cancellation alone.
            for await _ in AsyncStream<Never>(unfolding: { await Self.cancelled() }) {}
            try Task.checkCancellation()
        }
        let run = Task { try await engine.run(code: "OperationQueue():addOperation(work.hang())") }
        for await _ in started { break }
        engine.cancel()
        let error = await scriptError { _ = try await run.value }
        #expect(error?.report?.cancelled == 1)
        #expect(error?.report?.wasCancelled == true)
    }

    /// Returns nothing once the current task is cancelled.
    private static func cancelled() async -> Never? {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        await withTaskCancellationHandler {
            for await _ in stream {}
        } onCancel: {
            continuation.finish()
        }
        return nil
    }

    @Test func `a context has its operation's data and takes progress`() async throws {
        let engine = ScriptEngine()
        engine.register("step", parameters: ["count"]) {
            (context: WorkContext, count: Int64) throws -> String in
            context.progress.report(completed: count, of: 4)
            return "\(context.name) \(context.attempt) \(context.isCancelled)"
        }
        let found = try await notes(
            engine,
            """
            local op = work.step(3)
            await(work.note(await(op)))
            await(work.note(tostring(op.progress.fractionCompleted)))
            """
        )
        #expect(found == ["step 1 false", "1.0"])
    }

    @Test func `registering a name again replaces it for new operations, with replacing`() async throws {
        let engine = ScriptEngine()
        engine.register("version") { 1 }
        engine.register("version", replacing: true) { 2 }
        let found = try await notes(engine, "await(work.note(tostring(await(work.version()))))")
        #expect(found == ["2"])
    }

    @Test func `a function that a script has kept makes operations of the latest registration`() async throws
    {
        let engine = ScriptEngine()
        engine.register("turn") { (number: Int) in -number }
        engine.register("widen") { [weak engine] () in
            engine?.register("turn", replacing: true) { (first: Int, second: Int) in first * 10 + second }
        }
        let found = try await notes(
            engine,
            """
            local turn = work.turn
            assert(await(turn(7)) == -7 and await(turn(-7.0)) == 7)
            local ok, wrong = pcall(turn, "seven")
            assert(not ok and wrong.message:find("argument #1 to 'turn'", 1, true), wrong)
            ok, wrong = pcall(turn, true)
            assert(not ok and wrong.message:find("argument #1 to 'turn'", 1, true), wrong)
            ok, wrong = pcall(turn)
            assert(not ok and wrong.message:find("argument #1 to 'turn'", 1, true), wrong)
            ok, wrong = pcall(turn, 7, 8)
            assert(not ok and wrong.message:find("argument #2 to 'turn'", 1, true), wrong)
            await(work.widen())
            ok, wrong = pcall(turn, 7)
            assert(not ok and wrong.message:find("argument #2 to 'turn'", 1, true), wrong)
            await(work.note(tostring(await(turn(7, 8)))))
            """
        )
        #expect(found == ["78"])
    }

    @Test func `an invalid registration is thrown by the next request`() async throws {
        struct Uncrossable: Sendable { var closure: @Sendable () -> Void = {} }
        func problem(_ register: (ScriptEngine) -> Void) async -> String {
            let engine = ScriptEngine()
            register(engine)
            let first = await scriptError { _ = try await engine.run(code: "") }
            let second = await scriptError { try await engine.evaluate("1") }
            #expect(first?.code == .misuse)
            #expect(first?.message == second?.message)
            return first?.message ?? "none"
        }
        let found = [
            await problem { engine in
                engine.register("twice") { 1 }
                engine.register("twice") { 2 }
            },
            await problem { $0.register("") { 1 } },
            await problem { $0.register("a..b") { 1 } },
            await problem { engine in
                engine.register("file.read") { 1 }
                engine.register("file") { 2 }
            },
            await problem { engine in
                engine.register("file") { 1 }
                engine.register("file.read") { 2 }
            },
            await problem { $0.register("describe") { 1 } },
            await problem { $0.register("give") { Uncrossable() } },
            await problem { $0.register("take") { (value: Uncrossable) in _ = value } },
        ]
        #expect(
            found == [
                "'twice' is registered already: pass 'replacing: true' to replace it",
                "'' is not a name for a work: use letters, digits and '_', with dots in between",
                "'a..b' is not a name for a work: use letters, digits and '_', with dots in between",
                "the work 'file' would hide 'file.read'",
                "the work 'file' hides 'file.read'",
                "'describe' cannot be a work: 'work.describe' describes works",
                "'give' returns Uncrossable, which cannot go to a script: make it Codable or ScriptConvertible",
                "'take' takes Uncrossable, which cannot come from a script: make it Codable or ScriptConvertible",
            ]
        )
    }

    @Test func `each run reports every operation, even one that ends late`() async throws {
        let engine = ScriptEngine()
        engine.register("one") { 1 }
        for _ in 1...500 {
            let report = try await engine.run(code: "OperationQueue():addOperation(work.one())")
            #expect(report.succeeded == 1)
        }
    }

    @Test func `bytes cross unchanged`() async throws {
        let engine = ScriptEngine()
        engine.register("reverse") { (bytes: [UInt8]) -> [UInt8] in bytes.reversed() }
        let found = try await notes(
            engine,
            #"await(work.note(await(work.reverse("\0\255a")) == "a\255\0" and "same" or "other"))"#
        )
        #expect(found == ["same"])
    }
}

/// Texts noted from any thread, in order.
final class Notes: Sendable {
    private let texts = Mutex<[String]>([])

    func add(_ text: String) { texts.withLock { $0.append(text) } }

    var all: [String] { texts.withLock { $0 } }
}
