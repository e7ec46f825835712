import Dispatch
import OpScript
import Synchronization
import OpScriptWorks
import Testing

/// Limits of memory, time, output and numbers: each raises code `limit`, and leaves the engine usable.
struct UsageLimitTests {
    private func engine(_ change: (inout ScriptEngine.Configuration) -> Void) -> ScriptEngine {
        var configuration = ScriptEngine.Configuration()
        configuration.standardError = { _ in }
        configuration.standardOutput = { _ in }
        configuration.capabilities = .all
        change(&configuration)
        let engine = ScriptEngine(configuration)
        engine.register("bytes") { (count: Int) in ScriptData([UInt8](repeating: 7, count: count)) }
        engine.register("text") { (count: Int) in String(repeating: "x", count: count) }
        engine.register("take") { (text: String) in text.utf8.count }
        return engine
    }

    private func expectLimit(
        _ engine: ScriptEngine,
        _ code: String,
        _ text: String = "",
        traceback: Bool = true
    ) async throws {
        let error = try #require(
            await scriptError { _ = try await engine.run(code: code, named: "@job.lua") },
            "\(code)"
        )
        #expect(error.code == .limit, "\(code): \(error)")
        #expect(error.message.contains(text), "\(code): \(error)")
        #expect(
            !traceback || error.traceback?.contains("job.lua:") == true,
            "\(code): \(error.traceback ?? "")"
        )
        #expect(try await engine.evaluate("1 + 1", as: Int.self) == 2)
        #expect(try await engine.run(code: "await(work.take('x')) print(1)").steps == 1)
    }

    // MARK: Memory

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "local s = 'x' while true do s = s .. s end",
            "return ('x'):rep(100 << 20)",
            "local function f() return 1 + f() end f()",
            "while true do pcall(string.rep, 'x', 100 << 20) end",
            "local t = {} while true do pcall(function() for i = 1, 1e6 do t[#t + 1] = i end end) end",
            "while true do xpcall(string.rep, function() return 1 end, 'x', 100 << 20) end",
            "ops = {} for i = 1, 200 do ops[i] = work.bytes(8 << 20) OperationQueue.main:addOperation(ops[i]) end",
            "local q, ops = OperationQueue(), {} for i = 1, 200 do ops[i] = work.text(8 << 20) q:addOperation(ops[i]) end q:waitUntilAllOperationsAreFinished()",
            "local q, s = OperationQueue { isSuspended = true }, ('x'):rep(1 << 20) for i = 1, 200 do q:addOperation(work.take(s .. i)) end",
            "while true do pcall(work.take, ('x'):rep(20 << 20)) end",
            "await(isolate(function() local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end end)())",
        ]
    )
    func `memory of every kind has one limit, which no pcall turns into a loop`(code: String) async throws {
        let engine = engine { $0.memoryLimit = 15 << 20 }
        let isElsewhere = code.contains("work.") || code.contains("isolate")
        if code.contains("return 1 + f()") {
            // Lua's own limit of the stack may come first.
            let error = await scriptError { _ = try await engine.run(code: code) }
            #expect(error?.code == .limit || error?.message.contains("stack overflow") == true)
        } else {
            try await expectLimit(engine, code, "memory", traceback: !isElsewhere)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `isolates and threads share the memory of the script`() async throws
    {
        let engine = engine {
            $0.memoryLimit = 24 << 20
            $0.workers = 4
        }
        let body = "function() local t = {} for i = 1, 60000 do t[i] = ('x'):rep(100) .. i end return #t end"
        try await expectLimit(
            engine,
            "local q = OperationQueue() for i = 1, 12 do q:addOperation(isolate(\(body))()) end",
            "memory",
            traceback: false
        )
        // One alone has room, again and again.
        for _ in 1...5 {
            #expect(try await engine.evaluate("await(isolate(\(body))())", as: Int.self) == 60_000)
        }
    }

    @Test func `ended objects do not count any more`() async throws {
        let engine = engine { $0.memoryLimit = 32 << 20 }
        let report = try await engine.run(code: "for i = 1, 100 do await(work.text(4 << 20)) end")
        #expect(report.steps == 100)
        #expect(report.usage.operations == 100)
    }

    // MARK: Time

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "while true do end", "sleep(3600)", "pcall(sleep, 3600) pcall(sleep, 3600)",
            "while true do pcall(sleep, 0.001) end",
            "shield(function() while true do sleep(0.001) end end)",
            "Timer.scheduledTimer(0.001, true, function() end)",
            "while true do pcall(function() while true do end end) end", "await(work.forever())",
            "OperationQueue():addOperation(work.forever())",
            "local op = async(function() while true do pcall(sleep, 0.001) end end) await(op)",
            "OperationQueue { isSuspended = true }:addOperation(print) while true do await(async(sleep, 0)) end",
        ]
    )
    func `a run has a limit of time, in every state`(code: String) async throws {
        let engine = engine {
            $0.runLimit = .milliseconds(30)
            $0.gracePeriod = .milliseconds(30)
        }
        let gate = Gate()
        defer { gate.open() }
        engine.register("forever") { gate.pass() }
        let isWaiting = !code.hasPrefix("while") && !code.hasPrefix("shield")
        let error = try #require(
            await scriptError { _ = try await engine.run(code: code, named: "@job.lua") },
            "\(code)"
        )
        #expect(error.code == .limit, "\(code): \(error)")
        #expect(error.message.hasSuffix("the run took longer than its limit (0.03 s)"), "\(code): \(error)")
        if !isWaiting { #expect(error.traceback?.contains("job.lua:1") == true, "\(code)") }
        gate.open()
        #expect(try await engine.evaluate("(function() sleep(0.001) return 3 end)()", as: Int.self) == 3)
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "while true do end", "shield(function() while true do sleep(0.001) end end)",
            "while true do pcall(sleep, 0.001) end", "await(work.forever())",
        ]
    )
    func `a cancelled run ends after its grace period, in every state`(code: String) async throws {
        let engine = engine { $0.gracePeriod = .milliseconds(30) }
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        defer { gate.open() }
        engine.register("begun") { _ = hasBegun.yield() }
        engine.register("forever") { gate.pass() }
        // The cancellation may reach the closure itself before the script sees its end, and `await` raises then.
        let signal = "shield(function() pcall(await, work.begun()) end) "
        let run = Task { try await engine.run(code: signal + code, named: "@job.lua") }
        for await _ in begun { break }
        engine.cancel()
        let error = try #require(await scriptError { _ = try await run.value })
        #expect(error.code == .cancelled && error.report?.wasCancelled == true)
        gate.open()
        #expect(try await engine.run(code: "sleep(0.001)").exitCode == 0)
    }

    @Test(.timeLimit(.minutes(10))) func `a closure that does not return is abandoned and named`()
        async throws
    {
        let engine = engine { $0.gracePeriod = .milliseconds(30) }
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        defer { gate.open() }
        engine.register("forever") {
            hasBegun.yield()
            gate.pass()
        }
        let run = Task { try await engine.run(code: "await(work.forever())", named: "@job.lua") }
        for await _ in begun { break }
        engine.cancel()
        let error = try #require(await scriptError { _ = try await run.value })
        #expect(error.report?.abandoned == ["'forever' (job.lua:1) had not returned and was abandoned"])
        // Its late end does not affect the next run.
        async let next = engine.run(code: "sleep(0.001)")
        gate.open()
        #expect(try await next.failures.isEmpty)
    }

    // MARK: Output and numbers

    @Test func `output has a limit, and nothing beyond it is written`() async throws {
        let written = Mutex(0)
        let engine = engine {
            $0.outputLimit = 1000
            $0.libraries = .all
            $0.standardOutput = { bytes in written.withLock { $0 += bytes.count } }
        }
        for code in [
            "while true do print('0123456789') end", "while true do pcall(print, '0123456789') end",
            "while true do io.write('0123456789') end",
            "await(isolate(function() while true do print('0123456789') end end)())",
        ] {
            written.withLock { $0 = 0 }
            try await expectLimit(
                engine,
                code,
                "the run wrote more output than its limit (1000 bytes)",
                traceback: false
            )
            #expect(written.withLock { $0 } <= 1002, "\(code)")
        }
        #expect(try await engine.run(code: "print('abc')").usage.outputBytes == 4)
    }

    @Test(arguments: [
        (
            "local q = OperationQueue { isSuspended = true } for i = 1, 11 do q:addOperation(print) end",
            "unfinished operations"
        ),
        ("for i = 1, 11 do Timer.scheduledTimer(3600, false, print) end", "scheduled timers"),
        ("for i = 1, 11 do DispatchSource.timer { deadline = 3600 }:activate() end", "active sources"),
        (
            "local q = OperationQueue() for i = 1, 5 do q:addOperation(isolate(function() local n = 0 while n < 3e7 do n = n + 1 end end)()) end",
            "isolates"
        ),
        ("for i = 1, 11 do Thread { work = 'forever', args = {} }:start() end", "threads"),
        ("files = {} for i = 1, 3 do files[i] = io.tmpfile() end", "open files"),
        (
            "files = {} for i = 1, 3 do files[i] = io.open('/dev/null', i == 1 and 'r' or 'w') end",
            "open files"
        ),
        ("files = {} for i = 1, 3 do files[i] = { io.lines('/dev/null') } end", "open files"),
        ("files = {} for i = 1, 3 do io.input('/dev/null') files[i] = io.input() end", "open files"),
        ("files = {} for i = 1, 3 do files[i] = io.popen('true') end", "processes"),
        (
            "local q = OperationQueue() for i = 1, 3 do q:addOperation(work.process.run { 'sleep', '60' }) end",
            "processes"
        ),
    ])
    func `numbers of things have limits`(code: String, what: String) async throws {
        let gate = Gate()
        defer { gate.open() }
        let engine = engine {
            $0.operationLimit = 10
            $0.timerLimit = 10
            $0.sourceLimit = 10
            $0.isolateLimit = 1
            $0.threadLimit = 10
            $0.processLimit = 2
            $0.fileLimit = 2
            $0.libraries = .all
            $0.workers = 4
            $0.gracePeriod = .milliseconds(50)
        }
        engine.register("forever") { gate.pass() }
        engine.registerProcessWorks()
        let error = try #require(
            await scriptError { _ = try await engine.run(code: code, named: "@job.lua") },
            "\(code)"
        )
        #expect(
            error.code == .limit && error.message.contains(what),
            "\(error) \(error.report?.failures.map(\.message) ?? [])"
        )
        gate.open()
        #expect(try await engine.run(code: "sleep(0)").exitCode == 0)
    }

    @Test func `files and processes that are closed count no more`() async throws {
        let engine = engine {
            $0.processLimit = 1
            $0.fileLimit = 2
            $0.libraries = .all
        }
        engine.registerProcessWorks()
        let counts = try await engine.evaluate(
            """
            local function used()
                local limits = require "opscript".limits()
                return limits.files.used .. " " .. limits.processes.used
            end
            local all = {}
            for i = 1, 100 do
                io.tmpfile():close()
                local file <close> = assert(io.open("/dev/null"))
                for line in io.lines("/dev/null") do end
                assert(io.popen("exit 0")):close()
            end
            all[1] = used()
            local kept = { io.tmpfile(), io.popen("true") }
            all[2] = used()
            local ok, problem = pcall(io.popen, "true")
            all[3] = tostring(ok) .. " " .. problem.code
            kept = nil
            collectgarbage() collectgarbage()
            all[4] = used()
            all[5] = await(work.process.run { "true" }).status
            local isolated = isolate(function()
                local files = {}
                for i = 1, 2 do files[i] = io.tmpfile() end
                local ok, problem = pcall(io.tmpfile)
                for _, file in ipairs(files) do file:close() end
                return ok
            end)
            all[6] = tostring(await(isolated()))
            all[7] = used()
            assert(not pcall(io.open, "/dev/null", "nonsense"))
            assert(not io.open("/does/not/exist"))
            all[8] = used()
            return table.concat(all, ", ")
            """,
            as: String.self
        )
        #expect(counts == "0 0, 1 1, false limit, 0 0, 0, false, 0 0, 0 0")
    }

    @Test func `jobLimit holds for threads`() async throws {
        let gate = Gate()
        defer { gate.open() }
        let engine = engine {
            $0.jobLimit = 2
            $0.gracePeriod = .milliseconds(50)
        }
        engine.register("forever") { gate.pass() }
        let code = "for i = 1, 3 do Thread { work = 'forever', args = {} }:start() end"
        let error = await scriptError { _ = try await engine.run(code: code) }
        #expect(error?.code == .limit)
        gate.open()
    }

    @Test func `a script reads its limits and its usage`() async throws {
        let engine = ScriptEngine(.untrusted)
        let text = try await engine.evaluate(
            """
            local limits = require "opscript".limits()
            local q = OperationQueue { isSuspended = true }
            q:addOperation(print)
            return table.concat({ limits.memory.limit, limits.output.limit, limits.operations.used,
                require "opscript".limits().operations.used, tostring(limits.memory.used > 0), limits.run.limit }, " ")
            """,
            as: String.self
        )
        #expect(text == "67108864 1048576 0 1 true 10")
        #expect(
            try await ScriptEngine().evaluate(
                "require 'opscript'.limits().memory.limit == nil",
                as: Bool.self
            )
        )
    }

    /// Holds closures until it is opened.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)

        func pass() {
            semaphore.wait()
            semaphore.signal()
        }

        func open() { semaphore.signal() }
    }
}
