import InMemoryLogging
import Logging
import OpScript
import Synchronization
import Testing

/// Functions of the host that scripts call as plain functions, and which globals a host's script has.
struct FunctionTests {
    @Test func `a function is called on the script thread and returns at once`() async throws {
        let engine = ScriptEngine()
        let lines = Mutex<[String]>([])
        engine.registerFunction("log") { (level: String, text: String) in
            lines.withLock { $0.append("\(level): \(text)") }
        }
        engine.registerFunction("host.time.now") { 12.5 }
        engine.registerFunction("add") { (a: Int, b: Int?) in a + (b ?? 100) }
        engine.registerFunction("origin") { Point(x: 1, y: 2) }
        let code = """
            log('info', 'ready')
            assert(coroutine.wrap(function() return host.time.now() end)() == 12.5)
            assert(add(1, 2) == 3 and add(1) == 101)
            local point = origin()
            assert(point.x + point.y == 3)
            table.sort({ 3, 1, 2 }, function(a, b) log('sort', 'x') return a < b end)
            """
        #expect(try await engine.run(code: code).exitCode == 0)
        #expect(lines.withLock { $0.first } == "info: ready")
    }

    struct Point: Codable, Sendable { let x, y: Int }

    @Test func `wrong arguments and errors of a function are raised at the call`() async throws {
        struct Broken: Error, CustomStringConvertible { let description = "no disk" }
        let engine = ScriptEngine()
        engine.registerFunction("add", parameters: ["a", "b"]) { (a: Int, b: Int) in a + b }
        engine.registerFunction("host.fail") { () throws in throw Broken() }
        for (code, message) in [
            ("add('x', 1)", "job.lua:1: bad argument #1 to 'add' (integer expected, got string)"),
            ("add(1)", "job.lua:1: bad argument #2 to 'add' (integer expected, got no value)"),
            ("add(1, 2, 3)", "job.lua:1: bad argument #3 to 'add' (no value expected, got number)"),
            ("host.fail()", "job.lua:1: no disk"),
        ] {
            let error = await scriptError { _ = try await engine.run(code: code, named: "@job.lua") }
            #expect(error?.message == message)
        }
    }

    @Test func `invalid registrations are reported by validate and by every run`() async throws {
        func problem(_ register: (ScriptEngine) -> Void) async -> String? {
            let engine = ScriptEngine()
            register(engine)
            return await scriptError { _ = try await engine.run(code: "") }?.message
        }
        #expect(await problem { $0.registerFunction("a b") {} }?.contains("is not a name") == true)
        #expect(await problem { $0.registerFunction("print") {} }?.contains("would hide") == true)
        #expect(await problem { $0.registerFunction("print.x") {} }?.contains("would hide") == true)
        #expect(
            await problem { $0.registerFunction("a") { (_: WorkContext) in } }?.contains("WorkContext")
                == true
        )
        #expect(
            await problem {
                $0.registerFunction("a") {}
                $0.registerFunction("a") {}
            }?.contains("registered already") == true
        )
        #expect(
            await problem { $0.registerFunction("table.sum") { (list: [Int]) in list.reduce(0, +) } } == nil
        )
    }

    @Test func `the functions of virtual time are not globals of a host's script`() async throws {
        let names = "return tostring(simulate) .. tostring(hold) .. tostring(cancelAt) .. tostring(fail)"
        #expect(try await ScriptEngine().evaluate(names, as: String.self) == "nilnilnilnil")
        var configuration = ScriptEngine.Configuration()
        configuration.clock = .virtual
        #expect(
            try await ScriptEngine(configuration).evaluate("type(simulate)", as: String.self) == "function"
        )
        configuration.clock = .system
        configuration.installsSimulation = true
        #expect(try await ScriptEngine(configuration).evaluate("type(hold)", as: String.self) == "function")
    }

    @Test func `the identity of an operation in logs is unique in the process`() async throws {
        let handler = InMemoryLogHandler()
        var configuration = ScriptEngine.Configuration()
        configuration.logger = Logger(label: "test") { _ in handler }
        configuration.logger?.logLevel = .trace
        for _ in 1...3 {
            let engine = ScriptEngine(configuration)
            engine.register("one") { 1 }
            _ = try await engine.run(code: "await(work.one())")
        }
        let ids = handler.entries.filter { $0.message == "operation finished" }
            .compactMap { $0.metadata["operation-id"].map { "\($0)" } }
        #expect(ids.count == 3 && Set(ids).count == 3, "\(ids)")
    }
}
